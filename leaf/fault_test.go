//go:build cgo && unix

package leaf_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/leaf/internal/ctest"
)

// A fault is a way to misuse a leaf call. Each runs in a child process, which
// must end with a message that names what happened: no hang, no panic that the
// child could recover, nothing overwritten.
var faults = map[string]func(){
	"segv":  func() { leaf.Call(ctest.SegvFn, nil) },
	"fpe":   func() { leaf.Call(ctest.FpeFn, nil) },
	"abort": func() { leaf.Call(ctest.AbortFn, nil) },
	"nil":   func() { leaf.Call(nil, nil) },
	"exit":  func() { leaf.Of[int]("ends_thread", ctest.ExitFn).Call(new(int)) },
	"loop":  func() { forever := ctest.Spin{NS: -1}; spin.Call(&forever) },
	"slow":  func() { ms := ctest.Spin{NS: 3e6}; spin.Call(&ms); spin.Call(&ms); spin.Call(&ms) },
	"steady": func() {
		fmt.Println("READY")
		for start := time.Now(); time.Since(start) < 1500*time.Millisecond; {
			us := ctest.Spin{NS: 5e4}
			spin.Call(&us)
		}
	},
	"callback": func() {
		x := int64(1)
		leaf.Of[int64]("calls_back", ctest.CallbackFn).Call(&x)
	},
}

// culprit calls the fault from a frame whose contents it can check afterwards,
// deep enough that the goroutine's stack has moved since its saved context was
// last right.
//
//go:noinline
func culprit(f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println("RECOVERED", r)
		}
	}()
	var canary [512]byte
	for i := range canary {
		canary[i] = byte(i)
	}
	grow(100)
	f()
	for i := range canary {
		if canary[i] != byte(i) {
			fmt.Println("OVERWRITTEN")
		}
	}
}

// runFault is what the child process does.
func runFault(name string) {
	done := make(chan bool)
	go func() { culprit(faults[name]); close(done) }()
	<-done
	for _, s := range leaf.ReadStats().Functions {
		fmt.Printf("STAT %s calls=%d over=%d\n", s.Name, s.Calls, s.Over)
	}
	fmt.Println("RETURNED")
	os.Exit(0)
}

func TestMain(m *testing.M) {
	if name := os.Getenv("SEAM_TEST_FAULT"); name != "" {
		runFault(name)
	}
	os.Exit(m.Run())
}

func TestFaults(t *testing.T) {
	const (
		guard = "SEAM_GUARD=1"
		quick = "SEAM_GUARD_LIMIT=200ms"
		cgo   = "SEAM_LEAF=cgo"
	)
	cases := []struct {
		fault string
		env   []string
		fine  bool // the child goes on and returns
		want  []string
		never string
	}{
		{fault: "segv", want: []string{"SIGSEGV: segmentation violation", "addr=0x10", "leaf.mustNotCallGo(", "leaf_test.culprit("}},
		{fault: "fpe", want: []string{"SIGFPE: floating-point exception", "leaf.mustNotCallGo(", "leaf_test.culprit("}},
		{fault: "abort", want: []string{"SIGABRT: abort", "leaf.mustNotCallGo(", "leaf_test.culprit("}},
		{fault: "nil", want: []string{"SIGSEGV: segmentation violation", "PC=0x0", "leaf_test.culprit("}},
		{fault: "callback", want: []string{"fatal error: exitsyscall", "runtime.cgocallback", "leaf.mustNotCallGo(", "leaf_test.culprit("}},

		{fault: "segv", env: []string{cgo}, want: []string{"SIGSEGV: segmentation violation", "leaf_test.culprit("}},
		{fault: "fpe", env: []string{cgo}, want: []string{"SIGFPE: floating-point exception", "leaf_test.culprit("}},
		{fault: "abort", env: []string{cgo}, want: []string{"SIGABRT: abort", "leaf_test.culprit("}},
		{fault: "callback", env: []string{cgo}, want: []string{"fatal error: seam: leaf: C function calls_back called back into Go", "leaf_test.culprit("}},

		{fault: "loop", env: []string{guard, quick}, want: []string{"seam: leaf: C function spin (at 0x", "has not returned for", "SIGABRT: abort", "leaf_test.culprit("}},
		{fault: "loop", env: []string{guard, quick, cgo}, want: []string{"seam: leaf: C function spin (at 0x", "has not returned for", "SIGABRT: abort", "leaf_test.culprit("}},
		{fault: "loop", env: []string{guard, quick, "GOMAXPROCS=1"}, want: []string{"C function spin (at 0x", "SIGABRT: abort"}},
		{fault: "slow", env: []string{guard, "SEAM_GUARD_BUDGET=1ms"}, fine: true, want: []string{"seam: leaf: C function spin took ", "the budget is 1ms (1 of 1 calls", "(2 of 2 calls", "STAT spin calls=3 over=3"}},
		{fault: "slow", env: []string{guard, "SEAM_GUARD_BUDGET=1ms", cgo}, fine: true, want: []string{"seam: leaf: C function spin took ", "STAT spin calls=3 over=3"}},
		{fault: "exit", env: []string{guard}, want: []string{"seam: leaf: C function ends_thread ended its thread inside a leaf call", "SIGABRT"}},
		{fault: "segv", env: []string{guard}, want: []string{"SIGSEGV: segmentation violation", "leaf_test.culprit("}},
		{fault: "callback", env: []string{guard}, want: []string{"fatal error: exitsyscall", "leaf_test.culprit("}},

		{fault: "slow", env: []string{"SEAM_GUARD=yes"}, fine: true, want: []string{`seam: leaf: SEAM_GUARD="yes" is not known (want 0 or 1)`}},
		{fault: "slow", env: []string{"SEAM_GUARD=sample"}, fine: true, never: "SEAM_GUARD"}, // for welded functions
		{fault: "slow", env: []string{guard, "SEAM_GUARD_BUDGET=soon"}, fine: true, want: []string{`SEAM_GUARD_BUDGET="soon" is not a positive duration`}},
		{fault: "slow", env: []string{"SEAM_LEAF=fast"}, fine: true, want: []string{`SEAM_LEAF="fast" is not known (want auto or cgo)`}},
	}
	for _, c := range cases {
		name := strings.Join(append([]string{c.fault}, c.env...), ",")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := child.Self(t)
			cmd.Env = append(os.Environ(), "SEAM_TEST_FAULT="+c.fault, "GOTRACEBACK=all")
			cmd.Env = append(cmd.Env, c.env...)
			out, err := cmd.CombinedOutput()
			if (err == nil) != c.fine {
				t.Errorf("the child ended with %v", err)
			}
			want := c.want
			if s := leaf.Status(); strings.Contains(s.Reason, "-asan") || s.Path != leaf.PathAssembly && !strings.Contains(name, "SEAM_LEAF") {
				want = nil // the messages are the sanitizer's, or those of another path
			}
			for _, w := range want {
				if !strings.Contains(string(out), w) {
					t.Errorf("the child's output lacks %q", w)
				}
			}
			for _, never := range []string{"RECOVERED", "OVERWRITTEN", "the callback ran"} {
				if strings.Contains(string(out), never) {
					t.Errorf("the child's output has %q", never)
				}
			}
			if c.never != "" && strings.Contains(string(out), c.never) {
				t.Errorf("the child's output has %q", c.never)
			}
			if t.Failed() {
				t.Logf("the child said:\n%s", out)
			}
		})
	}
}
