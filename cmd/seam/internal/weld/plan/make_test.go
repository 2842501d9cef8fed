package plan

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/text"
	"github.com/seamgo/seam/cmd/seam/internal/weld/callgraph"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// quick is a function that the trace speaks for.
func quick(name string) calltrace.Function {
	return calltrace.Function{
		Package: "m", Name: name, Signature: "func(_Ctype_int) _Ctype_int",
		Calls: 1_200_000, P50NS: 20, P99NS: 60, P999NS: 84, MaxNS: 9100, MaxBusyNS: 9100, CrossingNS: 25, Examined: 100,
	}
}

func with(f calltrace.Function, change func(*calltrace.Function)) calltrace.Function {
	change(&f)
	return f
}

// oneInt is the C function of that name as cgo would show it.
func oneInt(name string) cgofile.Function {
	return cgofile.Function{Name: name, Params: []string{"_Ctype_int"}, Result: "_Ctype_int"}
}

func TestRule(t *testing.T) {
	finding := func(kind callgraph.Kind, class callgraph.Class, name string, path ...string) callgraph.Function {
		return callgraph.Function{Findings: []callgraph.Finding{{Kind: kind, Class: class, Name: name, Path: path}}}
	}
	closed := finding(callgraph.External, callgraph.Harmless, "memcpy", "f")
	pointer := finding(callgraph.Indirect, "", "", "f")
	long := func(n, ns uint64) func(*calltrace.Function) {
		return func(f *calltrace.Function) {
			f.MaxBusyNS, f.Histogram = ns, []calltrace.Bin{{UpToNS: 84, Calls: f.Calls - n}, {UpToNS: ns, Calls: n}}
		}
	}
	// called has called Go, so many times in 2.4M stretches of C.
	called := func(change func(*calltrace.Between)) func(*calltrace.Function) {
		return func(f *calltrace.Function) {
			f.Callbacks, f.P999NS, f.MaxBusyNS, f.Blocked = f.Calls, 90_000, 5_000_000, 1000 // with what Go does
			f.Between = &calltrace.Between{Callbacks: f.Calls, Stretches: 2 * f.Calls, P50NS: 20, P99NS: 60, P999NS: 84, MaxNS: 9100, MaxBusyNS: 9100}
			if change != nil {
				change(f.Between)
			}
		}
	}
	for _, c := range []struct {
		name    string
		seen    func(*calltrace.Function)
		code    func(*cgofile.Function)
		proof   callgraph.Function
		mode    Mode
		comment string
	}{
		{name: "proven", proof: closed, mode: Leaf, comment: "proven: 1.2M calls, p99.9 84.0 ns, max 9.10 µs"},
		{name: "pointers", proof: finding(callgraph.Indirect, "", "", "f", "g"), mode: Leaf,
			comment: "observed: 1.2M calls, p99.9 84.0 ns, max 9.10 µs; not proven: calls through a pointer in g"},
		{name: "lock", proof: finding(callgraph.External, callgraph.Locks, "pthread_mutex_lock", "f", "g"), mode: Leaf,
			comment: "observed: 1.2M calls, p99.9 84.0 ns, max 9.10 µs; may wait for a lock (pthread_mutex_lock in g)"},
		{name: "hook", proof: finding(callgraph.Hook, "", "changed", "f", "g"), mode: Coro,
			comment: "observed: 1.2M calls, p99.9 84.0 ns, max 9.10 µs; may call Go through a pointer: f → g → changed"},
		{name: "hook, few calls", seen: func(f *calltrace.Function) { f.Calls = 9999 },
			proof: finding(callgraph.Hook, "", "changed", "f", "g"), mode: Cgo,
			comment: "too few calls (9,999 of 10,000) for code that may call Go through a pointer: f → g → changed"},
		{name: "hook, slow", seen: func(f *calltrace.Function) { f.P999NS = 5000 },
			proof: finding(callgraph.Hook, "", "changed", "f", "g"), mode: Cgo, comment: "p99.9 5.00 µs, limit 5.00 µs"},
		{name: "hook that was taken", seen: func(f *calltrace.Function) { f.Callbacks = 12 },
			proof: finding(callgraph.Hook, "", "changed", "f", "g"), mode: Cgo, comment: "called back into Go 12 times"},
		{name: "calls Go, C is short between", seen: called(nil), proof: finding(callgraph.Hook, "", "changed", "f", "g"), mode: Coro,
			comment: "observed: 1.2M calls, C without Go: p99.9 84.0 ns, max 9.10 µs; may call Go through a pointer: f → g → changed"},
		{name: "calls Go, without a proof", seen: called(nil), proof: pointer, mode: Coro,
			comment: "observed: 1.2M calls, C without Go: p99.9 84.0 ns, max 9.10 µs; called Go 1.2M times"},
		{name: "calls Go, once many times", seen: func(f *calltrace.Function) {
			called(nil)(f)
			f.Calls, f.Callbacks = 1, 1
		}, proof: pointer, mode: Coro,
			comment: "observed: 1 call, C without Go: p99.9 84.0 ns, max 9.10 µs; called Go 1.2M times"},
		{name: "calls Go, which panics", seen: func(f *calltrace.Function) {
			called(nil)(f)
			f.Abandoned = 3
		}, proof: pointer, mode: Coro,
			comment: "observed: 1.2M calls, C without Go: p99.9 84.0 ns, max 9.10 µs; called Go 1.2M times"},
		{name: "calls Go, C is long between", seen: called(func(b *calltrace.Between) { b.P999NS = 6100 }), proof: pointer, mode: Cgo,
			comment: "p99.9 6.10 µs, limit 5.00 µs; each stretch of C between its callbacks counts as a call"},
		{name: "calls Go, few stretches", seen: called(func(b *calltrace.Between) { b.Stretches = 12 }), proof: pointer, mode: Cgo,
			comment: "too few calls (12 of 1,000); each stretch of C between its callbacks counts as a call"},
		{name: "calls Go, C waits between", seen: called(func(b *calltrace.Between) { b.Blocked = 24_000 }), proof: pointer, mode: Cgo,
			comment: "blocked in 24,000 of 2,400,000 examined calls (1.00 %, limit 0.010 %); each stretch of C between its callbacks counts as a call"},
		{name: "hook, arguments on the stack", code: func(f *cgofile.Function) { f.NoEscape = true },
			proof: finding(callgraph.Hook, "", "changed", "f", "g"), mode: Cgo, comment: "may call Go through a pointer: f → g → changed"},
		{name: "hook, and it waits", proof: callgraph.Function{Findings: append(finding(callgraph.Hook, "", "changed", "f").Findings,
			finding(callgraph.External, callgraph.Blocks, "read", "f", "g").Findings...)}, mode: Coro,
			comment: "observed: 1.2M calls, p99.9 84.0 ns, max 9.10 µs; may call Go through a pointer: f → changed; reaches read by f → g → read"},
		{name: "hook deep inside, few calls", seen: func(f *calltrace.Function) { f.Calls = 9999 },
			proof: finding(callgraph.Hook, "", "changed", "f", "g", "h", "i"), mode: Cgo,
			comment: "too few calls (9,999 of 10,000) for code that may call Go through a pointer: f → g → h → i → changed"},
		{name: "hook deep inside", proof: finding(callgraph.Hook, "", "changed", "f", "g", "h", "i"), mode: Leaf,
			comment: "observed: 1.2M calls, p99.9 84.0 ns, max 9.10 µs; not proven: may call Go through a pointer: f → g → h → i → changed"},
		{name: "threads deep inside", proof: finding(callgraph.External, callgraph.Threads, "pthread_join", "f", "g", "h"), mode: Leaf,
			comment: "observed: 1.2M calls, p99.9 84.0 ns, max 9.10 µs; never seen to wait, but reaches pthread_join by f → g → h → pthread_join"},
		{name: "threads, few calls", seen: func(f *calltrace.Function) { f.Calls = 9999 },
			proof: finding(callgraph.External, callgraph.Threads, "pthread_join", "f", "g", "h"), mode: Cgo,
			comment: "too few calls (9,999 of 10,000) for code that can use threads: reaches pthread_join by f → g → h → pthread_join"},
		{name: "threads nearby", proof: finding(callgraph.External, callgraph.Threads, "pthread_cond_wait", "f", "g"), mode: Coro,
			comment: "observed: 1.2M calls, p99.9 84.0 ns, max 9.10 µs; never seen to wait, but reaches pthread_cond_wait by f → g → pthread_cond_wait"},
		{name: "a log", proof: finding(callgraph.External, callgraph.Blocks, "fprintf", "f", "g", "h"), mode: Coro,
			comment: "observed: 1.2M calls, p99.9 84.0 ns, max 9.10 µs; never seen to wait, but reaches fprintf by f → g → h → fprintf"},
		{name: "a log, and it waited once in many", seen: func(f *calltrace.Function) { f.Blocked, f.Examined = 1, 57_792 },
			proof: finding(callgraph.External, callgraph.Blocks, "fprintf", "f", "g", "h"), mode: Coro,
			comment: "observed: 1.2M calls, p99.9 84.0 ns, max 9.10 µs; waited in 1 of 57,792 calls, and reaches fprintf by f → g → h → fprintf"},
		{name: "a log that was written", seen: func(f *calltrace.Function) { f.Blocked, f.Examined = 600, 57_792 },
			proof: finding(callgraph.External, callgraph.Blocks, "fprintf", "f", "g", "h"), mode: Cgo,
			comment: "blocked in 600 of 57,792 examined calls (1.04 %, limit 0 %)"},
		{name: "a log, slow", seen: func(f *calltrace.Function) { f.P999NS = 5000 },
			proof: finding(callgraph.External, callgraph.Blocks, "fprintf", "f", "g", "h"), mode: Cgo, comment: "p99.9 5.00 µs, limit 5.00 µs"},
		{name: "a log, few calls", seen: func(f *calltrace.Function) { f.Calls = 999 },
			proof: finding(callgraph.External, callgraph.Blocks, "fprintf", "f"), mode: Cgo, comment: "too few calls (999 of 1,000)"},
		{name: "a log, arguments on the stack", code: func(f *cgofile.Function) { f.NoEscape = true },
			proof: finding(callgraph.External, callgraph.Blocks, "fprintf", "f", "g"), mode: Cgo, comment: "proven: reaches fprintf by f → g → fprintf"},
		{name: "calls Go", proof: finding(callgraph.Callback, "", "goFunction", "f"), mode: Coro,
			comment: "observed: 1.2M calls, p99.9 84.0 ns, max 9.10 µs; proven: calls Go: f → goFunction"},
		{name: "unknown library", proof: finding(callgraph.External, callgraph.Unknown, "png_read", "f"), mode: Leaf,
			comment: "observed: 1.2M calls, p99.9 84.0 ns, max 9.10 µs; not proven: calls png_read in f, which is not known"},
		{name: "qsort", proof: finding(callgraph.External, callgraph.CallsBack, "qsort", "f"), mode: Leaf,
			comment: "observed: 1.2M calls, p99.9 84.0 ns, max 9.10 µs; not proven: qsort in f calls a function that it is given"},
		{name: "assembly", proof: finding(callgraph.Assembly, "", "syscall", "f"), mode: Leaf,
			comment: "observed: 1.2M calls, p99.9 84.0 ns, max 9.10 µs; not proven: inline assembly (syscall) in f"},
		{name: "never called", seen: func(f *calltrace.Function) { f.Calls = 0 }, proof: closed, mode: Cgo, comment: "never called in the trace"},
		{name: "few calls", seen: func(f *calltrace.Function) { f.Calls = 999 }, proof: pointer, mode: Cgo, comment: "too few calls (999 of 1,000)"},
		{name: "few calls for a proof", seen: func(f *calltrace.Function) { f.Calls = 99 }, proof: closed, mode: Cgo, comment: "too few calls (99 of 100)"},
		{name: "enough calls for a proof", seen: func(f *calltrace.Function) { f.Calls = 100 }, proof: closed, mode: Leaf, comment: "proven: 100 calls, p99.9 84.0 ns, max 9.10 µs"},
		{name: "enough calls", seen: func(f *calltrace.Function) { f.Calls = 1000 }, proof: closed, mode: Leaf, comment: "proven: 1k calls, p99.9 84.0 ns, max 9.10 µs"},
		{name: "slow", seen: func(f *calltrace.Function) { f.P999NS = 5000 }, proof: closed, mode: Cgo, comment: "p99.9 5.00 µs, limit 5.00 µs"},
		{name: "just quick enough", seen: func(f *calltrace.Function) { f.P999NS = 4999 }, proof: closed, mode: Leaf, comment: "proven: 1.2M calls, p99.9 5.00 µs, max 9.10 µs"},
		{name: "slow once", seen: func(f *calltrace.Function) { f.MaxBusyNS, f.Calls = 50_000, 99_999 }, proof: pointer, mode: Leaf,
			comment: "observed: 100k calls, p99.9 84.0 ns, max 50.0 µs; not proven: calls through a pointer in f"},
		{name: "slow less often than the limit", seen: long(100, 95_000), proof: pointer, mode: Leaf,
			comment: "observed: 1.2M calls, p99.9 84.0 ns, max 95.0 µs; not proven: calls through a pointer in f"},
		{name: "slow but off the processor", seen: func(f *calltrace.Function) { long(900, 95_000)(f); f.Preempted = 800 }, proof: pointer, mode: Leaf,
			comment: "observed: 1.2M calls, p99.9 84.0 ns, max 95.0 µs; not proven: calls through a pointer in f"},
		{name: "slow too often", seen: long(130, 95_000), proof: pointer, mode: Cgo,
			comment: "ran for 50.0 µs or longer 130 times, of which the machine explains 0.4 (limit of the others 1 in 10,000)"},
		{name: "slow too often for a proof", seen: long(1300, 95_000), proof: closed, mode: Cgo,
			comment: "ran for 50.0 µs or longer 1.3k times, of which the machine explains 0.4 (limit of the others 1 in 1,000)"},
		{name: "very slow once", seen: long(1, 10_000_000), proof: pointer, mode: Cgo, comment: "ran for 10.0 ms, limit 10.0 ms"},
		{name: "very slow once, with a proof", seen: long(1, 10_000_000), proof: closed, mode: Leaf, comment: "proven: 1.2M calls, p99.9 84.0 ns, max 10.0 ms"},
		{name: "blocked once in many", seen: func(f *calltrace.Function) { f.Blocked, f.Examined = 1, 57_792 }, proof: pointer, mode: Leaf,
			comment: "observed: 1.2M calls, p99.9 84.0 ns, max 9.10 µs; waited in 1 of 57,792 calls; not proven: calls through a pointer in f"},
		{name: "blocked once in few", seen: func(f *calltrace.Function) { f.Blocked, f.Examined = 1, 5000 }, proof: pointer, mode: Cgo,
			comment: "blocked in 1 of 5,000 examined calls (0.020 %, limit 0.010 %)"},
		{name: "blocked once, and there are locks", seen: func(f *calltrace.Function) { f.Blocked, f.Examined = 1, 57_792 },
			proof: finding(callgraph.External, callgraph.Locks, "pthread_mutex_lock", "f"), mode: Coro,
			comment: "observed: 1.2M calls, p99.9 84.0 ns, max 9.10 µs; waited in 1 of 57,792 calls, and may wait for a lock (pthread_mutex_lock in f)"},
		{name: "off the processor once", seen: func(f *calltrace.Function) { f.MaxNS = 5_000_000 }, proof: closed, mode: Leaf,
			comment: "proven: 1.2M calls, p99.9 84.0 ns, max 9.10 µs"},
		{name: "blocked", seen: func(f *calltrace.Function) { f.Blocked, f.Examined = 3, 40 }, proof: closed, mode: Cgo, comment: "blocked in 3 of 40 examined calls (7.50 %, limit 1.00 %)"},
		{name: "waits for ever", seen: func(f *calltrace.Function) { f.Unfinished, f.MaxNS = 1, 2_000_000_000 }, proof: closed, mode: Cgo,
			comment: "a call had not returned after 2.00 s when the program ended"},
		{name: "the program ended in the middle", seen: func(f *calltrace.Function) { f.Unfinished = 1 }, proof: closed, mode: Leaf,
			comment: "proven: 1.2M calls, p99.9 84.0 ns, max 9.10 µs"},
		{name: "called back", seen: func(f *calltrace.Function) { f.Callbacks = 12 }, proof: closed, mode: Cgo, comment: "called back into Go 12 times"},
		{name: "called back once", seen: func(f *calltrace.Function) { f.Callbacks = 1 }, proof: closed, mode: Cgo, comment: "called back into Go once"},
		{name: "a C function as argument",
			seen:  func(f *calltrace.Function) { f.Signature = "func(*[0]byte) _Ctype_int" },
			code:  func(f *cgofile.Function) { f.Params = []string{"*[0]byte"} },
			proof: closed, mode: Coro, comment: "observed: 1.2M calls, p99.9 84.0 ns, max 9.10 µs; takes a C function pointer, which may call Go"},
		{name: "another type", code: func(f *cgofile.Function) { f.Result = "" }, proof: closed, mode: Cgo,
			comment: "its type has changed since the trace, where it was func(_Ctype_int) _Ctype_int"},
		{name: "unknown form", code: func(f *cgofile.Function) { f.Reason = "odd" }, proof: closed, mode: Cgo, comment: "can't be welded: odd"},
	} {
		seen, code := quick("f"), oneInt("f")
		if c.seen != nil {
			c.seen(&seen)
		}
		if c.code != nil {
			c.code(&code)
		}
		d := rule{Options: Options{}.withDefaults()}.decide("m", code, &seen, &c.proof)
		if d.Mode != c.mode || d.Comment != c.comment {
			t.Errorf("%s: %s # %s\nwant %s # %s", c.name, d.Mode, d.Comment, c.mode, c.comment)
		}
		if d.Sig != code.Sig() {
			t.Errorf("%s: sig %s, want %s", c.name, d.Sig, code.Sig())
		}
		if _, way := d.Why.WayOut(); c.mode == Cgo && way == "" {
			t.Errorf("%s: no way out of: %s", c.name, d.Comment)
		}
		if (d.Gain.Lo > 0) != (c.mode != Cgo) {
			t.Errorf("%s: gain %v", c.name, d.Gain)
		}
	}
	o := Options{}.withDefaults()
	if d := (rule{Options: o}).decide("m", oneInt("f"), nil, nil); d.Mode != Cgo || d.Comment != "not in the trace" {
		t.Errorf("without a trace: %s # %s", d.Mode, d.Comment)
	}
	seen := quick("f")
	if d := (rule{Options: o}).decide("m", oneInt("f"), &seen, nil); d.Mode != Leaf || d.Basis != Observed {
		t.Errorf("without a proof: %s, %s", d.Mode, d.Basis)
	}
}

