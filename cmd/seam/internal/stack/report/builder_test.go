package report

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/stack/event"
)

func logFile(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("../event/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func reportOf(t testing.TB, text string, o Options) *File {
	t.Helper()
	f, err := Build(event.NewReader(strings.NewReader(text)), o)
	if err != nil {
		t.Fatal(err)
	}
	consistent(t, f)
	return f
}

// consistent checks what holds for every report.
func consistent(t testing.TB, f *File) {
	t.Helper()
	if err := f.Check(); err != nil {
		t.Error(err)
	}
	var sites, chains, roots, spans, shrinks Totals
	var grown, shrunk int64
	for _, s := range f.Sites {
		sites.Sum(s.Totals)
	}
	for _, c := range f.Chains {
		chains.Sum(c.Totals)
	}
	for _, r := range f.Tree {
		roots.Sum(r.Totals)
		if n, others := below(r); n+others != r.Count {
			t.Errorf("the root of %s has %d growths, and below it are %d and %d others", r.Entry.Func.Func, r.Count, n, others)
		}
	}
	for _, s := range f.Shrinks {
		shrinks.Sum(s.Totals)
	}
	for _, s := range f.Sizes {
		grown += s.Grown
		shrunk += s.Shrunk
		if s.New+s.Grown+s.Shrunk < s.Allocs || s.Peak > s.Allocs {
			t.Errorf("%+v", s)
		}
	}
	for _, s := range f.Timeline.Spans {
		spans.Count += s.Grown + s.Shrunk
		spans.Copied += s.Copied
		spans.Time += s.Time
	}
	if sites != f.Growth || chains != f.Growth || roots != f.Growth || shrinks != f.Shrink || grown != f.Growth.Count || shrunk != f.Shrink.Count {
		t.Errorf("growth %+v, by sites %+v, by chains %+v, by roots %+v, by sizes %d\nshrink %+v, by steps %+v, by sizes %d",
			f.Growth, sites, chains, roots, grown, f.Shrink, shrinks, shrunk)
	}
	if f.Log.Stamped && (spans.Count != f.Growth.Count+f.Shrink.Count || spans.Copied != f.Growth.Copied+f.Shrink.Copied || spans.Time != f.Growth.Time+f.Shrink.Time) {
		t.Errorf("growth %+v, shrink %+v, timeline %+v", f.Growth, f.Shrink, spans)
	}
}

// below counts the growths of a node's children, and those that were left out.
func below(n *Node) (count, others int64) {
	others = n.Others
	for _, child := range n.Children {
		c, o := below(child)
		count += child.Count + c
		others += o
	}
	return count, others
}

// The report says what the text of the log says, counted in another way.
func TestRealLogs(t *testing.T) {
	for _, name := range []string{"hello-go1.25.log", "hello-go1.26.log", "hello-go1.27.log", "mix.log"} {
		t.Run(name, func(t *testing.T) {
			text := string(logFile(t, name))
			f := reportOf(t, text, Options{})
			count := func(s string) int64 { return int64(strings.Count(text, s)) }
			numbers := func(pattern string) (out [][]int64) {
				for _, m := range regexp.MustCompile(`(?m)`+pattern).FindAllStringSubmatch(text, -1) {
					var row []int64
					for _, s := range m[1:] {
						n, err := strconv.ParseInt(s, 0, 64)
						if err != nil {
							t.Fatal(err)
						}
						row = append(row, n)
					}
					out = append(out, row)
				}
				return out
			}
			if f.Log.Events != count("\n") || f.Log.Unknown != 0 || !f.Log.Stamped || f.Log.Bytes != int64(len(text)) {
				t.Errorf("log %+v", f.Log)
			}
			if f.Growth.Count != count("stack grow done") || f.Shrink.Count != count("shrinking stack") {
				t.Errorf("growth %+v, shrink %+v", f.Growth, f.Shrink)
			}
			if n := count("runtime: newstack") - count("stack grow done"); f.Preempts != n {
				t.Errorf("%d preemptions, want %d", f.Preempts, n)
			}
			var copied int64
			for _, c := range numbers(`copystack gp=\S+ \[\S+ (\S+) (\S+)\]`) {
				copied += c[1] - c[0]
			}
			if f.Growth.Copied+f.Shrink.Copied != copied {
				t.Errorf("copied %d and %d, want %d", f.Growth.Copied, f.Shrink.Copied, copied)
			}
			allocs, frees, grown, shrunk := map[int64]int64{}, map[int64]int64{}, map[int64]int64{}, map[int64]int64{}
			for _, a := range numbers(`stackalloc (\d+)$`) {
				allocs[a[0]]++
			}
			var live, begun int64
			for _, a := range numbers(`stackfree \S+ (\d+)$`) {
				frees[a[0]]++
				live -= a[0]
			}
			for _, c := range numbers(`copystack gp=\S+ \[(\S+) \S+ (\S+)\] .*\]/(\d+)`) {
				if c[2] > c[1]-c[0] {
					grown[c[2]]++
				} else {
					shrunk[c[2]]++
				}
			}
			for _, s := range f.Sizes {
				want := Size{Bytes: s.Bytes, Allocs: allocs[s.Bytes], Frees: frees[s.Bytes], Grown: grown[s.Bytes], Shrunk: shrunk[s.Bytes], Peak: s.Peak}
				want.New = want.Allocs - want.Grown - want.Shrunk
				live += s.Bytes * s.Allocs
				begun += s.New
				if s != want || s.Peak < s.Allocs-s.Frees {
					t.Errorf("%+v, want %+v", s, want)
				}
				delete(allocs, s.Bytes)
			}
			if spans := f.Timeline.Spans; len(allocs) > 0 || spans[len(spans)-1].Live != live {
				t.Errorf("live %d, want %d; sizes not told: %v", spans[len(spans)-1].Live, live, allocs)
			}
			for _, span := range f.Timeline.Spans {
				begun -= span.New
			}
			if begun != 0 {
				t.Errorf("the timeline lacks %d new stacks", begun)
			}
			if len(f.Processes) != 1 || f.Processes[0].PID == 0 || f.Processes[0].Events != f.Log.Events || f.Settings.Guard != 928 ||
				!reflect.DeepEqual(f.Settings.Starts, []int64{2048}) || len(f.Settings.Procs) != 1 {
				t.Errorf("processes %+v, settings %+v", f.Processes, f.Settings)
			}
			// What the log cost and what growing took can't be more than the run.
			p := f.Processes[0]
			cost := map[int64]int64{}
			for _, c := range numbers(`^@\d+ (\d+) \d+ (\d+) `) {
				cost[c[0]] = c[1]
			}
			var tracing int64
			for _, c := range cost {
				tracing += c
			}
			if p.Tracing != tracing || f.Growth.Time <= 0 || f.Growth.Time > p.End*int64(len(cost)) {
				t.Errorf("tracing %d, want %d; growth %+v of %d", p.Tracing, tracing, f.Growth, p.End)
			}
		})
	}
}

func TestMixedLog(t *testing.T) {
	f := reportOf(t, string(logFile(t, "mix.log")), Options{})
	var large, again bool
	for _, c := range f.Chains {
		large = large || c.Goroutines == 1 && reflect.DeepEqual(c.Sizes, []int64{2048, 4096, 131072})
		again = again || c.Count > c.Goroutines*int64(len(c.Sizes)-1)
	}
	if !large {
		t.Error("no goroutine goes to 128 KB at once, for the large frame")
	}
	if !again {
		t.Error("no goroutine grows again after it has shrunk")
	}
	for _, n := range f.Tree {
		if n.Entry.Count <= 0 || n.Count < n.Entry.Count {
			t.Errorf("root %+v", n)
		}
	}
}

// frames is a program whose functions have names and frames.
type frames map[uint64]int64

func (f *frames) Name() string { return "prog" }
func (f *frames) Err() error   { return nil }
func (f *frames) Func(pc uint64) (Place, int64, bool) {
	frame, ok := (*f)[pc]
	return Place{Func: fmt.Sprintf("f%#x", pc), File: "f.go", Line: int(pc)}, frame, ok
}
func (f *frames) Call(pc uint64) (Place, bool) { return Place{Func: "caller", Line: int(pc)}, true }

// Program implements Symbols.
func (f *frames) Program(*event.Event) Program { return f }

func TestOverflow(t *testing.T) {
	text := string(logFile(t, "overflow.log"))
	f := reportOf(t, text, Options{})
	if len(f.Overflows) != 1 {
		t.Fatalf("without symbols: %+v", f.Overflows)
	}
	o := f.Overflows[0]
	if o.Size != 1<<20 || o.Used <= 1<<20-4096 || !strings.HasPrefix(o.Callee.Func, "0x") || o.Frame != 0 || o.PID == 0 {
		t.Errorf("%+v", o)
	}
	pc, err := strconv.ParseUint(o.Callee.Func, 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	f = reportOf(t, text, Options{Symbols: &frames{pc - 0x401000: 280}})
	if len(f.Overflows) != 1 || f.Overflows[0].Frame != 280 || f.Overflows[0].Callee.File != "f.go" {
		t.Errorf("with symbols: %+v", f.Overflows)
	}
	if f = reportOf(t, text, Options{Symbols: &frames{pc - 0x401000: 16}}); len(f.Overflows) != 0 || f.Preempts == 0 {
		t.Errorf("a frame that fits: %+v", f.Overflows)
	}
	f = reportOf(t, text+strings.Join(strings.SplitAfter(text, "\n")[5:6], ""), Options{})
	if len(f.Overflows) != 0 {
		t.Errorf("the thread goes on: %+v", f.Overflows)
	}
}

func TestPlainLog(t *testing.T) {
	text := string(logFile(t, "plain.log"))
	f := reportOf(t, text, Options{Symbols: &frames{}})
	if f.Log.Stamped || f.Growth.Count != int64(strings.Count(text, "stack grow done")) || f.Growth.Time != 0 || f.Timeline.Step != 0 || len(f.Timeline.Spans) != 0 {
		t.Errorf("log %+v, growth %+v, timeline %+v", f.Log, f.Growth, f.Timeline)
	}
	if len(f.Tree) != 1 || f.Tree[0].Entry.Func.Func != Unknown || f.Processes[0].PID != 0 || f.Processes[0].Program != "prog" {
		t.Errorf("tree %+v, process %+v", f.Tree[0].Entry, f.Processes[0])
	}
	for _, s := range f.Sites {
		if s.Caller.Func != "caller" || !strings.HasPrefix(s.Callee.Func, "0x") {
			t.Errorf("%+v", s)
		}
	}
	const died = "runtime: newstack sp=0xc00100 stack=[0xc00000, 0xc00800]\n\tmorebuf={pc:0x1 sp:0x2 lr:0x0}\n\tsched={pc:0x3 sp:0x4 lr:0x0 ctxt:0x0}\n" +
		"runtime: goroutine stack exceeds 1048576-byte limit\n"
	if f = reportOf(t, text+died, Options{}); len(f.Overflows) != 1 || f.Overflows[0].Callee.Func != "0x3" || f.Overflows[0].Func.Func != Unknown {
		t.Errorf("%+v", f.Overflows)
	}
}

func TestEmptyLog(t *testing.T) {
	f := reportOf(t, "", Options{})
	var out bytes.Buffer
	if err := f.Encode(&out); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "null") {
		t.Errorf("%s", out.String())
	}
}

func BenchmarkBuild(b *testing.B) {
	text := logFile(b, "mix.log")
	var events []event.Event
	r := event.NewReader(bytes.NewReader(text))
	for {
		e, err := r.Next()
		if err != nil {
			break
		}
		events = append(events, *e)
	}
	b.Run("parsed", func(b *testing.B) {
		builder := New(Options{})
		builder.Add(&events[0])
		for b.Loop() {
			for i := range events[1:] {
				builder.Add(&events[1+i])
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(events)), "ns/event")
	})
	b.Run("whole", func(b *testing.B) {
		const times = 50
		text := bytes.Repeat(text, times)
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := Build(event.NewReader(bytes.NewReader(text)), Options{}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/times/float64(len(events)), "ns/event")
	})
}
