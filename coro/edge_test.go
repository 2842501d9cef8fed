//go:build cgo && linux

package coro_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

// The x87 unit's registers are C's across a switch.
func TestLongDouble(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		together(t, r, 6, func() (int64, error) {
			args := &ctest.Args{A: 12345, N: 10}
			_, err := r.Call(t.Context(), ctest.LongDouble, at(args))
			return args.Sum, err
		})
	})
}

// The rounding that a coroutine leaves behind is not the next one's, with a thread
// that both share.
func TestRoundingIsNotLeftBehind(t *testing.T) {
	if coro.Status().Path != coro.PathAssembly {
		t.Skip("in the fallback it stays with the thread")
	}
	x, err := coro.NewExecutor(coro.ExecutorOptions{Threads: 1, Inline: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for range 2 {
		if n, err := x.Runner().Call(t.Context(), ctest.LeaveRounding, at(&ctest.Args{A: 1})); n != 0 || err != nil {
			t.Errorf("rounding is another than usual: %d, %v", n, err)
		}
	}
}

// Settings that somebody has made for the thread are those of C, of Go in an upcall and of
// the thread afterwards.
func TestFloatingPointSettingsOfTheThread(t *testing.T) {
	settings := map[string]map[string]uint32{
		"amd64": {"usual": 0x1f80, "down": 0x3f80, "up": 0x5f80, "to zero": 0x7f80, "flush to zero": 0x9f80, "denormals are zeros": 0x1fc0},
		"arm64": {"usual": 0, "up": 1 << 22, "down": 2 << 22, "to zero": 3 << 22, "flush to zero": 1 << 24},
	}[runtime.GOARCH]
	if coro.Status().Path != coro.PathAssembly {
		t.Skip("in the fallback C has a thread of its own")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for name, v := range settings {
		var inGo uint32
		f := coro.Register(func(*ctest.Item) { inGo = ctest.SetFP(v) })
		args := &ctest.Args{Func: f.ID()}
		was := ctest.SetFP(v)
		n, err := coro.Call(t.Context(), ctest.FP, at(args))
		after := ctest.SetFP(was)
		f.Free()
		if uint32(args.Sum) != v || uint32(n) != v || inGo != v || after != v || err != nil {
			t.Errorf("%s, %#x: C had %#x, and %#x after an upcall; Go had %#x, and %#x after the call; %v", name, v, args.Sum, n, inGo, after, err)
		}
	}
	if settings == nil {
		t.Error("no settings are known for this architecture")
	}
}

// A coroutine that begins in an upcall of one that rounds upward rounds as usual, and leaves
// the other its rounding.
func TestRoundingOfNestedCalls(t *testing.T) {
	if coro.Status().Path != coro.PathAssembly {
		t.Skip("in the fallback it stays with the thread")
	}
	everyWay(t, func(t *testing.T, outer coro.Runner) {
		for name, inner := range runners(t) {
			f := coro.Register(func(*ctest.Item) {
				if n, err := inner.Call(t.Context(), ctest.LeaveRounding, at(&ctest.Args{})); n != 0 || err != nil {
					t.Errorf("%s: rounding is that of the coroutine around it: %d, %v", name, n, err)
				}
			})
			defer f.Free()
			args := &ctest.Args{Func: f.ID(), N: 3}
			if _, err := outer.Call(t.Context(), ctest.Rounding, at(args)); err != nil || args.Sum != 0 {
				t.Errorf("around %s: %v, C found %d things wrong", name, err, args.Sum)
			}
		}
	})
}

// A Floating coroutine goes on rounding as usual on a thread with another x87 control word: C that
// was there before may have left it, or the thread was made in a callback of such C.
func TestRoundingOfTheThreadBefore(t *testing.T) {
	if coro.Status().Path != coro.PathAssembly {
		t.Skip("in the fallback it stays with the thread")
	}
	f := coro.Register(func(*ctest.Item) {
		runtime.LockOSThread()
		ctest.SetX87(true)
	})
	defer f.Free()
	n, err := coro.Floating.Call(t.Context(), ctest.RoundsAfterUpcall, at(&ctest.Args{Func: f.ID()}))
	ctest.SetX87(false)
	runtime.UnlockOSThread()
	if n != 0 || err != nil {
		t.Errorf("C rounds as the thread did: %d, %v", n, err)
	}
}

// So does a Coroutine that begins there, and ends on another thread, which keeps its own.
func TestRoundingOfACoroutineThatMoves(t *testing.T) {
	if coro.Status().Path != coro.PathAssembly {
		t.Skip("in the fallback it stays with the thread")
	}
	f := coro.Register(func(*ctest.Item) {
		co, err := coro.New(ctest.Sleep, at(&ctest.Args{}), coro.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := co.Resume(0); err != nil {
			t.Error(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			if req, err := co.Resume(0); req.Kind != coro.Done || err != nil {
				t.Errorf("%v, %v", req.Kind, err)
			}
			if ctest.RoundsUpward() {
				t.Error("the thread on which it ended rounds upward now")
			}
		})
		wg.Wait()
		co.Close()
	})
	defer f.Free()
	if _, err := coro.Call(t.Context(), ctest.Rounding, at(&ctest.Args{Func: f.ID(), N: 1})); err != nil {
		t.Error(err)
	}
}

// A number that C has closed may name one of our own epoll instances by now.
func TestWaitForOurOwnDescriptor(t *testing.T) {
	x, err := coro.NewExecutor(coro.ExecutorOptions{Threads: 1, Inline: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	all, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, path := range all {
		if to, _ := os.Readlink(path); to != "anon_inode:[eventpoll]" {
			continue
		}
		fd, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			t.Fatal(err)
		}
		const eBadFD, eTimedOut = -8, -7
		switch n, err := x.Runner().Call(t.Context(), ctest.Wait, at(&ctest.Args{FD: int32(fd), A: 1, N: 1e6})); {
		case n == eBadFD:
			refused++
		case n < 0 && n != eTimedOut || err != nil:
			t.Errorf("a wait for %d, an epoll instance: %d, %v", fd, n, err)
		}
	}
	if refused == 0 && coro.Status().Path == coro.PathAssembly {
		t.Error("the thread waits for its own epoll instance")
	}
}

// Times that no clock reaches are no times that have passed.
func TestFarTimes(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		rd, _ := pipe(t)
		for what, f := range map[string]struct {
			fn   unsafe.Pointer
			args ctest.Args
		}{
			"sleep": {ctest.Sleep, ctest.Args{N: math.MaxInt64 - 1}},
			"wait":  {ctest.Wait, ctest.Args{FD: int32(rd), A: 1, N: math.MaxInt64 - 1}},
		} {
			n, err := int64(0), context.DeadlineExceeded
			for d := 50 * time.Millisecond; n == 0 && errors.Is(err, context.DeadlineExceeded); d *= 2 { // before C began
				ctx, cancel := context.WithTimeout(t.Context(), d)
				n, err = r.Call(ctx, f.fn, at(&f.args))
				cancel()
			}
			if n != -1 || err == nil {
				t.Errorf("a %s of 292 years: %d, %v", what, n, err)
			}
		}
	})
	ctx, cancel := context.WithDeadline(t.Context(), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))
	defer cancel()
	args := &ctest.Args{}
	if _, err := coro.Call(ctx, ctest.Deadline, at(args)); err != nil || args.Sum != math.MaxInt64 {
		t.Errorf("the deadline of the year 9999 is %d, %v", args.Sum, err)
	}
}

// What is offloaded may get Go memory with pointers in it, as coroutines may.
func TestOffloadGoMemory(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		args := &ctest.Args{P: unsafe.Pointer(new([64]byte))}
		if n, err := r.Call(t.Context(), ctest.Offload, at(args)); n != 0 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
}

// A wait that was given up leaves its descriptor armed. When the number means another
// file later, while the first one is still open elsewhere, its events are not the
// other file's.
func TestNumberIsUsedAgain(t *testing.T) {
	everyWayAtOnce(t, func(t *testing.T, r coro.Runner) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan bool)
		const others = 3 // that wait, so that Floating parks
		for range others {
			rd, _ := pipe(t)
			go func() {
				r.Call(ctx, ctest.Wait, at(&ctest.Args{FD: int32(rd), A: 1, N: -1}))
				done <- true
			}()
		}
		awaitWaiting(t, others)
		r1, w1 := pipe(t)
		still, err := syscall.Dup(r1)
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Close(still)
		wait := func(timeout time.Duration) (int64, error) {
			return r.Call(t.Context(), ctest.Wait, at(&ctest.Args{FD: int32(r1), A: 1, N: int64(timeout)}))
		}
		if n, err := wait(time.Millisecond); n != -7 || err != nil {
			t.Errorf("the first file: %d, %v", n, err)
		}
		r2, _ := pipe(t)
		if err := syscall.Dup3(r2, r1, 0); err != nil {
			t.Fatal(err)
		}
		over, written := make(chan bool), make(chan bool)
		go func() {
			defer close(written)
			for coro.ReadStats().Waiting <= others {
				select {
				case <-over: // before this goroutine had a look: the next test may have the number
					return
				case <-time.After(time.Millisecond):
				}
			}
			syscall.Write(w1, []byte("x")) // to the first file
		}()
		if n, err := wait(50 * time.Millisecond); n != -7 || err != nil {
			t.Errorf("the other file, which is empty: %d, %v", n, err)
		}
		close(over)
		<-written
		cancel()
		for range others {
			<-done
		}
	})
}

