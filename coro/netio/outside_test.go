//go:build cgo && linux && (amd64 || arm64) && !msan

package netio_test

import (
	"syscall"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/coro/netio/internal/ctest"
)

// A C thread that blocks in read can be cancelled.
func TestThreadCancellation(t *testing.T) {
	r, _ := pipe(t)
	if got := ctest.CancelRead(r); got != 1 {
		t.Errorf("the thread was not cancelled: %d", got)
	}
}

// Outside of coroutines a call blocks its thread, and is woken.
func TestBlocksOutside(t *testing.T) {
	for _, b := range waits() {
		t.Run(ctest.Names[b.kind]+"/"+b.name, func(t *testing.T) {
			op := b.op(t)
			release := b.prepare(t, op)
			if missing(t, b.kind) {
				t.Skip("the kernel has no ", ctest.Names[b.kind])
			}
			p := &pending{op: op, ended: make(chan struct{})}
			go func() {
				defer close(p.ended)
				for op.Err = int32(syscall.EINTR); op.Err == int32(syscall.EINTR); { // by a signal of Go's
					op.Plain()
				}
			}()
			until(t, "the call has begun", func() bool { return started(op) })
			release()
			b.check(t, p)
		})
	}
}

// A child made in a coroutine is an ordinary process: it waits by itself, and what
// it closes is not closed for us.
func TestChildren(t *testing.T) {
	needCoroutines(t)
	for name, r := range runners(t) {
		t.Run(name+"/fork", func(t *testing.T) {
			var fds [2]int32
			a, b := pipe(t)
			fds[0], fds[1] = int32(a), int32(b)
			if n, err := r.Call(t.Context(), ctest.ForkFn, unsafe.Pointer(&fds)); n != 0 || err != nil {
				t.Errorf("the child ended with %d; %v", n, err)
			}
		})
		t.Run(name+"/vfork", func(t *testing.T) {
			fds := new([2]int32)
			a, b := pipe(t)
			fds[0], fds[1] = int32(a), int32(b)
			// Somebody waits for the descriptor that the child closes.
			op := newOp(t, ctest.Poll, 0)
			op.FDs[0], op.NFDs = ctest.PollFD{FD: int32(a), Events: 2}, 1
			waiter := start(t, r, op)
			untilWaiting(t, 1)
			if n, err := r.Call(t.Context(), ctest.VforkFn, unsafe.Pointer(fds)); n != 0 || err != nil {
				t.Errorf("the child ended with %d; %v", n, err)
			}
			select {
			case <-waiter.ended:
				t.Errorf("a wait was ended: %d, errno %s", op.Result, errno(int(op.Err)))
			default:
			}
		})
	}
}

// A signal handler's calls are plain, on whatever the signal came upon.
func TestSignalHandler(t *testing.T) {
	needCoroutines(t)
	for name, r := range runners(t) {
		t.Run(name, func(t *testing.T) {
			fds := new([2]int32)
			a, b := pipe(t)
			fds[0], fds[1] = int32(a), int32(b)
			if n, err := r.Call(t.Context(), ctest.SignalFn, unsafe.Pointer(fds)); n != 's' || err != nil {
				t.Errorf("got %d; %v", n, err)
			}
		})
	}
}
