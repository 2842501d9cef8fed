//go:build cgo

package coro_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

func at(a *ctest.Args) unsafe.Pointer { return unsafe.Pointer(a) }

// addOne is what most tests have C call.
func addOne(i *ctest.Item) { i.Y = i.X + 1 }

// runners are the ways to run, by name.
func runners(t testing.TB) map[string]coro.Runner {
	list := map[string]coro.Runner{"locked": coro.Locked, "floating": coro.Floating}
	for name, o := range map[string]coro.ExecutorOptions{
		"executor":          {Threads: 2, Inline: -1},
		"executor-one":      {Threads: 1, Inline: -1},
		"executor-inline":   {Threads: 1, Inline: 1},
		"executor-bounded":  {Threads: 2, Inline: 1, Queue: 8},
		"executor-defaults": {},
	} {
		x, err := coro.NewExecutor(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
		list[name] = x.Runner()
	}
	return list
}

// everyWay runs a test with each runner.
func everyWay(t *testing.T, f func(*testing.T, coro.Runner)) {
	for name, r := range runners(t) {
		t.Run(name, func(t *testing.T) { f(t, r) })
	}
}

func TestCall(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		if n, err := r.Call(t.Context(), ctest.Return, at(&ctest.Args{A: 40, B: 2})); n != 42 || err != nil {
			t.Errorf("Call gave %d, %v", n, err)
		}
		if n, err := r.Call(t.Context(), ctest.Self, nil); n != 1 || err != nil {
			t.Errorf("seam_self is not the coroutine: %d, %v", n, err)
		}
		if _, err := r.Call(t.Context(), nil, nil); !errors.Is(err, coro.ErrNoFunction) {
			t.Errorf("a nil function gave %v", err)
		}
	})
}

func TestUpcalls(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		f := coro.Register(addOne)
		defer f.Free()
		args := &ctest.Args{Func: f.ID(), N: 1000}
		if n, err := r.Call(t.Context(), ctest.Upcalls, at(args)); n != 0 || err != nil {
			t.Fatal(n, err)
		}
		if args.Sum != 1000*1001/2 || args.Cleaned != 1 {
			t.Errorf("C has %+v", *args)
		}
	})
}

func TestFunc(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		f := coro.Register(addOne)
		defer f.Free()
		upcalls := coro.Of[ctest.Args]("upcalls", ctest.Upcalls).On(r)
		args := ctest.Args{Func: f.ID(), N: 10}
		if n, err := upcalls.Call(t.Context(), &args); n != 0 || err != nil || args.Sum != 55 {
			t.Errorf("%d, %v, %+v", n, err, args)
		}
	})
	defer func() {
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "C function none has no address") {
			t.Errorf("Of with nil: %v", r)
		}
	}()
	coro.Of[ctest.Args]("none", nil)
}

func TestUnknownFunction(t *testing.T) {
	const eNoFunc = -5
	everyWay(t, func(t *testing.T, r coro.Runner) {
		freed := coro.Register(addOne)
		freed.Free()
		freed.Free() // again: nothing happens
		other := coro.Register(addOne)
		defer other.Free()
		for _, id := range []uint64{0, 1, 1 << 40, ^uint64(0), freed.ID(), other.ID() + 1<<32, other.ID() + 1000} {
			args := &ctest.Args{Func: id, N: 3}
			n, err := r.Call(t.Context(), ctest.Upcalls, at(args))
			if n != eNoFunc || err != nil {
				t.Errorf("id %#x: %d, %v", id, n, err)
			}
		}
	})
}

func TestRegisterMany(t *testing.T) {
	const many = 100_000
	list := make([]*coro.Registered, many)
	seen := map[uint64]bool{}
	for i := range list {
		list[i] = coro.Register(func(item *ctest.Item) { item.Y = int64(i) })
		if id := list[i].ID(); id == 0 || seen[id] {
			t.Fatalf("function %d has id %d", i, id)
		}
		seen[list[i].ID()] = true
	}
	for i := 0; i < many; i += 997 {
		args := &ctest.Args{Func: list[i].ID(), N: 1}
		if _, err := coro.Call(t.Context(), ctest.Upcalls, at(args)); err != nil || args.Sum != int64(i) {
			t.Fatalf("function %d gave %d, %v", i, args.Sum, err)
		}
	}
	for _, f := range list {
		f.Free()
	}
	if f := coro.Register(addOne); seen[f.ID()] {
		t.Error("an id was given twice")
	} else {
		f.Free()
	}
}

