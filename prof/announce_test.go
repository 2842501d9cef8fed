//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package prof_test

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/internal/unwind/ctest"
	"github.com/seamgo/seam/leaf"
)

var (
	leafWork = leaf.Of[ctest.Args]("ctest_leaf", ctest.Leaf)
	coroWork = coro.Of[ctest.Args]("ctest_coroutine", ctest.Coroutine)

	leafNothing = leaf.Of[ctest.Args]("ctest_empty", ctest.Nothing)
	coroNothing = coro.Of[ctest.Args]("ctest_coroutine_empty", ctest.CoroutineNothing)
)

// A leaf is to be short: many of some milliseconds.
//
//go:noinline
func callsLeaf(chain, times, ms int) {
	for range times {
		args := ctest.Work(chain, ms)
		leafWork.Call(&args)
	}
}

//go:noinline
func callsCoroutine(t *testing.T, chain, times, ms int) {
	for range times {
		args := ctest.Work(chain, ms)
		if _, err := coroWork.Call(context.Background(), &args); err != nil {
			t.Error(err)
		}
	}
}

// C that the scheduler doesn't know of is in profiles, with the Go function that calls it.
func TestUnannounced(t *testing.T) {
	for i, chain := range ctest.Chains {
		samples := profile(t, func() {
			callsLeaf(i, 20, 5)
			callsCoroutine(t, i, 20, 5)
		}, 10, chain)
		whole := []string{"ctest_spin", "ctest_1", "ctest_2"}
		ofLeaf := []string{chain, "ctest_chain", "ctest_leaf", here + "callsLeaf"}
		ofCoroutine := []string{chain, "ctest_chain", "ctest_leaf", "ctest_coroutine", here + "callsCoroutine"}
		both := func(inner ...string) (leaves, coroutines float64) {
			return share(t, samples, chain, append(inner, ofLeaf...)...), share(t, samples, chain, append(inner, ofCoroutine...)...)
		}
		if leaves, coroutines := both(); leaves+coroutines < 0.95 || leaves == 0 || coroutines == 0 {
			t.Errorf("%s: %.0f %% of its time is below the leaf's caller, %.0f %% below the coroutine's", chain, 100*leaves, 100*coroutines)
		}
		// Of ten samples two may be on the way in or out: in raise, for the handler.
		if leaves, coroutines := both(whole...); leaves+coroutines < 0.75 {
			t.Errorf("%s: %.0f %% of its time has the whole stack", chain, 100*(leaves+coroutines))
		}
	}
}

//go:noinline
func tightLeaves(until time.Time) {
	args := ctest.Work(0, 0)
	for time.Now().Before(until) {
		for range 10000 {
			leafNothing.Call(&args)
		}
	}
}

//go:noinline
func tightCoroutines(t *testing.T, until time.Time) {
	args := ctest.Work(0, 0)
	for time.Now().Before(until) {
		for range 1000 {
			if _, err := coroNothing.Call(context.Background(), &args); err != nil {
				t.Error(err)
			}
		}
	}
}

// Where calls are short most samples meet the way to C and back, which is Go's assembly, on the
// goroutine's stack and on the system's. All of them have the function that calls. What does not
// is the runtime's own work.
func TestUnannouncedTight(t *testing.T) {
	for _, c := range []struct {
		caller string
		call   func(until time.Time)
	}{
		{"tightLeaves", tightLeaves},
		{"tightCoroutines", func(until time.Time) { tightCoroutines(t, until) }},
	} {
		const least = 100
		samples := profile(t, func() { c.call(time.Now().Add(time.Second / 2)) }, least)
		with, lost := 0, 0
		// The race detector is C that nobody announces.
		race := slices.ContainsFunc(samples, func(s sample) bool { return slices.Contains(s.stack, "racecall") })
		for _, s := range samples {
			outermost := s.stack[len(s.stack)-1]
			unknown := outermost == "runtime._ExternalCode" || outermost == "runtime._System"
			switch {
			case slices.Contains(s.stack, here+c.caller):
				with++
			case race && (s.stack[0] == "racecall" || unknown):
			case outermost == "gogo": // where the runtime goes to a goroutine: the stack is nobody's there
			case unknown || strings.HasPrefix(outermost, "github.com/seamgo/") || !strings.Contains(outermost, "."): // C
				lost++
				t.Logf("%q", s.stack)
			}
		}
		t.Logf("%s: %d with it, %d lost of %d", c.caller, with, lost, len(samples))
		if lost > 0 || with < len(samples)/2 && !race {
			t.Errorf("of %d samples %d have %s, %d should have it", len(samples), with, c.caller, lost)
		}
	}
}

// Signals meet every instruction of switches to C and back, with stacks that move and
// memory that is collected.
func TestUnannouncedStorm(t *testing.T) {
	long := 2 * time.Second
	if testenv.Repeated() || testing.Short() {
		long /= 4
	}
	profile(t, func() {
		var wg sync.WaitGroup
		stop := make(chan bool)
		for _, call := range []func(){
			func() { callsLeaf(0, 1, 0) },
			func() { callsCoroutine(t, 1, 1, 0) },
			func() { outer(func() { callsLeaf(2, 1, 0) }) },
		} {
			wg.Go(func() {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				defer ctest.Storm()()
				for end := time.Now().Add(long); time.Now().Before(end); {
					deeper(50)
					for range 10 {
						call()
					}
				}
			})
		}
		go func() {
			for {
				select {
				case <-stop:
					return
				default:
					runtime.GC()
				}
			}
		}()
		wg.Wait()
		close(stop)
	}, 1)
}

// A crash in a leaf or a coroutine says where in C it was.
func TestUnannouncedCrash(t *testing.T) {
	switch os.Getenv("SEAM_PROF_CRASH") {
	case "leaf":
		callsLeaf(0, 1, -1)
	case "coroutine":
		callsCoroutine(t, 0, 1, -1)
	}
	for _, where := range []string{"leaf", "coroutine"} {
		cmd := child.Self(t, "-test.run=^TestUnannouncedCrash$")
		cmd.Env = append(os.Environ(), "SEAM_PROF_CRASH="+where)
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("%s: the program did not crash", where)
		}
		want := []string{"ctest_crash", "ctest_1", "ctest_2", "ctest_19", "ctest_20", "ctest_chain", "ctest_leaf"}
		if !inOrder(strings.Fields(string(out)), want) {
			t.Errorf("%s: the report doesn't have %q in order:\n%s", where, want, out)
		}
	}
}
