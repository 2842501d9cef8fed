//seam:test toolchains

package outside

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/text"
)

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		stack string // the innermost first; "-" is C
		want  class
	}{
		{"", other},
		{"-", inC},
		{"- runtime.asmcgocall.abi0 runtime.cgocall main._Cfunc_f", inC},
		{"runtime.asmcgocall.abi0 runtime.cgocall main._Cfunc_f main.main", out},
		{"runtime.casgstatus runtime.reentersyscall runtime.entersyscall runtime.cgocall main._Cfunc_f", out},
		{"runtime.exitsyscall runtime.cgocall a.b/c%2ed._Cfunc_f", out},
		{"main._Cfunc_f main.main", out},
		{"a.b/c._C2func_f main.main", out},
		{"a.b/c.g a.b/c._Cfunc_f", other},
		{"runtime.entersyscall syscall.RawSyscall os.(*File).Read", other},
		{"runtime.exitsyscall syscall.Syscall internal/poll.(*FD).Read", other},
		{"runtime.exitsyscall0 runtime.mcall", perhaps},
		{"runtime.exitsyscallfast_pidle runtime.exitsyscallfast.func1 runtime.systemstack", perhaps},
		{"runtime.exitsyscallfast runtime.exitsyscall runtime.cgocall", out},
		{"runtime.mallocgc runtime.newobject main.main", other},
		{"runtime.mallocgc", other},
		{"internal/runtime/maps.h1 runtime.findObject runtime.cgoCheckUnknownPointer runtime.cgoCheckPointer main.f", check},
		{"runtime.exitsyscall runtime.cgocallbackg runtime.cgocallback.abi0 crosscall2.abi0 -", back},
		{"main.compare runtime.cgocallbackg1 runtime.cgocallbackg", other},
		{"_cgoexp_0123_compare runtime.cgocallbackg1", back},
		{"runtime.mallocgc main.compare runtime.cgocallbackg1", other},
	} {
		names := strings.Fields(c.stack)
		for i := range names {
			names[i] = strings.TrimPrefix(names[i], "-")
		}
		if got := classify(names); got != c.want {
			t.Errorf("%s: class %d, want %d", c.stack, got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	r := &Report{PID: 7, Program: "server", Go: "go1.26.8", Long: 30 * time.Second, CPU: 10 * time.Second,
		Samples: Counts{All: 10000, Out: 1000, Back: 100, Checks: 50, Perhaps: 200, C: 3000},
		Counted: true, Calls: 36e6, InC: []float64{1, 2, 0, 1}}
	check := func(want ...string) {
		t.Helper()
		var b bytes.Buffer
		if err := r.WriteText(&b, text.Options{}); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(strings.Fields(b.String()), " ") // lines are broken somewhere
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("no %q in:\n%s", w, &b)
			}
		}
	}
	check("Process 7 (server, go1.26.8): 10.0 s of processor time in 30.0 s, 10000 samples.",
		"took 11-14 % of it: to C and back 9.3-11 %, callbacks 0.79-1.3 %, cgo's checks of pointers 0.36-0.69 %.",
		"C itself took 29-31 %.", "1.2M calls of C a second; 1.0 threads in C on average, 2 at most in 4 looks.",
		"can save at most 14 % of the processor time (1.17x as fast), and that much only if")
	r.Samples = Counts{All: 10000, Out: 20}
	r.Counted, r.Missed, r.Unseen, r.Ended = false, 3, 1, true
	check("took 0.12-0.33 % of it", "callbacks 0-0.05 %", "is not known: it takes debug information",
		"3 samples were lost", "1 thread could not be sampled", "the process ended before",
		"Not worth it by these samples: without any crossing it would take at most 0.33 % less")
	r.Welded = true
	check("It is a welded program")
	// Where the kernel's part is not sampled, it belongs to the time all the same.
	r.Welded, r.User, r.Samples = false, true, Counts{All: 5000, Out: 1000}
	check("took 9.4-11 % of it", "perf_event_paranoid")
}
