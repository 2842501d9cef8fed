//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package prof_test

import (
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/internal/unwind/ctest"
)

// Exceptions, libraries, threads, forks, leaves, coroutines, callbacks and garbage collections, all
// at once and most threads in a storm of SIGPROF and SIGURG, until ten million samples have been
// taken, or as many as SEAM_STRESS says. Nothing may hang or be lost.
func TestSoak(t *testing.T) {
	testenv.Soak(t)
	want := 1e7
	if v := os.Getenv("SEAM_STRESS"); v != "" {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil {
			t.Fatal(err)
		}
		want = n
	}
	path := library(t)
	first, begin := ctest.Walks(), time.Now()
	until := func() bool { return float64(ctest.Walks()-first) >= want }
	var exceptions, loaded, threads, children, leaves, coroutines, callbacks, collected atomic.Int64
	add := func(to *atomic.Int64, want, got int, what string) {
		if got != want {
			t.Errorf("%s: %d of %d", what, got, want)
		}
		to.Add(int64(got))
	}
	stormy := func(f func()) func() {
		return func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			defer ctest.Storm()()
			f()
		}
	}
	work := []func(){
		func() { add(&exceptions, 1000, ctest.Throw(1000), "exceptions caught") },
		func() { add(&loaded, 20, ctest.Load(path, 20), "libraries loaded") },
		func() { add(&threads, 20, ctest.Churn(20), "threads made") },
		func() { add(&children, 2, ctest.Fork(2), "children that ended") },
		stormy(func() {
			for range 100 {
				callsLeaf(0, 10, 0)
				leaves.Add(10)
				callsCoroutine(t, 1, 10, 0)
				coroutines.Add(10)
				deeper(50)
			}
		}),
		stormy(func() {
			for range 100 {
				outer(func() { deeper(50); callbacks.Add(1) })
			}
		}),
		func() { runtime.GC(); collected.Add(1) },
	}
	for !until() {
		profileOnce(t, func() { // a new one each half minute: starting and ending it belongs to it
			var wg sync.WaitGroup
			end := time.Now().Add(30 * time.Second)
			for _, w := range work {
				wg.Go(func() {
					for !until() && time.Now().Before(end) && !t.Failed() {
						w()
					}
				})
			}
			wg.Wait()
		})
		if t.Failed() {
			break
		}
	}
	t.Logf("%d samples in %v: %d exceptions, %d libraries loaded and unloaded, %d threads, %d forks, %d leaves, %d coroutines, %d callbacks, %d garbage collections",
		ctest.Walks()-first, time.Since(begin).Round(time.Second), exceptions.Load(), loaded.Load(), threads.Load(), children.Load(), leaves.Load(), coroutines.Load(), callbacks.Load(), collected.Load())
	for _, n := range []*atomic.Int64{&exceptions, &loaded, &threads, &children, &leaves, &coroutines, &callbacks, &collected} {
		if n.Load() == 0 {
			t.Error("one of them never ended")
		}
	}
}
