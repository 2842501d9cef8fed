//go:build cgo && linux

package coro_test

import (
	"context"
	"errors"
	"runtime"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

const ages = 1000 * time.Hour // that only a bubble's clock passes

// monotonic reads the system's clock.
func monotonic() time.Duration {
	const clockMonotonic = 1
	var ts syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano())
}

// tryBubble does in a bubble what users do there, with the way to run that newRunner makes
// in it.
func tryBubble(t *testing.T, newRunner func(*testing.T) coro.Runner) {
	for range 3 {
		synctest.Test(t, func(t *testing.T) {
			r := newRunner(t)
			start := time.Now()
			done := make(chan bool)
			for range 5 { // more than an executor has threads
				go func() {
					if n, err := r.Call(t.Context(), ctest.Sleep, at(&ctest.Args{N: int64(ages)})); n != 0 || err != nil {
						t.Errorf("a sleep: %d, %v", n, err)
					}
					done <- true
				}()
			}
			for range 5 {
				<-done
			}
			if took := time.Since(start); took != ages {
				t.Errorf("five sleeps at once took %v", took)
			}

			ctx, cancel := context.WithTimeout(t.Context(), ages)
			defer cancel()
			args := &ctest.Args{N: int64(2 * ages)}
			if n, err := r.Call(ctx, ctest.Sleep, at(args)); n != -1 || !errors.Is(err, context.DeadlineExceeded) || args.Cleaned != 1 {
				t.Errorf("a sleep that is cancelled: %d, %v, %+v", n, err, *args)
			}

			f := coro.Register(func(i *ctest.Item) {
				time.Sleep(time.Hour)
				i.Y = i.X + 1
			})
			defer f.Free()
			args = &ctest.Args{Func: f.ID(), N: 10}
			start = time.Now()
			if n, err := r.Call(t.Context(), ctest.Upcalls, at(args)); n != 0 || err != nil || args.Sum != 55 || time.Since(start) != 10*time.Hour {
				t.Errorf("upcalls that sleep: %d, %v, %+v, in %v", n, err, *args, time.Since(start))
			}
			waitInBubble(t, r)
		})
	}
}

// waitInBubble waits for descriptors, which goes by the system's clock.
func waitInBubble(t *testing.T, r coro.Runner) {
	rd, _ := pipe(t)
	if n, err := r.Call(t.Context(), ctest.Wait, at(&ctest.Args{FD: int32(rd), A: 1, N: int64(time.Millisecond)})); n != -7 || err != nil {
		t.Errorf("a wait with a timeout: %d, %v", n, err)
	}
	const many = 5 // Floating parks some
	var ends [many]int
	read := make(chan int64)
	for i := range ends {
		from, to := pipe(t)
		ends[i] = to
		go func() {
			args := &ctest.Args{FD: int32(from)}
			r.Call(t.Context(), ctest.ReadOne, at(args))
			read <- args.Sum
		}()
	}
	for _, w := range ends {
		for range 1000 {
			runtime.Gosched()
		}
		syscall.Write(w, []byte{7})
		if n := <-read; n != 7 {
			t.Errorf("read %d", n)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	for range many {
		go func() {
			_, err := r.Call(ctx, ctest.Wait, at(&ctest.Args{FD: int32(rd), A: 1, N: int64(time.Hour)}))
			ended <- err
		}()
	}
	for coro.ReadStats().Waiting < many { // all in other threads, or polled by one
		runtime.Gosched()
	}
	cancel()
	for range many {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("a wait that is cancelled: %v", err)
		}
	}
}

// Coroutines work in bubbles of testing/synctest, before and after others outside.
func TestBubble(t *testing.T) {
	outside := func(t *testing.T, r coro.Runner) {
		together(t, r, 8, func() (int64, error) {
			_, err := r.Call(t.Context(), ctest.Sleep, at(&ctest.Args{N: 1000}))
			rd, _ := pipe(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			n, err2 := r.Call(ctx, ctest.Wait, at(&ctest.Args{FD: int32(rd), A: 1, N: 1000}))
			return n + 7, errors.Join(err, err2)
		})
	}
	for name, r := range map[string]coro.Runner{"locked": coro.Locked, "floating": coro.Floating} {
		t.Run(name, func(t *testing.T) {
			outside(t, r)
			tryBubble(t, func(*testing.T) coro.Runner { return r })
			outside(t, r)
		})
	}
	for name, o := range map[string]coro.ExecutorOptions{
		"executor":        {Threads: 2, Inline: -1},
		"executor-inline": {},
		"executor-queue":  {Queue: 16},
		"executor-own":    {Threads: 8, OnePerThread: true},
	} {
		t.Run(name, func(t *testing.T) {
			tryBubble(t, func(t *testing.T) coro.Runner {
				x, err := coro.NewExecutor(o)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { x.Close() })
				return x.Runner()
			})
		})
	}
}

// An executor that was made outside sleeps by the system's clock in bubbles too.
func TestBubbleWithExecutorFromOutside(t *testing.T) {
	for _, inline := range []int{-1, 1} {
		x, err := coro.NewExecutor(coro.ExecutorOptions{Inline: inline, Queue: 16})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		for range 3 {
			synctest.Test(t, func(t *testing.T) {
				before := time.Now()
				real := monotonic()
				if n, err := x.Runner().Call(t.Context(), ctest.Sleep, at(&ctest.Args{N: int64(time.Millisecond)})); n != 0 || err != nil {
					t.Errorf("a sleep: %d, %v", n, err)
				}
				if took := monotonic() - real; took < time.Millisecond {
					t.Errorf("it took %v", took)
				}
				if took := time.Since(before); took != 0 {
					t.Errorf("the bubble's clock moved by %v", took)
				}
				waitInBubble(t, x.Runner())
			})
			if n, err := x.Runner().Call(t.Context(), ctest.Sleep, at(&ctest.Args{N: 1})); n != 0 || err != nil {
				t.Errorf("outside again: %d, %v", n, err)
			}
		}
	}
}

// Generators and Coroutines need nothing of time.
func TestBubbleGenerator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := coro.Generate[ctest.Item](coro.Locked, ctest.Count, at(&ctest.Args{N: 100}))
		sum := int64(0)
		for v := range g.Values(t.Context()) {
			time.Sleep(time.Second)
			sum += v.X
		}
		if sum != 4950 || g.Err() != nil {
			t.Errorf("%d, %v", sum, g.Err())
		}
		co, err := coro.New(ctest.Sleep, at(&ctest.Args{N: int64(time.Hour)}), coro.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := co.Resume(0); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if n, err := co.Serve(); n != 0 || err != nil || time.Since(start) != time.Hour {
			t.Errorf("Serve gave %d, %v, after %v", n, err, time.Since(start))
		}
		if q, err := co.Resume(0); q.Kind != coro.Done || err != nil {
			t.Errorf("%v, %v", q, err)
		}
	})
}