func TestRegisterContext(t *testing.T) {
	type key struct{}
	failure := errors.New("no more")
	everyWay(t, func(t *testing.T, r coro.Runner) {
		f := coro.RegisterContext(func(ctx context.Context, i *ctest.Item) error {
			if ctx.Value(key{}) != "here" {
				t.Error("not the context of the call")
			}
			if i.X == 5 {
				return failure
			}
			i.Y = i.X
			return nil
		})
		defer f.Free()
		args := &ctest.Args{Func: f.ID(), N: 10}
		n, err := r.Call(context.WithValue(t.Context(), key{}, "here"), ctest.Upcalls, at(args))
		if n != -6 || !errors.Is(err, failure) || args.Sum != 10 || args.Cleaned != 1 {
			t.Errorf("%d, %v, %+v", n, err, *args)
		}
	})
}

// An upcall may do anything that Go code does.
func TestUpcallsMayDoAnything(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		channel := make(chan int64)
		go func() {
			for i := range int64(100) {
				channel <- i
			}
		}()
		inner := coro.Register(addOne)
		defer inner.Free()
		f := coro.Register(func(i *ctest.Item) {
			i.Y = <-channel
			growStack(200)
			runtime.GC()
			args := &ctest.Args{Func: inner.ID(), N: 2}
			if n, err := coro.Call(t.Context(), ctest.Upcalls, at(args)); n != 0 || err != nil || args.Sum != 3 {
				t.Errorf("a call inside an upcall: %d, %v, %+v", n, err, *args)
			}
		})
		defer f.Free()
		args := &ctest.Args{Func: f.ID(), N: 100}
		if n, err := r.Call(t.Context(), ctest.Upcalls, at(args)); n != 0 || err != nil || args.Sum != 4950 {
			t.Errorf("%d, %v, %+v", n, err, *args)
		}
	})
}

//go:noinline
func growStack(depth int) int {
	var a [256]byte
	if depth == 0 {
		return int(a[0])
	}
	a[depth%256] = byte(depth)
	return growStack(depth-1) + int(a[0])
}

func TestPanicInUpcall(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		f := coro.Register(func(i *ctest.Item) {
			if i.X == 3 {
				panic("at three")
			}
			i.Y = 1
		})
		defer f.Free()
		args := &ctest.Args{Func: f.ID(), N: 10}
		func() {
			defer func() {
				if v := recover(); v != "at three" {
					t.Errorf("recovered %v", v)
				}
			}()
			r.Call(t.Context(), ctest.Upcalls, at(args))
			t.Error("the call returned")
		}()
		if args.Code != -2 || args.Cleaned != 1 || args.Sum != 3 {
			t.Errorf("C was told %+v", *args)
		}
		if n, err := r.Call(t.Context(), ctest.Return, at(&ctest.Args{A: 1})); n != 1 || err != nil {
			t.Errorf("the next call: %d, %v", n, err)
		}
	})
}

func TestGoexitInUpcall(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		f := coro.Register(func(*ctest.Item) { runtime.Goexit() })
		defer f.Free()
		args := &ctest.Args{Func: f.ID(), N: 10}
		var wg sync.WaitGroup
		wg.Add(1)
		go func() {
			defer wg.Done()
			r.Call(t.Context(), ctest.Upcalls, at(args))
			t.Error("the call returned")
		}()
		wg.Wait()
		if args.Code != -3 || args.Cleaned != 1 {
			t.Errorf("C was told %+v", *args)
		}
	})
}

