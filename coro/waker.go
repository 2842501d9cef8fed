//go:build cgo && linux

package coro

import (
	"fmt"
	"sync"
	"syscall"
	"unsafe"
)

// A waker is an eventfd that ends a thread's ppoll or epoll_wait.
type waker struct {
	fd  int      // -1 if no descriptor was left
	fds []pollFD // room for the descriptors polled along with it
}

// wakers keeps some for later waits: making one takes two system calls.
var wakers struct {
	sync.Mutex
	free []*waker
}

const (
	maxFreeWakers = 64
	maxKeptFDs    = 1024 // of each
)

// takeWaker returns a waker. If no descriptor is left, the waker has none and wakes nobody.
func takeWaker() *waker {
	wakers.Lock()
	if n := len(wakers.free); n > 0 {
		a := wakers.free[n-1]
		wakers.free = wakers.free[:n-1]
		wakers.Unlock()
		return a
	}
	wakers.Unlock()
	fd, err := newEventFD()
	if err != nil {
		fd = -1
	}
	return &waker{fd: fd}
}

// put takes the waker back. Nobody may use it any more.
func (a *waker) put() {
	if a.fd < 0 {
		return
	}
	a.clear()
	if cap(a.fds) > maxKeptFDs {
		a.fds = nil
	}
	wakers.Lock()
	defer wakers.Unlock()
	if len(wakers.free) < maxFreeWakers {
		wakers.free = append(wakers.free, a)
		return
	}
	syscall.Close(a.fd)
}

func (a *waker) wake() { signalEventFD(a.fd) }

func (a *waker) clear() {
	var count uint64
	syscall.RawSyscall(syscall.SYS_READ, uintptr(a.fd), uintptr(unsafe.Pointer(&count)), 8)
}

// newEventFD returns a non-blocking eventfd.
func newEventFD() (int, error) {
	fd, _, errno := syscall.RawSyscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if errno != 0 {
		return -1, fmt.Errorf("coro: eventfd: %w", errno)
	}
	return int(fd), nil
}

func signalEventFD(fd int) {
	one := uint64(1)
	syscall.RawSyscall(syscall.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&one)), 8)
}
