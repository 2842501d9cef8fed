package report

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/stack/event"
)

// A script writes a log as the tracer does. Each event is 100 ns after the one before it,
// of which the log took 90.
type script struct {
	strings.Builder
	pid, m     int
	time, cost int64
	text       uint64
	next       uint64 // address of the next stack
}

func newScript() *script {
	s := &script{pid: 7, text: 0x1000, next: 1 << 32, time: 1_000_000}
	s.line("start version=go1.26 text=%#x etext=%#x guard=928 build=0x5ea3", s.text, s.text+0x1000)
	return s
}

func (s *script) line(format string, args ...any) {
	fmt.Fprintf(s, "@%d %d %d %d %s\n", s.pid, s.m, s.time, s.cost, fmt.Sprintf(format, args...))
	s.time += 100
	s.cost += 90
}

// on lets a thread go on.
func (s *script) on(m int) *script { s.m = m; return s }

// A stack is a goroutine's.
type stack struct {
	lo, size uint64
	goid, gp uint64
	entry    uint64
}

func (s *script) alloc(size uint64) uint64 {
	s.next = (s.next + size - 1) &^ (size - 1)
	lo := s.next
	s.next += size
	s.line("stackalloc %d", size)
	s.line("  allocated %#x", lo)
	return lo
}

func (s *script) goroutine(goid, gp, entry uint64) *stack {
	return &stack{lo: s.alloc(2048), size: 2048, goid: goid, gp: gp, entry: entry}
}

func (s *script) who(g *stack) string {
	return fmt.Sprintf("  goid=%d entry=%#x go=%#x", g.goid, s.text+g.entry, s.text+g.entry+1)
}

// newstack has 100 bytes left in the stack.
func (s *script) newstack(g *stack, callee uint64) {
	s.line("runtime: newstack sp=%#x stack=[%#x, %#x] \tmorebuf={pc:%#x sp:0x1 lr:0x0} \tsched={pc:%#x sp:0x1 lr:0x0 ctxt:0x0}%s",
		g.lo+100, g.lo, g.lo+g.size, s.text+callee+1, s.text+callee, s.who(g))
}

// move copies a stack, of which so much is in use, and frees the old one.
func (s *script) move(g *stack, size, used uint64) {
	lo := s.alloc(size)
	s.line("copystack gp=%#x [%#x %#x %#x] -> [%#x %#x %#x]/%d%s", g.gp,
		g.lo, g.lo+g.size-used, g.lo+g.size, lo, lo+size-used, lo+size, size, s.who(g))
	s.line("stackfree %#x %d", g.lo, g.size)
	g.lo, g.size = lo, size
}

func (s *script) grow(g *stack, callee, size uint64) {
	s.newstack(g, callee)
	s.move(g, size, 1000)
	s.line("stack grow done")
}

func (s *script) shrink(g *stack) {
	s.line("shrinking stack %d->%d", g.size, g.size/2)
	s.move(g, g.size/2, 200)
}

func (s *script) exit(g *stack) { s.line("stackfree %#x %d", g.lo, g.size) }

func TestGrowthTime(t *testing.T) {
	s := newScript()
	g := s.goroutine(9, 0xa0, 0x100)
	s.grow(g, 0x200, 4096) // newstack, stackalloc, allocated, copystack, stackfree, done: five steps of 100-90 ns
	s.shrink(g)            // shrinking, stackalloc, allocated, copystack, stackfree: four
	f := reportOf(t, s.String(), Options{})
	if f.Growth != (Totals{1, 1000, 50, 50}) || f.Shrink != (Totals{1, 200, 40, 40}) {
		t.Errorf("growth %+v, shrink %+v", f.Growth, f.Shrink)
	}
	site := f.Sites[0]
	if len(f.Sites) != 1 || site.Callee.Func != "0x1200" || site.Caller.Func != "0x1201" || site.Used != 1000 || site.Largest != 4096 ||
		!reflect.DeepEqual(site.Steps, []Step{{2048, 4096, f.Growth}}) ||
		!reflect.DeepEqual(site.Entries, []Entry{{Place{Func: "0x1100"}, Place{Func: "0x1101"}, 1}}) {
		t.Errorf("%+v", f.Sites)
	}
	if p := f.Processes[0]; p.Tracing != s.cost-90 || p.End != s.time-1_000_100 || p.Start != 0 || p.Go != "go1.26" {
		t.Errorf("%+v, cost %d, time %d", p, s.cost, s.time)
	}
}