// Operations outside of a coroutine are refused: without one, and with one that is
// in the middle of something else.
func TestOutside(t *testing.T) {
	if coro.Status().Path != coro.PathAssembly {
		t.Skip("the fallback can't tell whose thread it is on")
	}
	f := coro.Register(func(i *ctest.Item) {
		if n := ctest.Outside(i.X); n != 0 {
			t.Errorf("%d operations were not refused", n)
		}
	})
	defer f.Free()
	if n, err := coro.Call(t.Context(), ctest.Lend, at(&ctest.Args{Func: f.ID()})); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// A loop that panics does not keep the error of the loop before.
func TestErrAfterPanic(t *testing.T) {
	g := coro.Generate[ctest.Item](coro.Locked, ctest.Count, at(&ctest.Args{N: 3}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range g.Values(ctx) {
		t.Error("a value though the context has ended")
	}
	if g.Err() == nil {
		t.Error("no error though the context has ended")
	}
	func() {
		defer func() { recover() }()
		for range g.Values(t.Context()) {
			panic("body")
		}
	}()
	if g.Err() != nil {
		t.Errorf("the loop that panicked has the error %v", g.Err())
	}
}

func TestZeroRegistered(t *testing.T) {
	var none coro.Registered
	none.Free()
	if none.ID() != 0 {
		t.Errorf("the zero Registered has id %d", none.ID())
	}
}

type brokenContext struct{ context.Context }

func (brokenContext) Deadline() (time.Time, bool) { panic("no deadline") }

// A context that panics costs no stack.
func TestBrokenContext(t *testing.T) {
	inUse := func() (n int) {
		for _, s := range coro.ReadStats().Stacks {
			n += s.InUse
		}
		return n
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	before := inUse()
	// With Locked it panics while C runs and asks, else before that.
	for _, r := range []coro.Runner{coro.Locked, coro.Floating} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			r.Call(brokenContext{ctx}, ctest.Deadline, at(&ctest.Args{}))
		}()
	}
	if now := inUse(); now != before {
		t.Errorf("%d stacks are in use, %d before", now, before)
	}
}
