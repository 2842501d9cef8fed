//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan

//seam:test race nocgo toolchains metal arm64 arm asan pointers

package prof_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/internal/unwind/ctest"
	"github.com/seamgo/seam/prof"
)

const here = "github.com/seamgo/seam/prof_test."

// share returns how much of the time whose stacks have the function is in stacks that have
// all of want, in this order, from the innermost on.
func share(t *testing.T, samples []sample, function string, want ...string) float64 {
	t.Helper()
	var all, matching int64
	var example []string
	for _, s := range samples {
		if !slices.Contains(s.stack, function) {
			continue
		}
		all += s.ns
		if inOrder(s.stack, want) {
			matching += s.ns
		} else {
			example = s.stack
		}
	}
	if all == 0 {
		t.Errorf("no sample has %s", function)
		return 0
	}
	if example != nil {
		t.Logf("not as wanted: %q", example)
	}
	return float64(matching) / float64(all)
}

func inOrder(stack, want []string) bool {
	for _, f := range stack {
		if len(want) > 0 && f == want[0] {
			want = want[1:]
		}
	}
	return len(want) == 0
}

func TestStatus(t *testing.T) {
	if s := prof.Status(); s.Path != prof.PathTables || s.Reason != "" {
		t.Errorf("status is %v", s)
	}
}

//go:noinline
func callsChain(chain, ms int) { ctest.Spin(chain, ms); runtime.KeepAlive(chain) }

// A profile has the C functions between the Go caller and the one that works.
func TestProfile(t *testing.T) {
	for i, chain := range ctest.Chains {
		samples := profile(t, func() { callsChain(i, 200) }, 10, chain)
		if s := share(t, samples, chain, chain, "ctest_chain", "runtime.cgocall", here+"callsChain"); s < 0.95 {
			t.Errorf("%s: %.0f %% of its time is below its caller", chain, 100*s)
		}
		// Of ten samples two may be on the way in or out: in raise, for the handler.
		if s := share(t, samples, chain, "ctest_spin", "ctest_1", "ctest_2", chain, "ctest_chain", "runtime.cgocall", here+"callsChain"); s < 0.75 {
			t.Errorf("%s: %.0f %% of its time has the whole stack", chain, 100*s)
		}
	}
}

// Threads that C makes have no goroutine; their stacks go down to the thread's start.
func TestThread(t *testing.T) {
	samples := profile(t, func() { ctest.SpinThread(500) }, 10, "ctest_20")
	if s := share(t, samples, "ctest_20", "ctest_spin", "ctest_1", "ctest_10", "ctest_20"); s < 0.95 {
		t.Errorf("%.0f %% of the time has the whole stack", 100*s)
	}
}

//go:noinline
func outer(f func()) { ctest.Callback(0, f); runtime.KeepAlive(f) }

//go:noinline
func inner(f func()) { ctest.Callback(1, f); runtime.KeepAlive(f) }

// C → Go → C → Go: a traceback has them all.
func TestCallback(t *testing.T) {
	var stack []string
	outer(func() {
		inner(func() {
			var pcs [200]uintptr
			frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])])
			for more := true; more; {
				var f runtime.Frame
				f, more = frames.Next()
				stack = append(stack, f.Function)
			}
		})
	})
	want := []string{"seamProfTestGo", "ctest_1", "ctest_2", "ctest_alloca", "ctest_chain", "runtime.cgocall", here + "inner",
		"seamProfTestGo", "ctest_1", "ctest_2", "ctest_19", "ctest_20", "ctest_chain", "runtime.cgocall", here + "outer", here + "TestCallback"}
	if !inOrder(stack, want) {
		t.Errorf("got %q\nwant in order %q", stack, want)
	}
}

// On the way from C to a function of Go and back the runtime doesn't have the callback's C.
func TestCallbackTight(t *testing.T) {
	const times = 2000000
	samples := profile(t, func() { ctest.Callbacks(times, func() {}) }, 100, "ctest_20")
	lost := 0
	for _, s := range samples {
		if s.stack[0] == "runtime.cgocall" {
			lost++
			t.Logf("%q", s.stack)
		}
	}
	if lost > len(samples)/10 { // most were
		t.Errorf("%d of %d samples have nothing of C", lost, len(samples))
	}
	// A call within the callback is no way to it.
	for _, s := range profile(t, func() { ctest.Callbacks(times, func() { ctest.Base() }) }, 100, "ctest_20") {
		if n := len(slices.DeleteFunc(slices.Clone(s.stack), func(f string) bool { return f != "ctest_20" })); n > 1 {
			t.Fatalf("C is twice in %q", s.stack)
		}
	}
	// A callback that has panicked is over.
	func() {
		defer func() { _ = recover() }()
		ctest.Callback(0, func() { panic("on purpose") })
	}()
	for _, s := range profile(t, func() {
		for range times {
			ctest.Base()
		}
	}, 100) {
		if slices.Contains(s.stack, "ctest_20") {
			t.Fatalf("C that is over is in %q", s.stack)
		}
	}
}

// Deeper than a thread has places of its own, and than the runtime takes frames.
func TestDeepCallbacks(t *testing.T) {
	var down func(n int) int
	down = func(n int) (frames int) {
		if n == 0 {
			var pcs [2000]uintptr
			f := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])])
			for more := true; more; {
				var frame runtime.Frame
				frame, more = f.Next()
				if frame.Function == "ctest_1" {
					frames++
				}
			}
			return frames
		}
		ctest.Callback(0, func() { frames = down(n - 1) })
		return frames
	}
	for _, n := range []int{1, 8, 9, 30} {
		if got := down(n); got != n {
			t.Errorf("of %d nested callbacks %d are in the traceback", n, got)
		}
	}
}

// A crash in C says where: its functions, then the Go functions that called them.
func TestCrash(t *testing.T) {
	if os.Getenv("SEAM_PROF_CRASH") != "" {
		ctest.Crash()
	}
	cmd := child.Self(t, "-test.run=^TestCrash$")
	cmd.Env = append(os.Environ(), "SEAM_PROF_CRASH=1")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatal("the program did not crash")
	}
	want := []string{"ctest_crash", "ctest_1", "ctest_2", "ctest_19", "ctest_20", "ctest_chain"}
	if !inOrder(strings.Fields(string(out)), want) {
		t.Errorf("the report doesn't have %q in order:\n%s", want, out)
	}
}

// Where another package has registered first, its functions stay, and the program is told.
func TestYields(t *testing.T) {
	testenv.Builds(t)
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = "testdata/yields"
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"seam: prof: another package calls runtime.SetCgoTraceback: its frames", "prof: none (another package"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
}

// A static program finds its tables in another way.
func TestStatic(t *testing.T) {
	testenv.Builds(t)
	exe := filepath.Join(t.TempDir(), "static.test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-linkmode=external -extldflags=-static", "-o", exe, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=1", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := child.Program(t, exe, "-test.run=^(TestProfile|TestCallback|TestUnannounced|TestCrash)$")
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