// Threads do different things at once, and the log has them mixed.
func TestThreadsAreApart(t *testing.T) {
	s := newScript()
	a, b := s.goroutine(9, 0xa0, 0x100), s.goroutine(10, 0xb0, 0x110)
	one, two := newScript(), newScript()
	one.Reset()
	two.Reset()
	two.next, two.m = 1<<33, 2
	one.grow(a, 0x200, 4096)
	two.grow(b, 0x300, 4096)
	lines := [2][]string{strings.SplitAfter(one.String(), "\n"), strings.SplitAfter(two.String(), "\n")}
	for i := range lines[0] {
		s.WriteString(lines[0][i] + lines[1][i])
	}
	f := reportOf(t, s.String(), Options{})
	if len(f.Sites) != 2 || f.Growth.Count != 2 || f.Growth.Time != 100 || f.Preempts != 0 || len(f.Chains) != 2 {
		t.Errorf("growth %+v, preempts %d, sites %+v", f.Growth, f.Preempts, f.Sites)
	}
}

// After the newstack of a preemption the thread does something else.
func TestPreemption(t *testing.T) {
	s := newScript()
	g := s.goroutine(9, 0xa0, 0x100)
	other := s.goroutine(10, 0xb0, 0x110)
	s.newstack(g, 0x200)
	s.goroutine(11, 0xc0, 0x120)
	s.newstack(g, 0x200)
	s.grow(other, 0x300, 4096)
	s.newstack(other, 0x200)
	s.shrink(other) // it had been preempted to shrink
	f := reportOf(t, s.String(), Options{})
	if f.Preempts != 3 || len(f.Sites) != 1 || f.Sites[0].Callee.Func != "0x1300" || f.Shrink.Count != 1 {
		t.Errorf("%d preemptions, sites %+v", f.Preempts, f.Sites)
	}
	if size := f.Sizes[0]; size.New != 3 || size.Shrunk != 1 {
		t.Errorf("%+v", size)
	}
}

func TestChains(t *testing.T) {
	s := newScript()
	for i := range uint64(3) {
		// The same descriptor, another goroutine.
		g := s.goroutine(9+i, 0xa0, 0x100)
		s.grow(g, 0x200, 4096)
		s.grow(g, 0x300, 8192)
		s.exit(g)
	}
	long := s.goroutine(90, 0xb0, 0x100)
	s.grow(long, 0x200, 4096)
	for range 5 {
		s.grow(long, 0x300, 8192)
		s.shrink(long)
	}
	jump := s.goroutine(91, 0xc0, 0x110)
	s.grow(jump, 0x400, 64<<10)
	s.shrink(jump)
	s.grow(jump, 0x400, 64<<10)
	f := reportOf(t, s.String(), Options{})
	got := ""
	for _, c := range f.Chains {
		got += fmt.Sprintln(c.Entry.Func.Func, c.Sizes, c.Goroutines, c.Count)
	}
	// The last one's second growth began where no growth had ended.
	if want := "0x1100 [2048 4096 8192] 4 12\n0x1110 [2048 65536] 1 2\n"; got != want {
		t.Errorf("chains:\n%swant:\n%s", got, want)
	}
	got = ""
	var show func(nodes []*Node, indent string)
	show = func(nodes []*Node, indent string) {
		for _, n := range nodes {
			if n.Entry != nil {
				got += fmt.Sprintln(n.Entry.Func.Func, n.Entry.Count, n.Count)
			} else {
				got += fmt.Sprintln(indent, n.Callee.Func, n.From, n.To, n.Count)
			}
			show(n.Children, indent+"  ")
		}
	}
	show(f.Tree, "")
	want := "0x1100 4 12\n   0x1200 2048 4096 4\n     0x1300 4096 8192 8\n0x1110 1 2\n   0x1400 2048 65536 1\n   0x1400 32768 65536 1\n"
	if got != want {
		t.Errorf("tree:\n%swant:\n%s", got, want)
	}
}

// Processes of one program count as one, wherever their code lies.
func TestProcesses(t *testing.T) {
	log := ""
	for pid := range 3 {
		s := newScript()
		s.Reset()
		s.pid, s.text, s.time = 100+pid, uint64(0x1000+pid<<20), int64(1_000_000+pid)
		s.line("settings procs=0 start=2048 lost=0")
		s.line("start version=go1.26 text=%#x etext=%#x guard=928 build=0x5ea3", s.text, s.text+0x1000)
		s.line("settings procs=%d start=2048 lost=0", 2+pid%2)
		s.grow(s.goroutine(9, 0xa0, 0x100), 0x200, 4096)
		s.line("settings procs=%d start=4096 lost=%d", 2+pid%2, pid)
		log += s.String()
	}
	for _, o := range []Options{{}, {Symbols: &frames{0x200: 300}}} {
		f := reportOf(t, log, o)
		if len(f.Processes) != 3 || len(f.Sites) != 1 || f.Sites[0].Count != 3 || len(f.Chains) != 1 || f.Chains[0].Goroutines != 3 {
			t.Errorf("%d processes, sites %+v, chains %+v", len(f.Processes), f.Sites, f.Chains)
		}
		if !reflect.DeepEqual(f.Settings.Starts, []int64{2048, 4096}) || !reflect.DeepEqual(f.Settings.Procs, []int{2, 3}) || f.Processes[2].Lost != 2 {
			t.Errorf("settings %+v, processes %+v", f.Settings, f.Processes)
		}
		if o.Symbols != nil && (f.Sites[0].Callee != Place{Func: "f0x200", File: "f.go", Line: 0x200} || f.Sites[0].Frame != 300 || f.Sites[0].Caller != Place{Func: "caller", Line: 0x201} || f.Processes[1].Program != "prog") {
			t.Errorf("%+v", f.Sites)
		}
		if f.Sizes[0].Peak != 1 {
			t.Errorf("the peak is of one process, not of all: %+v", f.Sizes)
		}
	}
}