func TestUnion(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	file := func(name string, n int, functions ...calltrace.Function) Trace {
		return Trace{name, &calltrace.File{Time: day(n), Functions: functions}}
	}
	// Many quick calls and a few slow ones.
	many := with(quick("f"), func(f *calltrace.Function) { f.Histogram = []calltrace.Bin{{UpToNS: 84, Calls: f.Calls}} })
	slow := with(quick("f"), func(f *calltrace.Function) {
		f.Calls, f.P999NS, f.MaxBusyNS, f.Blocked, f.MaxThreads = 1100, 900, 20_000, 1, 4
		f.Histogram = []calltrace.Bin{{UpToNS: 900, Calls: 1100}}
	})
	few := with(slow, func(f *calltrace.Function) { f.Calls, f.Histogram = 10, []calltrace.Bin{{UpToNS: 900, Calls: 10}} })

	all, warnings := union([]Trace{file("a", 1, many), file("b", 2, slow)}, MinCalls)
	f := all["m.f"]
	if len(warnings) != 0 || f.Calls != many.Calls+1100 || f.P999NS != 900 || f.MaxBusyNS != 20_000 || f.Blocked != 1 || f.MaxThreads != 4 ||
		!slices.Equal(f.Histogram, []calltrace.Bin{{UpToNS: 84, Calls: many.Calls}, {UpToNS: 900, Calls: 1100}}) {
		t.Errorf("%+v, %q", f, warnings)
	}
	// Too few calls for a quantile of their own count with all others.
	all, _ = union([]Trace{file("a", 1, many), file("b", 2, few)}, MinCalls)
	if f := all["m.f"]; f.P999NS != 84 || f.MaxBusyNS != 20_000 {
		t.Errorf("p99.9 %d, max %d; want 84 and 20000", f.P999NS, f.MaxBusyNS)
	}
	// The newest type wins, in whatever order the files are given.
	other := with(slow, func(f *calltrace.Function) { f.Signature = "func()" })
	all, warnings = union([]Trace{file("new", 3, other), file("old", 1, many)}, MinCalls)
	if f := all["m.f"]; f.Signature != "func()" || f.Calls != 1100 {
		t.Errorf("%+v", f)
	}
	want := "new: m.f is func() here and func(_Ctype_int) _Ctype_int in old, which is older and not used"
	if len(warnings) != 1 || warnings[0] != want {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
}

// What C did between callbacks adds up only where all traces that saw some tell it.
func TestUnionOfStretches(t *testing.T) {
	none := quick("f")
	some := with(quick("f"), func(f *calltrace.Function) {
		f.Callbacks = 5
		f.Between = &calltrace.Between{Callbacks: 7, Stretches: f.Calls + 7, MaxNS: 9100, MaxBusyNS: 9100, Histogram: []calltrace.Bin{{UpToNS: 84, Calls: f.Calls + 7}}}
	})
	older := with(quick("f"), func(f *calltrace.Function) { f.Callbacks = 5 })
	of := func(list ...calltrace.Function) *calltrace.Function {
		var traces []Trace
		for _, f := range list {
			traces = append(traces, Trace{"t", &calltrace.File{Functions: []calltrace.Function{f}}})
		}
		all, _ := union(traces, MinCalls)
		return all["m.f"]
	}
	if b := of(none, none).Between; b != nil {
		t.Errorf("no trace saw callbacks: %+v", b)
	}
	if b := of(none, some, some).Between; b == nil || b.Callbacks != 14 || b.Stretches != 3*none.Calls+14 {
		t.Errorf("two of three traces saw 7 callbacks each: %+v", b)
	}
	for _, list := range [][]calltrace.Function{{some, older}, {older, some}, {older, none}} {
		if b := of(list...).Between; b != nil {
			t.Errorf("an older trace doesn't tell: %+v", b)
		}
	}
}

// program is a small program with its trace.
func program() ([]Trace, []Code) {
	file := &calltrace.File{
		Go: "go1.26.8", OS: "linux", Arch: "amd64", Time: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC),
		Command: []string{"go", "test", "./..."},
		Functions: []calltrace.Function{
			quick("column_int"), with(quick("step"), func(f *calltrace.Function) { f.P999NS = 6100; f.Calls = 900_000 }),
			with(quick("exec"), func(f *calltrace.Function) { f.Callbacks = 12 }), with(quick("open"), func(f *calltrace.Function) { f.Calls = 2 }),
			quick("gone"),
		},
	}
	code := []Code{{Package: gotool.Package{ImportPath: "m"}}}
	for _, name := range []string{"close", "column_int", "exec", "open", "step"} {
		code[0].Functions = append(code[0].Functions, oneInt(name))
	}
	code[0].Proof = &callgraph.Package{Functions: map[string]*callgraph.Function{"column_int": {Name: "column_int"}}}
	return []Trace{{"seam.trace", file}}, code
}

