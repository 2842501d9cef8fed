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
	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/prof/internal/ctest"
)

var (
	leafWork = leaf.Of[ctest.Args]("ctest_leaf", ctest.Leaf)
	coroWork = coro.Of[ctest.Args]("ctest_coroutine", ctest.Coroutine)
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
	samples := profile(t, func() {
		for i := range ctest.Chains {
			callsLeaf(i, 20, 5)
			callsCoroutine(t, i, 20, 5)
		}
	})
	for _, chain := range ctest.Chains {
		ofLeaf := []string{"ctest_spin", "ctest_1", "ctest_2", chain, "ctest_chain", "ctest_leaf", here + "callsLeaf"}
		ofCoroutine := slices.Concat(ofLeaf[:6], []string{"ctest_coroutine", here + "callsCoroutine"})
		leaves, coroutines := share(t, samples, chain, ofLeaf...), share(t, samples, chain, ofCoroutine...)
		if leaves+coroutines < 0.95 || leaves == 0 || coroutines == 0 {
			t.Errorf("%s: %.0f %% of its time is below the leaf's caller, %.0f %% below the coroutine's", chain, 100*leaves, 100*coroutines)
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
	samples := profile(t, func() {
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
	})
	if len(samples) == 0 {
		t.Error("the profile has no samples")
	}
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
