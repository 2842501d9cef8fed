package plan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/text"
	"github.com/seamgo/seam/cmd/seam/internal/weld/callgraph"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// waiting is a function in which threads wait for a socket.
func waiting(name string, threads int) calltrace.Function {
	return with(quick(name), func(f *calltrace.Function) {
		f.Calls, f.Examined, f.Blocked, f.MaxThreads = 5000, 5000, 4990, threads
		f.TotalNS, f.BlockedNS, f.P50NS, f.P999NS, f.MaxBusyNS = 5e11, 49e10, 1e8, 1e9, 1e9
		f.Looks, f.StackBytes = 1000, 40_000
		f.Waits = []calltrace.Wait{{In: "recv", Call: "recvfrom", Looks: 990, NS: 99e9}, {In: "poll", Call: "poll", Looks: 10, NS: 1e9}}
	})
}

func TestPark(t *testing.T) {
	const in = "observed: 500 threads at once; waits in recv (99 %), poll (1 %)"
	const blocked = "blocked in 4,990 of 5,000 examined calls (99.8 %, limit 0.010 %), in "
	few := waiting("other", 3) // that is parked with the first one
	for _, c := range []struct {
		name           string
		change         func(*calltrace.Function)
		code           func(*cgofile.Function)
		proof          *callgraph.Function
		mode, other    Mode
		comment, stack string
	}{
		{name: "sockets", mode: Park, other: Park, comment: in},
		{name: "C that is proven to wait", proof: &callgraph.Function{Findings: []callgraph.Finding{{Kind: callgraph.External, Class: callgraph.Blocks, Name: "recv", Path: []string{"f"}}}},
			mode: Park, other: Park, comment: in},
		{name: "a large stack", change: func(f *calltrace.Function) { f.StackBytes = 3 << 20 }, mode: Park, other: Park, comment: in, stack: "stack=8MiB"},
		{name: "few threads", change: func(f *calltrace.Function) { f.MaxThreads = 15 }, mode: Cgo, other: Cgo,
			comment: blocked + "recv (99 %), poll (1 %); 15 threads at once, park from 16 on"},
		{name: "hardly looked at", change: func(f *calltrace.Function) { f.Waits = f.Waits[1:]; f.Waits[0].Looks = 9 }, mode: Cgo, other: Cgo,
			comment: blocked + "poll (100 %); 500 threads at once, park from 16 on"},
		{name: "a file", change: func(f *calltrace.Function) {
			f.Waits[0] = calltrace.Wait{In: "read", Call: "read", On: "file", Looks: 990, NS: 99e9}
		}, mode: Cgo, other: Cgo,
			comment: blocked + "read of a file (99 %), poll (1 %); read of a file can't be made cooperative"},
		{name: "a lock is held", change: func(f *calltrace.Function) {
			f.Waits[0].Searched, f.Waits[0].Held, f.Waits[1].Searched = 30, 5, 10
			f.Waits[0].Local = []string{"libx.so.1"}
		}, mode: Park, other: Park, comment: in + ", with a lock held in 12.5 %"},
		{name: "a pipe", change: func(f *calltrace.Function) {
			f.Waits[0] = calltrace.Wait{In: "read", Call: "read", On: "pipe", Looks: 990, NS: 99e9}
		}, mode: Park, other: Park,
			comment: "observed: 500 threads at once; waits in read of a pipe (99 %), poll (1 %)"},
		{name: "a futex that is asked for", change: func(f *calltrace.Function) {
			f.Waits[0] = calltrace.Wait{In: "syscall", Call: "futex", Looks: 990, NS: 99e9}
		}, mode: Park, other: Park,
			comment: "observed: 500 threads at once; waits in syscall (99 %), poll (1 %)"},
		{name: "another system call that is asked for", change: func(f *calltrace.Function) {
			f.Waits[0] = calltrace.Wait{In: "syscall", Call: "epoll_wait", Looks: 990, NS: 99e9}
		}, mode: Cgo, other: Cgo,
			comment: blocked + "syscall (99 %), poll (1 %); syscall can't be made cooperative"},
		{name: "a lock of libc's own", change: func(f *calltrace.Function) {
			f.Waits[1] = calltrace.Wait{In: "malloc", Call: "futex", Looks: 30, NS: 3e9}
		}, mode: Cgo, other: Cgo,
			comment: blocked + "recv (97 %), malloc (3 %); malloc can't be made cooperative"},
		{name: "hardly ever a lock of libc's own", change: func(f *calltrace.Function) {
			f.Waits[1] = calltrace.Wait{In: "malloc", Call: "futex", Looks: 1, NS: 1e7}
		}, mode: Park, other: Park,
			comment: "observed: 500 threads at once; waits in recv (100 %)"},
		{name: "pages", change: func(f *calltrace.Function) {
			f.Waits[1] = calltrace.Wait{In: "memcpy", Call: "page fault", Looks: 30, NS: 3e9}
		}, mode: Park, other: Park,
			comment: "observed: 500 threads at once; waits in recv (97 %), memcpy (3 %)"},
		{name: "unknown place", change: func(f *calltrace.Function) { f.Waits[0].In = "" }, mode: Cgo, other: Cgo,
			comment: blocked + "recvfrom (99 %), poll (1 %); recvfrom can't be made cooperative"},
		{name: "it works", change: func(f *calltrace.Function) { f.BlockedNS, f.Running = 1e11, 900 }, mode: Cgo, other: Cgo,
			comment: blocked + "recv (99 %), poll (1 %); it works more than it waits: 80.0 ms in each call"},
		{name: "a crowd that waits often", change: func(f *calltrace.Function) { f.P50NS, f.MaxThreads, f.Blocked = 20, 128, 1250 }, mode: Park, other: Park,
			comment: "observed: 128 threads at once; waits in recv (99 %), poll (1 %)"},
		{name: "a crowd that waits seldom", change: func(f *calltrace.Function) { f.P50NS, f.Blocked = 20, 1249 }, mode: Cgo, other: Cgo,
			comment: "blocked in 1,249 of 5,000 examined calls (25.0 %, limit 0.010 %), in recv (99 %), poll (1 %); half of its calls return within 20.0 ns, and parked each takes 10.0 µs or more"},
		{name: "hardly ever waits", change: func(f *calltrace.Function) { f.P50NS, f.MaxThreads = 20, 127 }, mode: Cgo, other: Cgo,
			comment: blocked + "recv (99 %), poll (1 %); half of its calls return within 20.0 ns, and parked each takes 10.0 µs or more"},
		{name: "called Go", change: func(f *calltrace.Function) { f.Callbacks = 3 }, mode: Cgo, other: Cgo, comment: "called back into Go 3 times"},
		{name: "may call Go", proof: &callgraph.Function{Findings: []callgraph.Finding{{Kind: callgraph.Hook, Name: "hook", Path: []string{"f"}}}}, mode: Cgo, other: Cgo,
			comment: blocked + "recv (99 %), poll (1 %); it may call Go: f → hook"},
		{name: "noescape", code: func(f *cgofile.Function) { f.NoEscape = true }, mode: Cgo, other: Cgo, comment: blocked + "recv (99 %), poll (1 %); it can't be parked"},
		{name: "another type", code: func(f *cgofile.Function) { f.Result = "" }, mode: Cgo, other: Cgo,
			comment: "its type has changed since the trace, where it was func(_Ctype_int) _Ctype_int"},
	} {
		seen, code := waiting("f", 500), oneInt("f")
		if c.change != nil {
			c.change(&seen)
		}
		if c.code != nil {
			c.code(&code)
		}
		proof := &callgraph.Package{Functions: map[string]*callgraph.Function{"f": c.proof}}
		r := Make([]Trace{{"t", &calltrace.File{Functions: []calltrace.Function{seen, few, quick("leaf")}}}},
			[]Code{{Package: gotool.Package{ImportPath: "m"}, Functions: []cgofile.Function{code, oneInt("leaf"), oneInt("other")}, Proof: proof}}, Options{})
		if d := r.Decisions[0]; d.Mode != c.mode || d.Comment != c.comment || !strings.Contains(d.options(), c.stack) {
			t.Errorf("%s: %s %s # %s\nwant %s %s # %s", c.name, d.Mode, d.options(), d.Comment, c.mode, c.stack, c.comment)
		}
		if d := r.Decisions[2]; d.Mode != c.other {
			t.Errorf("%s: the other function that waits is %s # %s, want %s", c.name, d.Mode, d.Comment, c.other)
		}
		if d := r.Decisions[1]; d.Mode != Leaf {
			t.Errorf("%s: the one that doesn't wait is %s # %s", c.name, d.Mode, d.Comment)
		}
		var b bytes.Buffer
		if err := r.WriteText(&b, text.Options{Width: 100}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "libx.so.1."); got != (c.name == "a lock is held") {
			t.Errorf("%s: thread-local data in the summary:\n%s", c.name, b.String())
		}
		if got := strings.Contains(b.String(), "Park, so that waiting takes no thread"); got != (c.mode == Park) {
			t.Errorf("%s: the summary is\n%s", c.name, b.String())
		}
	}
}

