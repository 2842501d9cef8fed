//go:build cgo

package coro_test

import (
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

// together makes the call from n goroutines at once, each with its own copy of
// args, and returns the sum of what C counted as wrong.
func together(t *testing.T, r coro.Runner, n int, fn func() (int64, error)) {
	t.Helper()
	var wrong atomic.Int64
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			w, err := fn()
			if err != nil {
				t.Error(err)
			}
			wrong.Add(w)
		})
	}
	wg.Wait()
	if w := wrong.Load(); w != 0 {
		t.Errorf("C found %d things wrong", w)
	}
}

// The thread is the same before and behind every wait, so thread-local variables and
// errno can be relied on: with Locked and with an executor. Floating promises neither.
func TestThreadStays(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		if r == coro.Floating && coro.Status().Path == coro.PathAssembly {
			t.Skip("Floating moves")
		}
		together(t, r, 16, func() (int64, error) {
			args := &ctest.Args{N: 50}
			_, err := r.Call(t.Context(), ctest.TLS, at(args))
			return args.Sum, err
		})
		together(t, r, 16, func() (int64, error) {
			args := &ctest.Args{N: 50}
			_, err := r.Call(t.Context(), ctest.Errno, at(args))
			return args.Sum, err
		})
	})
}

// The signal mask is the thread's: what C blocks across an upcall is blocked for others that
// run on the thread meanwhile, and what it restores is restored.
func TestSignalMaskIsTheThreads(t *testing.T) {
	if coro.Status().Path != coro.PathAssembly {
		t.Skip("in the fallback each call has a thread")
	}
	x, err := coro.NewExecutor(coro.ExecutorOptions{Threads: 1, Inline: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, r := range []coro.Runner{coro.Locked, x.Runner()} {
		blocked := func() int64 {
			args := &ctest.Args{}
			if _, err := r.Call(t.Context(), ctest.BlocksSignal, at(args)); err != nil {
				t.Error(err)
			}
			return args.Sum
		}
		runtime.LockOSThread() // Locked's thread
		f := coro.Register(func(*ctest.Args) {
			if n := blocked(); n != 1 {
				t.Errorf("the other coroutine finds the signal blocked: %d, want 1", n)
			}
		})
		if _, err := r.Call(t.Context(), ctest.BlocksSignal, at(&ctest.Args{A: 1, Func: f.ID()})); err != nil {
			t.Error(err)
		}
		if n := blocked(); n != 0 {
			t.Errorf("after it was restored the next coroutine finds it blocked: %d", n)
		}
		f.Free()
		runtime.UnlockOSThread()
	}
}

// errno is right with Floating too as long as its address is not kept across a
// wait, which is what the C function here takes care of.
func TestErrnoFloating(t *testing.T) {
	together(t, coro.Floating, 16, func() (int64, error) {
		args := &ctest.Args{N: 50}
		_, err := coro.Floating.Call(t.Context(), ctest.Errno, at(args))
		return args.Sum, err
	})
}

// A lock may be held across a wait where it is taken by seam_lock.
func TestMutexAcrossWait(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		together(t, r, 8, func() (int64, error) {
			args := &ctest.Args{N: 100_000, A: 10}
			_, err := r.Call(t.Context(), ctest.Mutex, at(args))
			return args.Sum, err
		})
	})
}

// C++ exceptions may be in flight across a wait, in any number of coroutines that
// share a thread.
func TestExceptionAcrossWait(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		var id atomic.Int64
		together(t, r, 16, func() (int64, error) {
			args := &ctest.Args{N: 20, A: id.Add(1)}
			_, err := r.Call(t.Context(), ctest.Exception, at(args))
			return args.Sum, err
		})
	})
}

//go:noinline
func third() float64 { return float64(len(runtimeName)) / 3 }

var runtimeName = "x" // not a constant: the division is made at run time

// C keeps its rounding and Go its own.
func TestRounding(t *testing.T) {
	if coro.Status().Path != coro.PathAssembly {
		t.Skip("C on a thread of cgo's leaves its settings there, as in a cgo call")
	}
	want := third()
	everyWay(t, func(t *testing.T, r coro.Runner) {
		f := coro.Register(func(*ctest.Item) {
			if got := third(); math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("Go computes %x, want %x", got, want)
			}
		})
		defer f.Free()
		args := &ctest.Args{Func: f.ID(), N: 100}
		if _, err := r.Call(t.Context(), ctest.Rounding, at(args)); err != nil || args.Sum != 0 {
			t.Errorf("%v, C found %d things wrong", err, args.Sum)
		}
		if got := third(); math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("after the call Go computes %x, want %x", got, want)
		}
	})
}

// Every register may hold something across an upcall.
func TestRegisters(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		f := coro.Register(func(i *ctest.Item) {
			i.Y = i.X + 1
			if i.X%100 == 0 {
				scramble()
			}
		})
		defer f.Free()
		together(t, r, 4, func() (int64, error) {
			args := &ctest.Args{Func: f.ID(), N: 1000, A: 1e6}
			_, err := r.Call(t.Context(), ctest.Registers, at(args))
			return args.Sum, err
		})
	})
}

// scramble changes many registers, moves the goroutine's stack and collects garbage.
func scramble() {
	growStack(100)
	var f [16]float64
	for i := range f {
		f[i] = math.Sqrt(float64(i) + third())
	}
	runtime.KeepAlive(f)
	runtime.Gosched()
	runtime.GC()
}

