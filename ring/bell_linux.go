package ring

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// eventBell is an eventfd in Go's poller, by which another process wakes an end of this
// one.
//
// Nobody reads it. The poller reports edges, and each write to an eventfd is one, so the
// count doesn't matter; a peer that clears O_NONBLOCK on the descriptor, which both
// share, can't make a read wait for ever, and each sleep saves a system call.
type eventBell struct {
	file *os.File
	conn syscall.RawConn
	end  *end                  // that sleeps
	arm  func(fd uintptr) bool // end.arm, made once
}

// newEventBell takes over fd.
func newEventBell(fd int) (*eventBell, error) {
	file := os.NewFile(uintptr(fd), "eventfd")
	// Without the poller a deadline can't be set.
	if err := file.SetReadDeadline(time.Time{}); err != nil {
		file.Close()
		return nil, wrap(ErrMismatch, "the descriptor to sleep on: %v", err)
	}
	conn, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return nil, err
	}
	b := &eventBell{file: file, conn: conn}
	b.arm = func(uintptr) bool { return b.end.arm() }
	return b, nil
}

// sleep arms the bell inside Read, where the poller has forgotten earlier edges: one that
// comes after that ends the sleep.
func (b *eventBell) sleep(ctx context.Context, e *end) {
	b.end = e
	if ctx.Done() != nil {
		defer context.AfterFunc(ctx, b.wake)()
	}
	if b.conn.Read(b.arm) != nil {
		// Woken from inside: what for is to be seen in ctx and life, which the caller
		// looks at after this.
		b.file.SetReadDeadline(time.Time{})
	}
}

// wake wakes from inside the process. It is not forgotten before it has been noticed.
func (b *eventBell) wake() { b.file.SetReadDeadline(past) }

func (b *eventBell) close() { b.file.Close() }

// eventWaker wakes an end in another process. Its descriptor is not in the poller, which
// would report our own writes to us.
type eventWaker struct {
	mu sync.RWMutex
	fd int // -1 when closed
}

var one uint64 = 1

func (e *eventWaker) wake() {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.fd >= 0 {
		// It fails only if the count is at its limit, which a peer must have set.
		syscall.Write(e.fd, (*[8]byte)(unsafe.Pointer(&one))[:])
	}
}

func (e *eventWaker) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	syscall.Close(e.fd)
	e.fd = -1
}