// In a package that is parked, functions that take long are so too: each would take a thread
// while others wait. Quick ones stay.
func TestParkedBesideOthers(t *testing.T) {
	slow := with(quick("slow"), func(f *calltrace.Function) { f.Calls, f.P999NS, f.TotalNS = 100, 50_000, 2_000_000 })
	brief := with(quick("brief"), func(f *calltrace.Function) { f.Calls, f.TotalNS = 100, 100_000 })
	code := []Code{{Package: gotool.Package{ImportPath: "m"}, Functions: []cgofile.Function{oneInt("brief"), oneInt("f"), oneInt("slow")}}}
	for threads, want := range map[int][]string{
		500: {"cgo too few calls (100 of 1,000)", "park observed: 500 threads at once; waits in recv (99 %), poll (1 %)", "park observed: 20.0 µs a call, beside others that wait"},
		2:   {"cgo too few calls (100 of 1,000)", "cgo blocked in 4,990 of 5,000 examined calls (99.8 %, limit 0.010 %), in recv (99 %), poll (1 %); 2 threads at once, park from 16 on", "cgo too few calls (100 of 1,000)"},
	} {
		r := Make([]Trace{{"t", &calltrace.File{Functions: []calltrace.Function{brief, waiting("f", threads), slow}}}}, code, Options{})
		for i, w := range want {
			if d := r.Decisions[i]; string(d.Mode)+" "+d.Comment != w {
				t.Errorf("%d threads: %s # %s, want %s", threads, d.Mode, d.Comment, w)
			}
		}
	}
}