// C that goes on after the panic is refused everything, at once.
func TestStubbornCIsRefused(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		calls := 0
		f := coro.Register(func(*ctest.Item) { calls++; panic("once") })
		defer f.Free()
		args := &ctest.Args{Func: f.ID(), N: 1000}
		func() {
			defer func() { recover() }()
			r.Call(t.Context(), ctest.Stubborn, at(args))
		}()
		if calls != 1 || args.Sum != 999 || args.Code != -2 || args.Cleaned != 1 {
			t.Errorf("%d Go calls, C has %+v", calls, *args)
		}
	})
}

func TestGenerator(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		args := &ctest.Args{N: 100}
		squares := coro.Generate[ctest.Item](r, ctest.Count, at(args))
		var sum int64
		for v := range squares.Values(t.Context()) {
			sum += v.Y
		}
		if err := squares.Err(); err != nil || sum != 328350 || squares.Result() != 100 || args.Cleaned != 1 {
			t.Errorf("sum %d, %v, result %d", sum, err, squares.Result())
		}

		// A loop that is left.
		*args = ctest.Args{N: 100}
		for v := range squares.Values(t.Context()) {
			if v.X == 10 {
				break
			}
		}
		if args.Code != -4 || args.Cleaned != 1 || squares.Err() != nil {
			t.Errorf("C was told %+v, error %v", *args, squares.Err())
		}

		// A loop body that panics.
		*args = ctest.Args{N: 100}
		func() {
			defer func() {
				if v := recover(); v != "body" {
					t.Errorf("recovered %v", v)
				}
			}()
			for range squares.Values(t.Context()) {
				panic("body")
			}
		}()
		if args.Code != -2 || args.Cleaned != 1 {
			t.Errorf("C was told %+v", *args)
		}

		// A context that ends.
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		*args = ctest.Args{N: 1e12}
		why := errors.New("enough")
		n := 0
		for range squares.Values(ctx) {
			if n++; n == 5 {
				cancel(why)
				for ctx.Err() == nil {
				}
				time.Sleep(10 * time.Millisecond) // AfterFunc runs on another goroutine
			}
			if n > 1e6 {
				t.Fatal("the loop goes on")
			}
		}
		if !errors.Is(squares.Err(), why) || args.Code != -1 || args.Cleaned != 1 {
			t.Errorf("error %v, C was told %+v", squares.Err(), *args)
		}
	})
}

func TestYieldWithoutLoop(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		args := &ctest.Args{N: 3}
		if _, err := r.Call(t.Context(), ctest.Count, at(args)); err != nil || args.Code != -9 {
			t.Errorf("%v, %+v", err, *args)
		}
	})
}

func TestSleep(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		start := time.Now()
		args := &ctest.Args{N: int64(20 * time.Millisecond)}
		n, err := r.Call(t.Context(), ctest.Sleep, at(args))
		if took := time.Since(start); n != 0 || err != nil || took < 20*time.Millisecond {
			t.Errorf("%d, %v after %v", n, err, took)
		}
		for _, ns := range []int64{0, -5} {
			if n, err := r.Call(t.Context(), ctest.Sleep, at(&ctest.Args{N: ns})); n != 0 || err != nil {
				t.Errorf("sleep of %d: %d, %v", ns, n, err)
			}
		}
	})
}

func pipe(t testing.TB) (r, w int) {
	t.Helper()
	var p [2]int
	if err := syscall.Pipe(p[:]); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, fd := range p {
			syscall.Close(fd) // may be closed by the test
		}
	})
	return p[0], p[1]
}