// A number may be another process's later, and then nothing of the first goes on.
func TestProcessNumberAgain(t *testing.T) {
	s := newScript()
	g := s.goroutine(9, 0xa0, 0x100)
	s.grow(g, 0x200, 4096)
	s.newstack(g, 0x200)
	s.line("start version=go1.27 text=%#x etext=%#x guard=928 build=0x5ea3", s.text, s.text+0x2000)
	s.goroutine(9, 0xa0, 0x100)
	f := reportOf(t, s.String(), Options{})
	if len(f.Processes) != 2 || f.Processes[1].Go != "go1.27" || f.Processes[1].Start == 0 || f.Growth.Count != 1 || f.Preempts+int64(len(f.Overflows)) != 1 {
		t.Errorf("%+v, growth %+v", f.Processes, f.Growth)
	}
}

// A process that is silent while a thousand others come and go is still known.
func TestSilentProcess(t *testing.T) {
	s := newScript()
	g := s.goroutine(9, 0xa0, 0x100)
	log := s.String()
	for i := range maxRunning + 10 {
		log += fmt.Sprintf("@%d 0 2000000 5 start version=go1.27 text=0x99000 etext=0x9a000 guard=928 build=0x5ea3\n", 100+i)
	}
	s.Reset()
	s.grow(g, 0x200, 4096)
	f := reportOf(t, log+s.String(), Options{})
	p := f.Processes[0]
	if len(f.Processes) != maxRunning+11 || p.PID != 7 || p.Events != 9 || p.Tracing != s.cost-90-90 {
		t.Errorf("%d processes; %+v; cost %d", len(f.Processes), p, s.cost)
	}
	if f.Sites[0].Callee.Func != "0x1200" {
		t.Errorf("%+v", f.Sites)
	}
}

// A program's text before the first stamped line looks like a plain log.
func TestStampedAfterAll(t *testing.T) {
	s := newScript()
	s.grow(s.goroutine(9, 0xa0, 0x100), 0x200, 4096)
	f := reportOf(t, "stackalloc 2048\nhello\nstack grow done\n"+s.String()+"stackalloc 2048\n", Options{})
	if f.Log.Unknown != 4 || !f.Log.Stamped || f.Log.Events != 9 || len(f.Processes) != 1 || f.Growth.Count != 1 {
		t.Errorf("log %+v, processes %+v", f.Log, f.Processes)
	}
}

// alike is a program in which all code has one name.
type alike struct{}

func (alike) Name() string { return "prog" }
func (alike) Err() error   { return errors.New("no table") }
func (alike) Func(uint64) (Place, int64, bool) {
	return Place{Func: "f", File: "f.go", Line: 1}, 10, true
}
func (alike) Call(pc uint64) (Place, bool) {
	return Place{Func: "g", File: "g.go", Line: 2}, pc != 0x301
}
func (alike) Program(start *event.Event) (p Program) { return alike{} }

// Addresses with the same name are one place, in all that is told of them.
func TestNamesMerge(t *testing.T) {
	s := newScript()
	for i := range uint64(4) {
		g := s.goroutine(9+i, 0xa0, 0x100+i)
		s.grow(g, 0x200+i, 4096)
		s.grow(g, 0x210+i, 8192)
	}
	f := reportOf(t, s.String(), Options{Symbols: alike{}})
	if len(f.Sites) != 1 || len(f.Sites[0].Steps) != 2 || f.Sites[0].Steps[1].Count != 4 || len(f.Sites[0].Entries) != 1 || f.Sites[0].Entries[0].Count != 8 {
		t.Errorf("sites %+v", f.Sites)
	}
	if len(f.Chains) != 1 || f.Chains[0].Goroutines != 4 || len(f.Tree) != 1 || len(f.Tree[0].Children) != 1 || len(f.Tree[0].Children[0].Children) != 1 {
		t.Errorf("chains %+v", f.Chains)
	}
	if f.Processes[0].Symbols != "no table" {
		t.Errorf("%+v", f.Processes)
	}
	s.grow(s.goroutine(90, 0xb0, 0x100), 0x300, 4096)
	if f = reportOf(t, s.String(), Options{Symbols: alike{}}); len(f.Sites) != 2 || f.Sites[1].Caller != (Place{Func: "0x1301"}) {
		t.Errorf("a call without a name: %+v", f.Sites)
	}
}