// With --park 0 nothing is parked, and more threads are asked for by a number.
func TestParkIsChosenFrom(t *testing.T) {
	for threads, mode := range map[int]Mode{-1: Cgo, 0: Park, 500: Park, 501: Cgo} {
		r := Make([]Trace{{"t", &calltrace.File{Functions: []calltrace.Function{waiting("f", 500)}}}},
			[]Code{{Package: gotool.Package{ImportPath: "m"}, Functions: []cgofile.Function{oneInt("f")}}}, Options{Park: threads})
		if d := r.Decisions[0]; d.Mode != mode {
			t.Errorf("%d: %s # %s", threads, d.Mode, d.Comment)
		}
	}
}

// A line that seam plan has made is made again with what a new trace says; the stack is
// people's.
func TestParkIsMadeAgain(t *testing.T) {
	code := []Code{{Package: gotool.Package{ImportPath: "m"}, Functions: []cgofile.Function{oneInt("f")}}}
	for _, line := range []string{"park m.f stack=256KiB # observed: 20 threads at once", "park m.f keep # ours"} {
		old, err := Parse("old.plan", []byte("# seam.plan 1\n"+line+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		r := Make([]Trace{{"t", &calltrace.File{Functions: []calltrace.Function{waiting("f", 500)}}}}, code, Options{})
		if changes := r.Merge(old, code); len(changes) != 0 {
			t.Errorf("%s: changes %q", line, changes)
		}
		e := r.Plan.Entries[0]
		got := fmt.Sprint(e.Mode, " ", e.Stack>>10, " ", e.Comment)
		want := "park 256 observed: 500 threads at once; waits in recv (99 %), poll (1 %)"
		if e.Keep {
			want = "park 0 ours"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// A park line stays, and what a newer trace has against it is said, unless the line has the word keep.
func TestParkAgainstTheTrace(t *testing.T) {
	never := with(quick("never"), func(f *calltrace.Function) { f.Calls, f.TotalNS, f.Histogram = 0, 0, nil })
	code := []Code{{Package: gotool.Package{ImportPath: "m"}}}
	for _, name := range []string{"f", "g", "never", "quick"} {
		code[0].Functions = append(code[0].Functions, oneInt(name))
	}
	const lines = "# seam.plan 1\npark m.f\npark m.g\npark m.never\npark m.quick\n"
	for _, c := range []struct {
		name, plan string
		change     func(*calltrace.Function)
		changes    []string
	}{
		{"as before", strings.Replace(lines, "park m.quick\n", "", 1), nil, nil},
		{"quick", lines, nil, []string{"old.plan:5: m.quick stays park, although by the trace it would be leaf: observed: 1.2M calls, p99.9 84.0 ns, max 9.10 µs"}},
		{"other waits", lines[:len(lines)-len("park m.quick\n")], func(f *calltrace.Function) { f.Waits[0].In = "flock" }, []string{
			"old.plan:2: m.f stays park, although by the trace flock can't be made cooperative",
			"old.plan:3: m.g stays park, although by the trace flock can't be made cooperative",
		}},
		{"kept", "# seam.plan 1\npark m.f keep\npark m.g keep\n", func(f *calltrace.Function) { f.Callbacks = 1 }, nil},
		{"few threads", "# seam.plan 1\npark m.f\npark m.g\n", func(f *calltrace.Function) { f.MaxThreads = 2 }, []string{
			"old.plan:2: m.f and 1 other stay park, although the trace has no more than 2 threads at once in its package",
		}},
	} {
		old, err := Parse("old.plan", []byte(c.plan))
		if err != nil {
			t.Fatal(err)
		}
		functions := []calltrace.Function{waiting("f", 500), waiting("g", 500), never, quick("quick")}
		if c.change != nil {
			c.change(&functions[0])
			c.change(&functions[1])
		}
		r := Make([]Trace{{"t", &calltrace.File{Functions: functions}}}, code, Options{})
		if changes := r.Merge(old, code); !slices.Equal(changes, c.changes) {
			t.Errorf("%s: %q\nwant %q", c.name, changes, c.changes)
		}
		for _, e := range old.Entries {
			if i := slices.IndexFunc(r.Plan.Entries, func(now Entry) bool { return now.Path() == e.Path() }); r.Plan.Entries[i].Mode != Park {
				t.Errorf("%s: %s is now %s", c.name, e.Path(), r.Plan.Entries[i].Mode)
			}
		}
	}
}