func TestWaitFD(t *testing.T) {
	const read, write = 1, 4
	everyWay(t, func(t *testing.T, r coro.Runner) {
		rd, wr := pipe(t)
		wait := func(fd int, events int64, timeout time.Duration) (int64, error) {
			return r.Call(t.Context(), ctest.Wait, at(&ctest.Args{FD: int32(fd), A: events, N: int64(timeout)}))
		}
		if n, err := wait(wr, write, -1); n != write || err != nil {
			t.Errorf("writing to an empty pipe: %d, %v", n, err)
		}
		if n, err := wait(rd, read, time.Millisecond); n != -7 || err != nil {
			t.Errorf("reading an empty pipe with a timeout: %d, %v", n, err)
		}
		if n, err := wait(rd, read, 0); n != -7 || err != nil {
			t.Errorf("reading an empty pipe without waiting: %d, %v", n, err)
		}
		for _, fd := range []int{-1, -100, 1 << 20} {
			if n, err := wait(fd, read, -1); n != -8 || err != nil {
				t.Errorf("descriptor %d: %d, %v", fd, n, err)
			}
		}
		file, err := os.Open("coro_test.go")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if n, err := wait(int(file.Fd()), read, -1); n != read || err != nil {
			t.Errorf("a regular file: %d, %v", n, err)
		}
		// The other end speaks while C waits, then hangs up.
		done := make(chan bool)
		go func() {
			defer close(done)
			args := &ctest.Args{FD: int32(rd)}
			if n, err := r.Call(t.Context(), ctest.ReadOne, at(args)); n != 0 || err != nil || args.Sum != 'x' {
				t.Errorf("ReadOne: %d, %v, %+v", n, err, *args)
			}
		}()
		awaitWaiting(t, 1)
		syscall.Write(wr, []byte("x"))
		<-done
		go func() { awaitWaiting(t, 1); syscall.Close(wr) }()
		if n, err := wait(rd, read, -1); n&0x10 == 0 || err != nil {
			t.Errorf("the other end hung up: %d, %v", n, err)
		}
	})
}

// awaitWaiting returns when n coroutines wait for descriptors.
func awaitWaiting(t testing.TB, n int) {
	for start := time.Now(); coro.ReadStats().Waiting != n; {
		if time.Since(start) > time.Minute {
			t.Errorf("%d coroutines wait, want %d", coro.ReadStats().Waiting, n)
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// Two for reading and one for writing, on one descriptor, and all are served.
func TestSeveralWaitForOne(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Close(pair[0])
		defer syscall.Close(pair[1])
		var wg sync.WaitGroup
		var sum [2]int64
		for i := range 2 {
			wg.Go(func() {
				args := &ctest.Args{FD: int32(pair[0])}
				if n, err := r.Call(t.Context(), ctest.ReadOne, at(args)); n != 0 || err != nil {
					t.Errorf("reader %d: %d, %v", i, n, err)
				}
				sum[i] = args.Sum
			})
		}
		awaitWaiting(t, 2)
		if n, err := r.Call(t.Context(), ctest.Wait, at(&ctest.Args{FD: int32(pair[0]), A: 4, N: -1})); n != 4 || err != nil {
			t.Errorf("writer: %d, %v", n, err)
		}
		syscall.Write(pair[1], []byte{1})
		syscall.Write(pair[1], []byte{2})
		wg.Wait()
		if sum[0]+sum[1] != 3 {
			t.Errorf("read %v", sum)
		}
	})
}

func TestPollTwo(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		r1, w1 := pipe(t)
		r2, w2 := pipe(t)
		_ = w1
		args := &ctest.Args{FD: int32(r1), FD2: int32(r2), N: -1}
		go func() { awaitWaiting(t, 1); syscall.Write(w2, []byte("x")) }()
		if n, err := r.Call(t.Context(), ctest.PollTwo, at(args)); n != 0 || err != nil || args.Code != 0 || args.A != 0 || args.B != 1 {
			t.Errorf("%d, %v, %+v", n, err, *args)
		}
		*args = ctest.Args{FD: int32(r1), FD2: -1, N: int64(time.Millisecond)}
		if n, err := r.Call(t.Context(), ctest.PollTwo, at(args)); n != 0 || err != nil || args.Code != -7 {
			t.Errorf("timeout: %d, %v, %+v", n, err, *args)
		}
	})
}

