//go:build cgo

package coro_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"testing"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

// Generators work under iter.Pull, and C stays on one thread where it does so in a loop.
func TestPull(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		args := &ctest.Args{N: 100}
		g := coro.Generate[ctest.Item](r, ctest.Threads, at(args))
		next, stop := iter.Pull(g.Values(t.Context()))
		threads := map[int64]bool{}
		for i := range args.N {
			turn := make(chan bool)
			go func() { // another goroutine each time, and perhaps another thread
				v, ok := next()
				if !ok || v.X != i {
					t.Errorf("value %d is %+v, %v", i, v, ok)
				}
				threads[v.Y] = true
				turn <- true
			}()
			<-turn
		}
		if v, ok := next(); ok {
			t.Errorf("one more value: %+v", v)
		}
		stop()
		if g.Err() != nil || g.Result() != 100 || args.Cleaned != 1 {
			t.Errorf("%v, result %d, %+v", g.Err(), g.Result(), *args)
		}
		if r != coro.Floating && len(threads) != 1 {
			t.Errorf("C was on %d threads", len(threads))
		}
	})
}

func TestPullIsStopped(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		args := &ctest.Args{N: 100}
		g := coro.Generate[ctest.Item](r, ctest.Count, at(args))
		next, stop := iter.Pull(g.Values(t.Context()))
		next()
		stop()
		if args.Code != -4 || args.Cleaned != 1 || g.Err() != nil {
			t.Errorf("C was told %+v, error %v", *args, g.Err())
		}

		// A context that ends, and an iterator around the generator that panics.
		ctx, cancel := context.WithCancel(t.Context())
		*args = ctest.Args{N: 1e12}
		next, stop = iter.Pull(g.Values(ctx))
		next()
		cancel()
		for range 1_000_000 {
			if _, ok := next(); !ok {
				break
			}
		}
		stop()
		if args.Code != -1 || args.Cleaned != 1 || !errors.Is(g.Err(), context.Canceled) {
			t.Errorf("C was told %+v, error %v", *args, g.Err())
		}

		*args = ctest.Args{N: 100}
		next, stop = iter.Pull(func(yield func(ctest.Item) bool) {
			for v := range g.Values(t.Context()) {
				if v.X == 3 {
					panic("at three")
				}
				yield(v)
			}
		})
		func() {
			defer func() {
				if v := recover(); v != "at three" {
					t.Errorf("recovered %v", v)
				}
			}()
			for {
				next()
			}
		}()
		stop() // of what has ended: nothing
		if args.Code != -2 || args.Cleaned != 1 {
			t.Errorf("C was told %+v", *args)
		}
	})
}

// A goroutine that is locked already has the thread that C is to run on.
func TestPullOfLockedGoroutine(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		g := coro.Generate[ctest.Item](r, ctest.Threads, at(&ctest.Args{N: 10}))
		next, stop := iter.Pull(g.Values(t.Context()))
		defer stop()
		here := &ctest.Args{}
		coro.Call(t.Context(), ctest.Offload, at(here)) // Sum: the thread
		for i := range int64(10) {
			v, ok := next()
			if !ok || v.X != i {
				t.Errorf("value %d is %+v, %v", i, v, ok)
			}
			if r == coro.Locked && coro.Status().Path == coro.PathAssembly && v.Y != here.A {
				t.Errorf("C is on thread %d, the goroutine on %d", v.Y, here.A)
			}
		}
	})
}

// Many at once, with garbage collections and loops that are left.
func TestPullStress(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		together(t, r, 8, func() (int64, error) {
			var wrong int64
			for round := range int64(20) {
				g := coro.Generate[ctest.Item](r, ctest.Count, at(&ctest.Args{N: 50}))
				next, stop := iter.Pull(g.Values(t.Context()))
				for i := range round {
					if v, ok := next(); !ok || v.X != i || v.Y != i*i {
						wrong++
					}
				}
				if round%7 == 0 {
					runtime.GC()
				}
				stop()
			}
			return wrong, nil
		})
	})
}