// What was there before the log began, or is lost from it, does no harm.
func TestHoles(t *testing.T) {
	s := newScript()
	s.line("stackfree 0xc00000 2048")
	s.line("stack grow done")
	s.line("  allocated 0xc00000")
	g := &stack{lo: 0xc00000, size: 4096, gp: 0xa0, goid: 5, entry: 0x100}
	s.shrink(g)
	s.move(g, 4096, 100) // no newstack
	s.line("stack grow done")
	s.newstack(g, 0x200)
	s.move(&stack{lo: 0xd00000, size: 2048, gp: 0xb0, goid: 6, entry: 0x100}, 4096, 100) // not the one in newstack
	s.line("stack grow done")
	s.newstack(g, 0x200)
	s.line("stackalloc 8192")
	s.line("copystack gp=0xa0 [%#x %#x %#x] -> [0xe00000 0xe01000 0xe02000]/8192%s", g.lo, g.lo, g.lo+g.size, s.who(g)) // and never done
	f := reportOf(t, s.String(), Options{})
	if f.Growth.Count != 3 || f.Shrink.Count != 1 || f.Growth.Time != 0 || f.Preempts != 1 || len(f.Sites) != 2 {
		t.Errorf("growth %+v, shrink %+v, preempts %d, sites %+v", f.Growth, f.Shrink, f.Preempts, f.Sites)
	}
}

// The timeline has at most 240 spans, however long the run is.
func TestTimeline(t *testing.T) {
	for _, seconds := range []int64{0, 1, 60, 86400, 1 << 21} {
		s := newScript()
		g := s.goroutine(9, 0xa0, 0x100)
		for i := range int64(7) {
			s.time = 1_000_000 + seconds*1_000_000_000*i/7
			if i%2 == 0 {
				s.grow(g, 0x200, 4096)
			} else {
				s.shrink(g)
			}
		}
		s.time -= 10_000 // of a thread that had held it
		s.on(3).exit(g)
		f := reportOf(t, s.String(), Options{})
		n := int64(len(f.Timeline.Spans))
		if n > spans || n < 1 || seconds > 0 && n < spans/2-1 || f.Timeline.Step*n < seconds*1_000_000_000*6/7 {
			t.Errorf("%d s: %d spans of %d ns", seconds, n, f.Timeline.Step)
		}
		last := f.Timeline.Spans[n-1]
		if last.Live != 0 {
			t.Errorf("%d s: at the end %+v", seconds, last)
		}
	}
}

// The stacks of a process that has ended are no longer there.
func TestTimelineOfManyProcesses(t *testing.T) {
	log := ""
	for i := range 5 {
		s := newScript()
		s.Reset()
		s.pid, s.time = 100+i, int64(i)*100_000_000
		s.line("start version=go1.26 text=0x1000 etext=0x2000 guard=928 build=0x5ea3")
		for range 10 {
			s.alloc(32768)
		}
		log += s.String()
	}
	for i, span := range reportOf(t, log, Options{}).Timeline.Spans {
		if span.Live > 327680 {
			t.Errorf("span %d: %d bytes live", i, span.Live)
		}
	}
}

func FuzzBuild(f *testing.F) {
	for _, name := range []string{"hello-go1.25.log", "plain.log", "overflow.log"} {
		f.Add(string(logFile(f, name)))
	}
	s := newScript()
	g := s.goroutine(9, 0xa0, 0x100)
	s.grow(g, 0x200, 4096)
	s.shrink(g)
	s.newstack(g, 0x200)
	f.Add(s.String())
	f.Add(strings.ReplaceAll(s.String(), "@7 0", "@7 1") + s.String())
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Count(text, "start version") > 100 {
			return // each is a process in the report
		}
		report, err := Build(event.NewReader(strings.NewReader(text)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !hugeNumbers(report) {
			consistent(t, report)
		}
	})
}

// hugeNumbers reports whether times are of years, whose sums may be too large.
func hugeNumbers(f *File) bool {
	for _, p := range f.Processes {
		if p.End > largest>>8 || p.Tracing > largest>>8 {
			return true
		}
	}
	return false
}