func TestCancel(t *testing.T) {
	why := errors.New("not wanted any more")
	everyWay(t, func(t *testing.T, r coro.Runner) {
		rd, _ := pipe(t)
		other, _ := pipe(t)
		f := coro.Register(addOne)
		defer f.Free()
		for name, c := range map[string]struct {
			fn   unsafe.Pointer
			args ctest.Args
			want int64
		}{
			"wait":  {ctest.ReadOne, ctest.Args{FD: int32(rd)}, -1},
			"poll":  {ctest.PollTwo, ctest.Args{FD: int32(rd), FD2: int32(other), N: -1}, 0},
			"sleep": {ctest.Sleep, ctest.Args{N: int64(time.Hour)}, -1},
			"hold":  {ctest.Hold, ctest.Args{N: int64(time.Millisecond)}, 0},
			"spin":  {ctest.SpinUntilCancelled, ctest.Args{Func: f.ID()}, -1},
		} {
			t.Run(name, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(5*time.Millisecond, func() { cancel(why) })
				args := c.args
				n, err := r.Call(ctx, c.fn, at(&args))
				if n != c.want || !errors.Is(err, why) {
					t.Errorf("%d, %v", n, err)
				}
			})
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		if _, err := r.Call(ctx, ctest.Return, at(&ctest.Args{})); !errors.Is(err, why) {
			t.Errorf("a context that had ended gave %v", err)
		}
		// C that returns before it notices succeeds.
		ctx, cancel = context.WithCancelCause(t.Context())
		f2 := coro.Register(func(*ctest.Item) { cancel(why) })
		defer f2.Free()
		if n, err := r.Call(ctx, ctest.Upcalls, at(&ctest.Args{Func: f2.ID(), N: 1})); n != 0 || err != nil {
			t.Errorf("C that did not notice: %d, %v", n, err)
		}
	})
}

func TestDeadline(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		args := &ctest.Args{}
		if _, err := r.Call(ctx, ctest.Deadline, at(args)); err != nil || args.Sum < int64(59*time.Minute) {
			t.Errorf("%v, deadline %d", err, args.Sum)
		}
		args = &ctest.Args{Sum: 1}
		if _, err := r.Call(t.Context(), ctest.Deadline, at(args)); err != nil || args.Sum != 0 {
			t.Errorf("without a deadline: %v, %d", err, args.Sum)
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := r.Call(ctx, ctest.Sleep, at(&ctest.Args{N: int64(time.Hour)})); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a deadline that passed gave %v", err)
		}
	})
}

func TestOffload(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		args := &ctest.Args{}
		if n, err := r.Call(t.Context(), ctest.Offload, at(args)); n != 0 || err != nil || args.Sum == 0 {
			t.Errorf("%d, %v, %+v", n, err, *args)
		}
	})
}

// C that was compiled with another version of the header is told so.
func TestOtherABI(t *testing.T) {
	if coro.Status().Path != coro.PathAssembly {
		t.Skip("only where C switches by itself")
	}
	args := &ctest.Args{}
	if _, err := coro.Call(t.Context(), ctest.OtherABI, at(args)); err != nil || args.Code != -10 || args.Sum != -10 {
		t.Errorf("%v, %+v", err, *args)
	}
}

func TestResume(t *testing.T) {
	f := coro.Register(addOne)
	defer f.Free()
	args := &ctest.Args{Func: f.ID(), N: 3}
	co, err := coro.New(ctest.Upcalls, at(args), coro.Options{Name: "upcalls"})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []coro.Kind
	for {
		req, err := co.Resume(0)
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, req.Kind)
		if req.Kind == coro.Done {
			break
		}
		if req.ID != f.ID() {
			t.Errorf("id %d", req.ID)
		}
		(*ctest.Item)(req.Pointer).Y = 7
	}
	if want := []coro.Kind{coro.Upcall, coro.Upcall, coro.Upcall, coro.Done}; !slices.Equal(kinds, want) || args.Sum != 21 {
		t.Errorf("requests %v, sum %d", kinds, args.Sum)
	}
	if _, err := co.Resume(0); !errors.Is(err, coro.ErrFinished) {
		t.Errorf("resume of a finished one: %v", err)
	}
	if err := co.Close(); err != nil {
		t.Error(err)
	}
}

