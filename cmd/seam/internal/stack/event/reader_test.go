package event

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// logFile is a log in testdata. Stamped ones are of programs that were built by seam stack
// trace -- go build and run with SEAM_STACK_LOG; plain.log is standard error of one that was
// built with stackDebug = 1 in runtime/stack.go. The programs lie beside the logs, but for
// hello: it is examples/stacks/hello.
func logFile(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// readAll reads a log to its end.
func readAll(t testing.TB, in io.Reader) (events []Event, unknown []string, r *Reader) {
	t.Helper()
	r = NewReader(in)
	r.Unknown = func(line []byte) { unknown = append(unknown, string(line)) }
	for {
		e, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		event := *e
		event.Calls = slices.Clone(e.Calls)
		events = append(events, event)
	}
	if int64(len(unknown)) != r.UnknownLines() || int64(len(events)) != r.Events() {
		t.Errorf("the reader counts %d events and %d unknown lines of %d and %d", r.Events(), r.UnknownLines(), len(events), len(unknown))
	}
	return events, unknown, r
}

func TestRealLogs(t *testing.T) {
	for _, name := range []string{"hello-go1.25.log", "hello-go1.26.log", "hello-go1.27.log", "mix.log", "overflow.log"} {
		t.Run(name, func(t *testing.T) {
			text := logFile(t, name)
			events, unknown, r := readAll(t, bytes.NewReader(text))
			if len(unknown) > 0 {
				t.Errorf("not understood: %q", unknown)
			}
			if n := bytes.Count(text, []byte("\n")); len(events) != n || !r.Stamped() || r.Bytes() != int64(len(text)) {
				t.Errorf("%d events of %d lines, stamped %v, %d bytes of %d", len(events), n, r.Stamped(), r.Bytes(), len(text))
			}
			if events[0].Kind != Start || events[0].Text == 0 || events[0].Guard == 0 || events[1].Kind != Settings {
				t.Errorf("begins with %+v and %+v", events[0], events[1])
			}
			if want := strings.TrimSuffix(strings.TrimPrefix(name, "hello-"), ".log"); strings.HasPrefix(name, "hello-") && !strings.HasPrefix(events[0].Version, want+".") {
				t.Errorf("version %q", events[0].Version)
			}
		})
	}
}

func TestFields(t *testing.T) {
	at := Event{PID: 7, M: 3, Time: 100, Cost: 20, CPU: 50}
	with := func(change func(*Event)) Event { e := at; change(&e); return e }
	for _, test := range []struct {
		text string
		want Event
	}{
		{"settings procs=2 start=4096 lost=5", with(func(e *Event) { e.Kind, e.Procs, e.Size, e.Lost = Settings, 2, 4096, 5 })},
		{"start version=go1.26 text=0x10 etext=0x20 guard=928 build=0x5ea3", with(func(e *Event) {
			e.Kind, e.Version, e.Text, e.Etext, e.Guard, e.Build = Start, "go1.26", 16, 32, 928, 0x5ea3
		})},
		// GOEXPERIMENT, and Go built from its repository.
		{"start version=devel go1.26-1a2b Mon Nov 2 X:jsonv2,arenas text=0x10 etext=0x20 guard=928 build=0x5ea3", with(func(e *Event) {
			e.Kind, e.Version, e.Text, e.Etext, e.Guard, e.Build = Start, "devel go1.26-1a2b Mon Nov 2 X:jsonv2,arenas", 16, 32, 928, 0x5ea3
		})},
		{"stackcacherefill order=3", with(func(e *Event) { e.Kind, e.Order = Refill, 3 })},
		{"stackcacherelease order=1", with(func(e *Event) { e.Kind, e.Order = Release, 1 })},
		{"stackcache clear", with(func(e *Event) { e.Kind = CacheClear })},
		{"stackalloc 32768", with(func(e *Event) { e.Kind, e.Size = Alloc, 32768 })},
		{"  allocated 0xc000000800", with(func(e *Event) { e.Kind, e.Lo = Allocated, 0xc000000800 })},
		{"stackfree 0xc000001000 4096", with(func(e *Event) { e.Kind, e.Lo, e.Size = Free, 0xc000001000, 4096 })},
		{"stack grow done", with(func(e *Event) { e.Kind = GrowDone })},
		{"shrinking stack 8192->4096", with(func(e *Event) { e.Kind, e.From, e.Size = Shrink, 8192, 4096 })},
		{"runtime: goroutine stack exceeds 1000-byte limit", with(func(e *Event) { e.Kind, e.Size = Exceeded, 1000 })},
		{"runtime: newstack sp=0xc00100 stack=[0xc00000, 0xc00800] \tmorebuf={pc:0x1 sp:0x2 lr:0x0} \tsched={pc:0x3 sp:0x4 lr:0x0 ctxt:0x0}  goid=9 entry=0x5 go=0x6",
			with(func(e *Event) {
				e.Kind, e.SP, e.Lo, e.Hi = NewStack, 0xc00100, 0xc00000, 0xc00800
				e.MorePC, e.MoreSP, e.SchedPC, e.SchedSP, e.GoID, e.Entry, e.Go = 1, 2, 3, 4, 9, 5, 6
			})},
		{"runtime: newstack sp=0xc00100 stack=[0xc00000, 0xc00800] \tmorebuf={pc:0x1 sp:0x2 lr:0x0} \tsched={pc:0x3 sp:0x4 lr:0x0 ctxt:0x0}  goid=9 entry=0x5 go=0x6  callers= 0x8 0x9",
			with(func(e *Event) {
				e.Kind, e.SP, e.Lo, e.Hi = NewStack, 0xc00100, 0xc00000, 0xc00800
				e.MorePC, e.MoreSP, e.SchedPC, e.SchedSP, e.GoID, e.Entry, e.Go = 1, 2, 3, 4, 9, 5, 6
				e.Calls = []uint64{8, 9}
			})},
		{"copystack gp=0x7 [0xc00000 0xc00100 0xc00800] -> [0xd00000 0xd00900 0xd01000]/4096  goid=9 entry=0x5 go=0x6",
			with(func(e *Event) {
				e.Kind, e.GP, e.Lo, e.SP, e.Hi = Copy, 7, 0xc00000, 0xc00100, 0xc00800
				e.NewLo, e.NewSP, e.NewHi, e.Size, e.GoID, e.Entry, e.Go = 0xd00000, 0xd00900, 0xd01000, 4096, 9, 5, 6
			})},
	} {
		earlier := test.want // versions had no clock of the thread
		earlier.CPU = earlier.Time
		for stamp, want := range map[string]Event{"@7 3 100 20 50 ": test.want, "@7 3 100 20 ": earlier} {
			events, unknown, _ := readAll(t, strings.NewReader("@7 0 1 0 start version=go1.26 text=0x10 etext=0x20 guard=928 build=0x5ea3\n"+stamp+test.text+"\n"))
			if len(unknown) > 0 || len(events) != 2 || !same(events[1], want) {
				t.Errorf("%s%s\n got  %+v, unknown %q\n want %+v", stamp, test.text, events[1:], unknown, want)
			}
		}
	}
}

// same compares events, one without calls in either form.
func same(a, b Event) bool {
	calls := slices.Equal(a.Calls, b.Calls)
	a.Calls, b.Calls = nil, nil
	return calls && reflect.DeepEqual(a, b)
}

// What a program could have written by chance, or with a purpose, is no event.
func TestNoEvents(t *testing.T) {
	const start = "@7 0 1 0 start version=go1.26 text=0x10 etext=0x20 guard=928 build=0x5ea3\n"
	const newstackLine = "@7 0 1 0 runtime: newstack sp=0xc00100 stack=[0xc00000, 0xc00800] \tmorebuf={pc:0x1 sp:0x2 lr:0x0} \tsched={pc:0x3 sp:0x4 lr:0x0 ctxt:0x0}  goid=9 entry=0x5 go=0x6"
	for name, line := range map[string]string{
		"no stamp":             "stackalloc 2048",
		"another process":      "@8 0 1 0 stackalloc 2048",
		"its settings alone":   "@8 0 1 0 settings procs=0 start=2048 lost=0",
		"no process":           "@0 0 1 0 stackalloc 2048",
		"a negative time":      "@7 0 -1 0 stackalloc 2048",
		"a number too large":   "@7 0 9999999999999999999 0 stackalloc 2048",
		"another number":       "@7 0 1 0 2 3 stackalloc 2048",
		"CPU time too large":   "@7 0 1 0 999999999999999999 stackalloc 2048",
		"a number far too big": "@7 0 1 0 stackalloc " + strings.Repeat("9", 200),
		"not a power of two":   "@7 0 1 0 stackalloc 3000",
		"too small":            "@7 0 1 0 stackalloc 2",
		"too large":            "@7 0 1 0 stackalloc 4294967296",
		"more on the line":     "@7 0 1 0 stackalloc 2048 bytes",
		"no number":            "@7 0 1 0 stackalloc ",
		"nil":                  "@7 0 1 0   allocated 0x0",
		"no stack's address":   "@7 0 1 0   allocated 0xc000000001",
		"an order too large":   "@7 0 1 0 stackcacherefill order=9",
		"a shrink that grows":  "@7 0 1 0 shrinking stack 2048->4096",
		"sp outside":           "@7 0 1 0 runtime: newstack sp=0xc00900 stack=[0xc00000, 0xc00800] \tmorebuf={pc:0x1 sp:0x2 lr:0x0} \tsched={pc:0x3 sp:0x4 lr:0x0 ctxt:0x0}  goid=9 entry=0x5 go=0x6",
		"no goroutine":         "@7 0 1 0 runtime: newstack sp=0xc00100 stack=[0xc00000, 0xc00800] \tmorebuf={pc:0x1 sp:0x2 lr:0x0} \tsched={pc:0x3 sp:0x4 lr:0x0 ctxt:0x0}",
		"no address of a call": newstackLine + "  callers= 0x8 main.f",
		"too many calls":       newstackLine + "  callers=" + strings.Repeat(" 0x8", mostCalls+1),
		"use that differs":     "@7 0 1 0 copystack gp=0x7 [0xc00000 0xc00100 0xc00800] -> [0xd00000 0xd00800 0xd01000]/4096  goid=9 entry=0x5 go=0x6",
		"size that differs":    "@7 0 1 0 copystack gp=0x7 [0xc00000 0xc00100 0xc00800] -> [0xd00000 0xd00900 0xd01000]/8192  goid=9 entry=0x5 go=0x6",
		"a torn line":          "@7 0 1 0 stackall@7 0 1 0 stackalloc 2048",
		"code that ends early": "@7 0 1 0 start version=x text=0x10 etext=0x2 guard=928 build=0x5ea3",
		"empty":                "",
		"binary":               "\x00\xff@7",
		"carriage return":      "@7 0 1 0 stackalloc 2048\r",
		"a very long line":     "@7 0 1 0 stackalloc 2048" + strings.Repeat(" ", 3*buffer),
	} {
		events, unknown, _ := readAll(t, strings.NewReader(start+line+"\n@7 0 2 0 stack grow done\n"))
		if len(events) != 2 || events[1].Kind != GrowDone || len(unknown) != 1 || !strings.HasPrefix(line, unknown[0]) || len(unknown[0]) > longest {
			t.Errorf("%s: %d events, unknown %.200q", name, len(events), unknown)
		}
	}
}

// A program that is killed leaves half a line.
func TestCutOff(t *testing.T) {
	events, unknown, _ := readAll(t, strings.NewReader("@7 0 1 0 start version=go1.26 text=0x10 etext=0x20 guard=928 build=0x5ea3\n@7 0 1 0 stackalloc 2048"))
	if len(events) != 1 || len(unknown) != 1 {
		t.Errorf("%d events, unknown %q", len(events), unknown)
	}
}

func TestPlainLog(t *testing.T) {
	text := string(logFile(t, "plain.log"))
	events, unknown, r := readAll(t, strings.NewReader(text))
	got := map[Kind]int{}
	for _, e := range events {
		got[e.Kind]++
		if e.Kind == NewStack && (e.MorePC == 0 || e.SchedPC == 0) {
			t.Errorf("a newstack without its lines: %+v", e)
		}
	}
	for kind, prefix := range map[Kind]string{
		NewStack: "runtime: newstack", Copy: "copystack gp=", GrowDone: "stack grow done", Alloc: "stackalloc ", Allocated: "  allocated", Free: "stackfree ",
	} {
		want := strings.Count(text, prefix)
		if kind == Alloc || kind == Free {
			want-- // one that the program wrote, and that can't be
		}
		if got[kind] != want {
			t.Errorf("%d events %s, want %d", got[kind], kind, want)
		}
	}
	if r.Stamped() || len(unknown) != 2 || !strings.HasSuffix(unknown[0], "stackalloc 3000") || unknown[1] != "stackfree 0xc000000000 1000 bytes" {
		t.Errorf("stamped %v, unknown %q", r.Stamped(), unknown)
	}
}

// The program writes between the lines of one event.
func TestPlainTorn(t *testing.T) {
	const newstack = "runtime: newstack sp=0xc00100 stack=[0xc00000, 0xc00800]\n"
	const morebuf, sched = "\tmorebuf={pc:0x1 sp:0x2 lr:0x0}\n", "\tsched={pc:0x3 sp:0x4 lr:0x0 ctxt:0x0}\n"
	for name, test := range map[string]struct {
		text  string
		kinds string
	}{
		"whole":             {newstack + morebuf + sched, "[newstack]"},
		"between":           {newstack + "hello\n" + morebuf + "hello\n" + sched, "[newstack]"},
		"before":            {"hello " + newstack + "hello " + morebuf + "hello " + sched, "[newstack]"},
		"after":             {"runtime: newstack sp=0xc00100 hello\n" + newstack + morebuf + sched, "[newstack]"},
		"never ended":       {newstack + morebuf + "stackalloc 2048\n" + sched, "[alloc]"},
		"out of order":      {newstack + sched + morebuf, "[]"},
		"begun twice":       {newstack + morebuf + newstack + morebuf + sched, "[newstack]"},
		"stamped, no start": {newstack + "@1 0 1 0 stackalloc 2048\n" + morebuf + sched, "[]"},
	} {
		events, _, _ := readAll(t, strings.NewReader(test.text))
		kinds := []Kind{}
		for _, e := range events {
			kinds = append(kinds, e.Kind)
		}
		if fmt.Sprint(kinds) != test.kinds {
			t.Errorf("%s: %v, want %s", name, kinds, test.kinds)
		}
	}
}

// The log's pieces, as a pipe gives them, make no difference.
func TestPieces(t *testing.T) {
	text := logFile(t, "hello-go1.26.log")
	whole, _, _ := readAll(t, bytes.NewReader(text))
	pieces, _, _ := readAll(t, iotest.OneByteReader(bytes.NewReader(text)))
	if !slices.EqualFunc(whole, pieces, same) {
		t.Error("byte by byte it reads otherwise")
	}
}

// Two processes may have one number, after each other.
func TestManyProcesses(t *testing.T) {
	var log strings.Builder
	const n = processes + 10
	for pid := 1; pid <= n; pid++ {
		fmt.Fprintf(&log, "@%d 0 1 0 start version=go1.26 text=0x10 etext=0x20 guard=928 build=0x5ea3\n@1 0 1 0 stackalloc 2048\n", pid)
	}
	events, unknown, r := readAll(t, strings.NewReader(log.String()))
	if len(events) != 2*n || len(unknown) > 0 {
		t.Errorf("%d events, %d unknown lines", len(events), len(unknown))
	}
	if len(r.started)+len(r.before) > 2*processes {
		t.Errorf("%d processes are remembered", len(r.started)+len(r.before))
	}
}

func TestReadErrors(t *testing.T) {
	broken := errors.New("broken")
	r := NewReader(io.MultiReader(strings.NewReader("stackalloc 2048\n"), iotest.ErrReader(broken)))
	if e, err := r.Next(); err != nil || e.Kind != Alloc {
		t.Errorf("%+v, %v", e, err)
	}
	for range 2 {
		if _, err := r.Next(); err != broken {
			t.Errorf("error %v", err)
		}
	}
	if _, err := NewReader(stuck{}).Next(); err != io.ErrNoProgress {
		t.Errorf("a reader that gives nothing: %v", err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestNoAllocation(t *testing.T) {
	text := logFile(t, "mix.log")
	r := NewReader(bytes.NewReader(bytes.Repeat(text, 20)))
	for range 100 {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(10000, func() { _, _ = r.Next() }); n > 0 {
		t.Errorf("%v allocations an event", n)
	}
}

func FuzzReader(f *testing.F) {
	for _, name := range []string{"hello-go1.26.log", "plain.log", "overflow.log"} {
		text := logFile(f, name)
		f.Add(text)
		f.Add(text[:len(text)/2])
		f.Add(bytes.ReplaceAll(text, []byte("0x"), []byte("0x0000000000")))
	}
	f.Add([]byte("@1 0 1 0 settings procs=0 start=2048 lost=0\n@1 0 1 0 settings procs=0 start=2048 lost=0\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		events, unknown, r := readAll(t, bytes.NewReader(text))
		if r.Bytes() != int64(len(text)) {
			t.Errorf("%d bytes were read of %d", r.Bytes(), len(text))
		}
		if lines := bytes.Count(text, []byte("\n")) + 1; len(events)+len(unknown) > lines {
			t.Errorf("%d events and %d unknown lines of %d", len(events), len(unknown), lines)
		}
		for _, e := range events {
			if e.Kind == 0 || e.Kind > Exceeded || r.Stamped() && e.Kind == Start && e.PID == 0 {
				t.Fatalf("%+v", e)
			}
			if e.Kind == Copy && (e.Used() < 0 || e.Used() > int64(e.Hi-e.Lo) || e.Size != int64(e.NewHi-e.NewLo)) {
				t.Fatalf("%+v", e)
			}
		}
		pieces, _, _ := readAll(t, iotest.HalfReader(bytes.NewReader(text)))
		if !slices.EqualFunc(pieces, events, same) {
			t.Error("in pieces it reads otherwise")
		}
	})
}

// repeat gives a text again and again.
type repeat struct {
	text []byte
	at   int
	left int
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.text[r.at:])
	if r.at += n; r.at == len(r.text) {
		r.at = 0
		r.left--
	}
	return n, nil
}

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"mix.log", "plain.log"} {
		b.Run(name, func(b *testing.B) {
			text := logFile(b, name)
			b.SetBytes(int64(len(text)))
			r := NewReader(&repeat{text: text, left: b.N})
			for {
				if _, err := r.Next(); err != nil {
					break
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(r.Events()), "ns/event")
		})
	}
}