// The arguments stay where they are while the goroutine's stack moves and the
// garbage collector runs, though only C has their address.
func TestArgumentsDoNotMove(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		f := coro.Register(func(i *ctest.Item) {
			scramble()
			i.Y = 1
		})
		defer f.Free()
		done := make(chan bool)
		go func() { // a new goroutine has a small stack
			defer close(done)
			args := &ctest.Args{Func: f.ID(), N: 20}
			if n, err := r.Call(t.Context(), ctest.Upcalls, at(args)); n != 0 || err != nil || args.Sum != 20 {
				t.Errorf("%d, %v, %+v", n, err, *args)
			}
		}()
		<-done
	})
}

// Garbage is collected while coroutines are suspended, their memory is not touched.
func TestCollectionWhileSuspended(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	var list []*coro.Coroutine
	for i := range 200 {
		co, err := coro.New(ctest.Count, at(&ctest.Args{N: int64(i) + 100}), coro.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer co.Close()
		list = append(list, co)
	}
	for step := range int64(100) {
		for i, co := range list {
			req, err := co.Resume(0)
			if err != nil || req.Kind != coro.Yield {
				t.Fatal(req, err)
			}
			if v := *(*ctest.Item)(req.Pointer); v.X != step || v.Y != step*step {
				t.Fatalf("coroutine %d has %+v at step %d", i, v, step)
			}
		}
		if step%10 == 0 {
			runtime.GC()
		}
	}
}

// A coroutine may be resumed by another goroutine each time.
func TestResumedByOthers(t *testing.T) {
	args := &ctest.Args{N: 1000}
	co, err := coro.New(ctest.Count, at(args), coro.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer co.Close()
	turn := make(chan int64, 1)
	turn <- 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for step := range turn {
				if step == 1000 {
					close(turn)
					return
				}
				req, err := co.Resume(0)
				if err != nil || req.Kind != coro.Yield || (*ctest.Item)(req.Pointer).X != step {
					t.Errorf("step %d: %+v, %v", step, req, err)
				}
				runtime.Gosched()
				turn <- step + 1
			}
		})
	}
	wg.Wait()
}

func TestFork(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		n, err := r.Call(t.Context(), ctest.Fork, nil)
		if n != 42 || err != nil {
			t.Errorf("the child ended with %d, %v", n, err)
		}
	})
}

// Stacks of all sizes, used nearly to their end.
func TestStackSizes(t *testing.T) {
	for _, size := range []int{1, 32 << 10, 64 << 10, 200 << 10, 1 << 20, 8 << 20} {
		r := coro.Floating.With(coro.Options{StackSize: size, Name: "recurse"})
		deep := max(size, 32<<10) * 3 / 4 / 1200
		if n, err := r.Call(t.Context(), ctest.Recurse, at(&ctest.Args{N: int64(deep)})); int(n) < deep || err != nil {
			t.Errorf("%d bytes, %d deep: %d, %v", size, deep, n, err)
		}
	}
	for _, size := range []int{-1, 9 << 20} {
		r := coro.Locked.With(coro.Options{StackSize: size})
		if _, err := r.Call(t.Context(), ctest.Recurse, at(&ctest.Args{})); err == nil || !strings.Contains(err.Error(), "Options.StackSize is") {
			t.Errorf("a stack of %d bytes: %v", size, err)
		}
	}
}

func TestStats(t *testing.T) {
	if coro.Status().Path != coro.PathAssembly {
		t.Skip("no stacks of our own")
	}
	r := coro.Floating.With(coro.Options{StackSize: 1 << 20})
	if _, err := r.Call(t.Context(), ctest.Recurse, at(&ctest.Args{N: 100})); err != nil {
		t.Fatal(err)
	}
	for _, s := range coro.ReadStats().Stacks {
		if s.Size == 1<<20 && s.HighWater >= 100<<10 && s.HighWater <= s.Size && s.InUse == 0 && s.Made > 0 {
			return
		}
	}
	t.Errorf("stats %+v: want 100 KB or more used of a stack of 1 MB", coro.ReadStats())
}

// What was taken in a rush is given back.
func TestStacksAreTrimmed(t *testing.T) {
	if coro.Status().Path != coro.PathAssembly {
		t.Skip("no stacks of our own")
	}
	const many = 2000
	var list []*coro.Coroutine
	for range many {
		co, err := coro.New(ctest.Count, at(&ctest.Args{N: 1}), coro.Options{})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, co)
		if _, err := co.Resume(0); err != nil {
			t.Fatal(err)
		}
	}
	for _, co := range list {
		co.Close()
	}
	for _, s := range coro.ReadStats().Stacks {
		if s.Size == coro.DefaultStackSize && (s.Made < many || s.InUse != 0) {
			t.Errorf("%+v: want %d made and none in use", s, many)
		}
	}
	again, err := coro.New(ctest.Count, at(&ctest.Args{N: 1}), coro.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if req, err := again.Resume(0); err != nil || req.Kind != coro.Yield {
		t.Error(req, err)
	}
	again.Close()
}

// A late cancellation must not reach the next call.
func TestLateCancel(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for i := range 300 {
					ctx, cancel := contextWithCancel(t)
					args := &ctest.Args{N: int64((i % 7) * 10_000)}
					go func() {
						for range (i * 13) % 200 {
							runtime.Gosched()
						}
						cancel()
					}()
					r.Call(ctx, ctest.Sleep, at(args))
					// Nothing cancels this one.
					args = &ctest.Args{N: int64(20 * time.Microsecond)}
					if n, err := r.Call(t.Context(), ctest.Sleep, at(args)); n != 0 || err != nil {
						t.Errorf("goroutine %d, call %d: %d, %v", g, i, n, err)
						return
					}
				}
			})
		}
		wg.Wait()
	})
}
