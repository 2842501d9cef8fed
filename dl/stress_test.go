//go:build linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28

package dl

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// stressCalls is how many calls a stress test makes altogether.
func stressCalls(t *testing.T) int {
	switch {
	case os.Getenv("SEAM_STRESS") != "":
		return signatures(t)
	case testenv.Repeated():
		return 100_000
	case testing.Short():
		return 400_000
	}
	return 4_000_000
}

// TestStress makes calls in every way from many goroutines while everything that could disturb them
// goes on at once: the garbage collector without a pause, preemption and profiling signals,
// the execution tracer, stacks that grow and shrink, threads of C's that call back.
func TestStress(t *testing.T) {
	total := stressCalls(t)
	for _, procs := range []int{1, 2, 16} {
		t.Run(fmt.Sprintf("procs=%d", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			defer disturb(t)()
			stress(t, total/3)
		})
	}
}

type (
	node struct {
		Value int64
		Next  *node
	}
	walkArgs struct {
		Head *node
		R    int64 `dl:"result"`
	}
	deepArgs struct {
		Seed int64
		R    int64 `dl:"result"`
	}
	stormArgs struct {
		Stop *int32
		Sent int64 `dl:"result"`
	}
	storeArgs struct {
		To    *int64
		Value int64
	}
)

func stress(t *testing.T, n int) {
	const goroutines = 12
	add, addi, mul := leafOf[addArgs](t, "add"), leafOf[addiArgs](t, "addi"), leafOf[mulArgs](t, "mul")
	walk, deep, store := leafOf[walkArgs](t, "walk"), leafOf[deepArgs](t, "deep"), leafOf[storeArgs](t, "store")
	adds, call, threads := funcOf[addArgs](t, "add"), funcOf[callArgs](t, "call"), funcOf[callArgs](t, "threads")
	back := callbackOf(t, "back", func(a *callbackArgs) { a.R = a.N + int64(grow(int(a.N)%100)) })
	var wg sync.WaitGroup
	var wrong, made atomic.Int64
	for id := range int64(goroutines) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if id%3 == 0 {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			check := func(ok bool) {
				if !ok {
					wrong.Add(1)
				}
			}
			list := &node{id, &node{1, nil}}
			for i := range int64(n / goroutines) {
				a := addArgs{A: i, B: id}
				add.Call(&a)
				check(a.Sum == i+id)
				b := addiArgs{A: int32(i), B: -int32(id)}
				addi.Call(&b)
				check(b.Sum == int32(i)-int32(id))
				m := mulArgs{A: float64(i), B: 0.5}
				mul.Call(&m)
				check(m.R == float64(i)/2)
				if i%64 != 0 {
					continue
				}
				w := walkArgs{Head: list}
				walk.Call(&w)
				check(w.R == id+1)
				var x int64 // on the stack, which grow moves
				store.Call(&storeArgs{&x, i})
				check(grow(int(i/64)%200) == 42 && x == i)
				s := addArgs{A: i, B: id}
				adds.Call(&s)
				check(s.Sum == i+id)
				c := callArgs{F: back.Pointer(), N: i}
				call.Call(&c)
				check(c.R == i+42)
				list = &node{id, &node{1, nil}}
				if i%8192 == 0 {
					deep.Call(&deepArgs{Seed: i})
					h := callArgs{F: back.Pointer(), N: 4}
					threads.Call(&h)
					check(h.R == 4*42+6)
					runtime.Gosched()
				}
			}
			made.Add(int64(n / goroutines))
		}()
	}
	wg.Wait()
	if wrong.Load() != 0 {
		t.Errorf("%d of %d rounds gave a wrong result", wrong.Load(), made.Load())
	}
	t.Logf("%d rounds, each result checked", made.Load())
}

// disturb starts the disturbances and returns the function that ends them.
func disturb(t *testing.T) (stop func()) {
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
	var wg sync.WaitGroup
	wg.Add(2)
	var cycles int
	storm := stormArgs{Stop: new(int32)}
	go func() { // what preempts a goroutine, and what samples it, from a thread that Go doesn't stop
		defer wg.Done()
		funcOf[stormArgs](t, "storm").Call(&storm)
	}()
	go func() {
		defer wg.Done()
		for again := true; again; again = !quit.Load() {
			runtime.GC()
			cycles++
		}
	}()
	return func() {
		quit.Store(true)
		atomic.StoreInt32(storm.Stop, 1)
		wg.Wait()
		debug.SetGCPercent(percent)
		trace.Stop()
		pprof.StopCPUProfile()
		profile.Close()
		t.Logf("disturbed by %d garbage collections and %d signals", cycles, storm.Sent)
		if cycles == 0 || storm.Sent == 0 {
			t.Errorf("no disturbance: %d garbage collections, %d signals", cycles, storm.Sent)
		}
	}
}