func TestMake(t *testing.T) {
	traces, code := program()
	r := Make(traces, code, Options{Budget: 30 * time.Microsecond, Now: Made{Go: "go1.27.0", OS: "linux", Arch: "arm64"}})
	var b bytes.Buffer
	if err := r.Plan.Format(&b, r.Origin...); err != nil {
		t.Fatal(err)
	}
	golden(t, "make.plan", b.Bytes())
	want := []string{
		"seam.trace: made with go1.26.8, and this is go1.27.0: crossings may cost more or less",
		"seam.trace: made on linux/amd64, and this is linux/arm64: C may be faster or slower here",
	}
	if !slices.Equal(r.Warnings, want) {
		t.Errorf("warnings %q, want %q", r.Warnings, want)
	}
	b.Reset()
	if err := r.WriteText(&b, text.Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	golden(t, "summary-100.txt", b.Bytes())
	b.Reset()
	if err := r.WriteText(&b, text.Options{Width: 40}); err != nil {
		t.Fatal(err)
	}
	golden(t, "summary-40.txt", b.Bytes())
}

// Whether it is worth the trouble is said first, and "nothing" only where the upper end is
// nothing too.
func TestGained(t *testing.T) {
	for _, c := range []struct {
		program, gain Range
		want          string
	}{
		{exactly(629e6), exactly(4e6), "Nothing to gain here: leaf calls would save about 4.00 ms, 0.6 % of the traced program's processor time."},
		{exactly(629e6), exactly(20e6), "Little to gain here: leaf calls would save about 20.0 ms, 3.2 % of the traced program's processor time."},
		{Range{100e6, 629e6}, Range{4e6, 6e6}, "Leaf calls would save about 4.00 ms, 0.6–6.0 % of the traced program's processor time."},
		{Range{800e6, 5050e6}, Range{598e6, 598e6}, "Leaf calls would save about 598 ms, 12–75 % of the traced program's processor time."},
		{Range{1e6, 1e9}, exactly(0.5e6), "Leaf calls would save about 500 µs, up to 50 % of the traced program's processor time."},
		{Range{}, exactly(40e6), "Leaf calls would save about 40.0 ms."},
		{Range{}, Range{}, "Nothing to gain here: no function that was called can be a leaf or coro."},
	} {
		if got := (&Result{Program: c.program}).gained("Leaf", c.gain); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// What tracing took is no time of the program's, nor is time in which it slept.
func TestUntraced(t *testing.T) {
	quick := calltrace.Function{Calls: 1000, TotalNS: 900_000, P50NS: 20, CrossingNS: 30} // 20_000, but for the machine
	for _, c := range []struct {
		name string
		file calltrace.File
		want Range
	}{
		{"hardly any calls", calltrace.File{OverheadNS: 100, Processes: []calltrace.Process{{WallNS: 9e9, CPUNS: 600_000_000}, {WallNS: 9e9, CPUNS: 400_000_000}},
			Functions: []calltrace.Function{quick}}, Range{1e9 - 130_000, 1e9 - 80_000}},
		{"calls alone", calltrace.File{OverheadNS: 100, Processes: []calltrace.Process{{WallNS: 400_000, CPUNS: 150_000}},
			Functions: []calltrace.Function{quick}}, Range{40_000, 70_000}},
		{"waits and Go that C called", calltrace.File{OverheadNS: 1, Processes: []calltrace.Process{{CPUNS: 3_000}},
			Functions: []calltrace.Function{{Calls: 1000, TotalNS: 500_000, P50NS: 450, CrossingNS: 1, BlockedNS: 400_000,
				Callbacks: 1000, Between: &calltrace.Between{Stretches: 2000, P50NS: 1}}}}, Range{2_000, 2_200}},
		{"processor time isn't known", calltrace.File{OverheadNS: 1, Processes: []calltrace.Process{{WallNS: 100_000}},
			Functions: []calltrace.Function{quick}}, Range{98_700, 99_200}},
	} {
		if got := untraced(&c.file); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// What leaves save besides the crossing counts at the upper end: allocations of what arguments
// point to, where they may stay on the stack, and cgo's check.
func TestGainOfArguments(t *testing.T) {
	f := cgofile.Function{Name: "f", Params: []string{"*_Ctype_char", "_Ctype_int", "unsafe.Pointer"}}
	for exports, want := range map[bool]float64{false: 2 * (checkNS + allocateNS), true: 2 * checkNS} {
		if got := (rule{exports: exports}).besides(f, &calltrace.Function{Calls: 1}); got != want {
			t.Errorf("exports %v: %v ns, want %v", exports, got, want)
		}
	}
	traces, code := program()
	traces[0].File.Processes = []calltrace.Process{{CPUNS: 1e9}}
	r := Make(traces, code, Options{})
	if d := r.Decisions[1]; !strings.HasSuffix(d.Comment, "; brings 2.6 %") {
		t.Errorf("%s # %s", d.Func, d.Comment)
	}
}

func TestPartialTraceIsSaid(t *testing.T) {
	traces, code := program()
	traces[0].File.Failed = "the go command ended with code 1"
	said := strings.Join(Make(traces, code, Options{}).Warnings, "\n")
	for _, want := range []string{"the trace is partial", "code 1"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in the warnings:\n%s", want, said)
		}
	}
}

// Every reason has a way out, or none is possible.
func TestWaysOut(t *testing.T) {
	traces, code := program()
	for _, d := range Make(traces, code, Options{}).Decisions {
		if _, way := d.Why.WayOut(); d.Mode == Cgo && way == "" {
			t.Errorf("%s: no way out of: %s", d.Func, d.Comment)
		}
	}
}

// What may be tried as coro is what lacks evidence or takes long; not what waits, or isn't called.
func TestBold(t *testing.T) {
	traces, code := program()
	waits := with(quick("close"), func(f *calltrace.Function) { f.Blocked, f.Examined = 90, 100 })
	traces[0].File.Functions = append(traces[0].File.Functions, waits)
	r := Make(traces, code, Options{})
	p, n := r.Bold()
	modes := map[string]Mode{}
	for _, e := range p.Entries {
		modes[e.Func] = e.Mode
	}
	if want := (map[string]Mode{"column_int": Leaf, "close": Cgo, "exec": Coro, "open": Coro, "step": Coro}); n != 3 || !maps.Equal(modes, want) {
		t.Errorf("%d changed: %v, want %v", n, modes, want)
	}
	if r.Plan.Entries[2].Mode != Cgo {
		t.Error("the plan itself has changed")
	}
	q, n := Without(p, "demoted", func(e Entry) bool { return e.Func == "step" || e.Func == "close" })
	if n != 1 || q.Entries[4].Mode != Cgo || q.Entries[4].Comment != "demoted" || p.Entries[4].Mode != Coro {
		t.Errorf("%d changed: %+v", n, q.Entries[4])
	}
}

func TestWorth(t *testing.T) {
	in := func(importPath string, f calltrace.Function) calltrace.Function { f.Package = importPath; return f }
	file := &calltrace.File{Functions: []calltrace.Function{
		in("good", quick("f")), in("good", with(quick("g"), func(f *calltrace.Function) { f.P999NS = 5000 })),
		in("slow", with(quick("f"), func(f *calltrace.Function) { f.P999NS = 5000 })),
		in("idle", with(quick("f"), func(f *calltrace.Function) { f.Calls = 0 })),
	}}
	worth := Options{}.Worth([]Trace{{"seam.trace", file}})
	for importPath, want := range map[string]bool{"good": true, "slow": false, "idle": false, "other": false} {
		if worth[importPath] != want {
			t.Errorf("proofs for %s: %v, want %v", importPath, worth[importPath], want)
		}
	}
}

func TestAnotherBuildIsSaid(t *testing.T) {
	traces, code := program()
	file := traces[0].File
	file.Functions = file.Functions[:3]
	for _, c := range []struct {
		name, traced, now string
		said              bool
	}{
		{"the same", "0123456789ab", "0123456789ab", false},
		{"another", "0123456789ab", "ba9876543210", true},
		{"not known", "0123456789ab", "", false},
	} {
		code[0].Build = c.traced
		file.Build = buildOf(file, code)
		code[0].Build = c.now
		r := Make(traces, code, Options{})
		if said := strings.Contains(strings.Join(r.Warnings, "\n"), "made from another build"); said != c.said {
			t.Errorf("%s: warnings %q", c.name, r.Warnings)
		}
	}
}

func TestMerge(t *testing.T) {
	traces, code := program()
	old, err := Parse("old.plan", []byte(`# seam.plan 1
leaf m.step keep budget=50us # we know
coro m.exec # by hand
cgo m.column_int # by an older trace
leaf m.gone
cgo m.gone_too
leaf other.f # of another trace
threads: 64 # enough
trim: 2s # at night
coro m.open # observed: by an older trace
leaf m.close sig=00000000 # of another type
`))
	if err != nil {
		t.Fatal(err)
	}
	r := Make(traces, code, Options{})
	changes := r.Merge(old, code)
	want := []string{
		"old.plan:4: m.column_int was cgo and is now leaf: proven: 1.2M calls, p99.9 84.0 ns, max 9.10 µs",
		"old.plan:5: m.gone is no longer called: its line is left out",
		"old.plan:11: m.close was leaf and is now cgo: not in the trace",
	}
	if !slices.Equal(changes, want) {
		t.Errorf("changes\n%s\nwant\n%s", strings.Join(changes, "\n"), strings.Join(want, "\n"))
	}
	var b bytes.Buffer
	if err := r.Plan.Format(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"leaf m.step       budget=50us keep         # we know\n", "coro m.exec       budget=20us              # by hand\n", "leaf other.f budget=20us # of another trace\n", "threads: 64 # enough\n", "trim: 2s # at night\n"} {
		if !strings.Contains(b.String(), "\n"+line) {
			t.Errorf("the line %q is missing in\n%s", line, b.String())
		}
	}
	var summary bytes.Buffer
	if err := r.WriteText(&summary, text.Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	if want := "2 leaf (1 proven, 0 observed, 1 kept), 2 coro, "; !strings.Contains(summary.String(), want) {
		t.Errorf("the summary lacks %q:\n%s", want, summary.String())
	}
	// A plan that is made again from its own result stays as it is.
	again, err := Parse("old.plan", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	r = Make(traces, code, Options{})
	if changes := r.Merge(again, code); len(changes) != 0 {
		t.Errorf("the second time there are changes: %q", changes)
	}
	var c bytes.Buffer
	if err := r.Plan.Format(&c); err != nil {
		t.Fatal(err)
	}
	if c.String() != b.String() {
		t.Errorf("the second time the plan is\n%s\nwas\n%s", c.String(), b.String())
	}
}

func TestCheck(t *testing.T) {
	_, code := program()
	code[0].Functions = append(code[0].Functions,
		cgofile.Function{Name: "sort", Params: []string{"unsafe.Pointer", "*[0]byte"}},
		cgofile.Function{Name: "strange", Reason: "its Go stub is odd"})
	sig := oneInt("x").Sig()
	p, err := Parse("seam.plan", []byte(`# seam.plan 1
leaf m.column_int sig=`+sig+`
leaf m.column_itn
leaf m.step sig=00000000
leaf m.sort
leaf m.strange
cgo m.exec
cgo elsewhere.f
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range p.Check(code) {
		got = append(got, x.String())
	}
	want := []string{
		"seam.plan:3: package m calls no C function column_itn; did you mean column_int?",
		"seam.plan:4: the type of m.step has changed: it is now func(_Ctype_int) _Ctype_int, sig=" + sig + " (look at the function, then run seam plan)",
		"seam.plan:5: m.sort takes a C function pointer (func(unsafe.Pointer, *[0]byte)), which may call Go: it can't be a leaf",
		"seam.plan:6: m.strange can't be welded: its Go stub is odd",
		"seam.plan:8: package elsewhere is not part of this program, or doesn't use cgo",
		"seam.plan: m.close has no line (run seam plan)",
		"seam.plan: m.open has no line (run seam plan)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The word closed stands where a call graph proves it and something hangs on it, and only there.
func TestClosed(t *testing.T) {
	traces, code := program()
	word := func() bool {
		for _, d := range Make(traces, code, Options{}).Decisions {
			if d.Func == "column_int" {
				return d.Closed
			}
		}
		t.Fatal("column_int is not in the plan")
		return false
	}
	f := &callgraph.Function{Findings: []callgraph.Finding{{Kind: callgraph.External, Class: callgraph.Harmless, Name: "memcpy", Path: []string{"f"}}}}
	for _, c := range []struct {
		name    string
		exports bool
		proof   *callgraph.Package
		why     string
		want    bool
	}{
		{"proven", true, &callgraph.Package{}, "", true},
		{"not proven", true, &callgraph.Package{}, "a call through a pointer in g", false},
		{"no exports", false, &callgraph.Package{}, "", false},
		{"no proofs", true, nil, "", false},
		{"no call graph", true, &callgraph.Package{Missing: "no compiler"}, "", false},
	} {
		code[0].Exports, code[0].Proof = c.exports, c.proof
		if f.MayCallGo = c.why; c.proof != nil && c.proof.Missing == "" {
			c.proof.Functions = map[string]*callgraph.Function{"column_int": f}
		}
		if got := word(); got != c.want {
			t.Errorf("%s: closed is %v", c.name, got)
		}
	}
	p, err := Parse("seam.plan", []byte("leaf m.column_int closed\n"))
	if err != nil {
		t.Fatal(err)
	}
	code[0].Exports, code[0].Proof = true, &callgraph.Package{Functions: map[string]*callgraph.Function{"column_int": f}}
	for why, want := range map[string]string{
		"": "", "a call through a pointer in g": "seam.plan:1: m.column_int is not closed: a call through a pointer in g (if it calls Go, the program ends; take the word out of the line)",
	} {
		f.MayCallGo = why
		if got := p.Check(code)[0].String(); strings.HasPrefix(got, "seam.plan:1") != (want != "") || want != "" && got != want {
			t.Errorf("%q: %s", why, got)
		}
	}
}

func TestKeptLeafThatWillDieIsTold(t *testing.T) {
	for kind, want := range map[Kind]bool{CallsGo: true, CalledBack: true, TakesPointer: true, MayWait: true, SlowQuantile: false, FewCalls: false} {
		reason := because(kind, "x", "y", "z")
		r := &Result{
			Plan:      &Plan{Entries: []Entry{{Mode: Cgo, Package: "m", Func: "f"}}},
			Decisions: []Decision{{Entry: Entry{Mode: Cgo, Package: "m", Func: "f"}, Why: reason}},
		}
		code := []Code{{}}
		code[0].Package.ImportPath = "m"
		changes := r.Merge(&Plan{Name: "old.plan", Entries: []Entry{{Mode: Leaf, Package: "m", Func: "f", Keep: true, Line: 7}}}, code)
		if told := len(changes) == 1; told != want {
			t.Errorf("%s: %q", reason, changes)
		}
	}
}

// Tables show the end of a package's path, and that is what people copy.
func TestCheckKnowsEndsOfPaths(t *testing.T) {
	p := &Plan{Name: "seam.plan", Entries: []Entry{{Mode: Leaf, Package: "go-sqlite3", Func: "sqlite3_step", Line: 1}}}
	code := []Code{{Package: gotool.Package{ImportPath: "github.com/mattn/go-sqlite3"}}}
	list := p.Check(code)
	if len(list) == 0 || !strings.HasSuffix(list[0].Text, "did you mean github.com/mattn/go-sqlite3?") {
		t.Errorf("%v", list)
	}
}
