//go:build cgo

package coro_test

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

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

// Two for reading and one for writing, on one descriptor, and all are served. One byte may
// wake both readers. The descriptor is non-blocking, or the second would block in read, and
// a collection that begins then would stop the writer and wait for the reader.
func TestSeveralWaitForOne(t *testing.T) {
	everyWayAtOnce(t, func(t *testing.T, r coro.Runner) {
		pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0)
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
				// On a machine that stalls, C may not have begun when the call is cancelled.
				for after := 5 * time.Millisecond; ; after *= 10 {
					ctx, cancel := context.WithCancelCause(t.Context())
					time.AfterFunc(after, func() { cancel(why) })
					args := c.args
					n, err := r.Call(ctx, c.fn, at(&args))
					if n == c.want && errors.Is(err, why) {
						break
					}
					if after > time.Second || !errors.Is(err, why) {
						t.Fatalf("%d, %v", n, err)
					}
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