func TestResumeMisused(t *testing.T) {
	if _, err := coro.New(nil, nil, coro.Options{}); !errors.Is(err, coro.ErrNoFunction) {
		t.Errorf("a nil function: %v", err)
	}
	if _, err := coro.New(ctest.Return, nil, coro.Options{StackSize: 9 << 20}); err == nil || !strings.Contains(err.Error(), "StackSize is 9437184: want 0 to 8388608 bytes") {
		t.Errorf("a stack too large: %v", err)
	}
	// Closed before it ran, and while it waits.
	co, err := coro.New(ctest.Count, at(&ctest.Args{N: 10}), coro.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := co.Close(); err != nil {
		t.Error(err)
	}
	if _, err := co.Resume(0); !errors.Is(err, coro.ErrClosed) {
		t.Errorf("resume of a closed one: %v", err)
	}
	args := &ctest.Args{N: 10}
	if co, err = coro.New(ctest.Count, at(args), coro.Options{}); err != nil {
		t.Fatal(err)
	}
	if req, err := co.Resume(0); err != nil || req.Kind != coro.Yield {
		t.Fatal(req, err)
	}
	if err := co.Close(); err != nil || args.Code != -4 || args.Cleaned != 1 {
		t.Errorf("close: %v, %+v", err, *args)
	}
	if err := co.Close(); err != nil {
		t.Error(err)
	}
	// Resumed by its own upcall.
	var self *coro.Coroutine
	f := coro.Register(func(*ctest.Item) {
		if _, err := self.Resume(0); !errors.Is(err, coro.ErrRunning) {
			t.Errorf("resume of a running one: %v", err)
		}
		if err := self.Close(); !errors.Is(err, coro.ErrRunning) {
			t.Errorf("close of a running one: %v", err)
		}
	})
	defer f.Free()
	if self, err = coro.New(ctest.Upcalls, at(&ctest.Args{Func: f.ID(), N: 1}), coro.Options{}); err != nil {
		t.Fatal(err)
	}
	for {
		req, err := self.Resume(0)
		if err != nil {
			t.Fatal(err)
		}
		if req.Kind == coro.Done {
			break
		}
		if _, err := self.Serve(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestExecutorClosed(t *testing.T) {
	x, err := coro.NewExecutor(coro.ExecutorOptions{Threads: 1, Inline: -1})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan int64)
	go func() {
		n, _ := x.Runner().Call(context.Background(), ctest.Sleep, at(&ctest.Args{N: int64(50 * time.Millisecond)}))
		done <- n
	}()
	time.Sleep(10 * time.Millisecond)
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	select {
	case n := <-done: // the call under way has ended, and well
		if n != 0 {
			t.Errorf("the call gave %d", n)
		}
	case <-time.After(time.Minute):
		t.Error("Close did not wait for the call under way")
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if _, err := x.Runner().Call(t.Context(), ctest.Return, at(&ctest.Args{})); !errors.Is(err, coro.ErrClosed) {
		t.Errorf("a call on a closed executor: %v", err)
	}
	for _, o := range []coro.ExecutorOptions{{Threads: -1}, {Inline: -2}, {Queue: -1}} {
		if _, err := coro.NewExecutor(o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

// Calls beyond the queue wait for room, or for their context.
func TestExecutorQueue(t *testing.T) {
	x, err := coro.NewExecutor(coro.ExecutorOptions{Threads: 1, Inline: -1, Queue: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	ctx, cancel := context.WithCancel(t.Context())
	held := make(chan error)
	go func() {
		_, err := x.Runner().Call(ctx, ctest.Hold, at(&ctest.Args{N: int64(time.Hour)}))
		held <- err
	}()
	for x.Calls() != 1 {
		time.Sleep(time.Millisecond)
	}
	short, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	if _, err := x.Runner().Call(short, ctest.Return, at(&ctest.Args{})); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call without room: %v", err)
	}
	cancel()
	if err := <-held; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n, err := x.Runner().Call(t.Context(), ctest.Return, at(&ctest.Args{A: 1})); n != 1 || err != nil {
		t.Errorf("with room again: %d, %v", n, err)
	}
}
