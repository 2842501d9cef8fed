//go:build cgo && unix

package leaf_test

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/leaf/internal/ctest"
)

// stressCalls is how many calls a stress test makes altogether. `make soak`
// asks for 1e9 by SEAM_STRESS.
func stressCalls(t *testing.T) int {
	env := os.Getenv("SEAM_STRESS")
	if env == "" {
		if leaf.Status().Path != leaf.PathAssembly || leaf.Status().Guard != "" || raceEnabled {
			return 400_000
		}
		return 40_000_000
	}
	n, err := strconv.ParseFloat(env, 64)
	if err != nil || n < 1 {
		t.Fatalf("SEAM_STRESS=%q is not a number of calls like 1e9", env)
	}
	return int(n)
}

// TestStress makes calls from many goroutines while everything that could
// disturb them goes on at once: the garbage collector without a pause,
// preemption and profiling signals from outside, the CPU profiler, the
// execution tracer, stacks that grow and shrink, goroutines bound to threads.
// Every result is checked.
func TestStress(t *testing.T) {
	total := stressCalls(t)
	for _, procs := range []int{1, 2} {
		t.Run(fmt.Sprintf("procs=%d", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			disturbed, stop := disturb(t)
			defer stop()
			stress(t, total/2, disturbed)
		})
	}
}

// stress spreads n calls over 12 goroutines, and more until they were disturbed.
func stress(t *testing.T, n int, disturbed func() bool) {
	const goroutines = 12
	var wg sync.WaitGroup
	var wrong, made atomic.Int64
	for id := range goroutines {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if id%3 == 0 {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			list := &ctest.List{Value: int64(id), Next: &ctest.List{Value: 1}}
			for i := int64(0); i < int64(n/goroutines) || !disturbed(); i++ {
				args := ctest.Add{A: i, B: int64(id)}
				add.Call(&args)
				if args.Sum != i+int64(id) {
					wrong.Add(1)
				}
				if i%1024 != 0 {
					continue
				}
				// Now and then: a list in Go memory, much of C's stack, and a
				// goroutine stack that moves with a leaf's argument on it.
				w := ctest.Walk{Head: list}
				walk.Call(&w)
				f := ctest.Frame{Bytes: 64 << 10, Seed: i}
				if i%(64*1024) == 0 {
					frame.Call(&f)
				}
				if w.Sum != int64(id)+1 || grow(int(i/1024)%200) != 42 {
					wrong.Add(1)
				}
				list = &ctest.List{Value: int64(id), Next: &ctest.List{Value: 1}}
				// Let the collector's goroutine in, else it waits for a time slice.
				if i%(8*1024) == 0 {
					runtime.Gosched()
				}
			}
			made.Add(int64(n / goroutines)) // at least
		}()
	}
	wg.Wait()
	if wrong.Load() != 0 {
		t.Errorf("%d of %d calls gave a wrong result", wrong.Load(), made.Load())
	}
	t.Logf("%d calls, each result checked", made.Load())
}

// disturb starts the disturbances. One function reports whether a collection has ended since, or
// none does within a minute; the other ends them.
func disturb(t *testing.T) (disturbed func() bool, stop func()) {
	t.Helper()
	profile, err := os.CreateTemp(t.TempDir(), "cpu")
	if err != nil {
		t.Fatal(err)
	}
	if err := pprof.StartCPUProfile(profile); err != nil {
		t.Fatal(err)
	}
	if err := trace.Start(io.Discard); err != nil {
		t.Fatal(err)
	}
	percent := debug.SetGCPercent(5)
	var quit atomic.Bool
	var storm int32
	var wg sync.WaitGroup
	wg.Add(2)
	var sent int64
	go func() { defer wg.Done(); sent = ctest.Storm(&storm) }()
	var cycles atomic.Int64
	began := time.Now()
	go func() {
		defer wg.Done()
		for !quit.Load() {
			runtime.GC()
			cycles.Add(1)
		}
	}()
	disturbed = func() bool { return cycles.Load() > 0 || time.Since(began) > time.Minute }
	return disturbed, func() {
		quit.Store(true)
		atomic.StoreInt32(&storm, 1)
		wg.Wait()
		debug.SetGCPercent(percent)
		trace.Stop()
		pprof.StopCPUProfile()
		profile.Close()
		t.Logf("disturbed by %d garbage collections and %d signals", cycles.Load(), sent)
		if cycles.Load() == 0 || sent <= 0 {
			t.Errorf("no disturbance: %d garbage collections, %d signals", cycles.Load(), sent)
		}
	}
}
