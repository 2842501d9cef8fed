//go:build cgo && linux

package coro

import (
	"fmt"
	"sync"
	"syscall"
	"unsafe"
)

// An alarm is an eventfd that ends the ppoll of a thread.
type alarm struct {
	fd  int
	fds []pollFD // room for what is polled besides
}

// alarms are kept for the next wait: making one takes two system calls.
var alarms struct {
	sync.Mutex
	free []*alarm
}

const keepAlarms = 64

func takeAlarm() (*alarm, error) {
	alarms.Lock()
	if n := len(alarms.free); n > 0 {
		a := alarms.free[n-1]
		alarms.free = alarms.free[:n-1]
		alarms.Unlock()
		return a, nil
	}
	alarms.Unlock()
	fd, err := newEventFD()
	if err != nil {
		return nil, err
	}
	return &alarm{fd: fd}, nil
}

// put takes the alarm back. Nobody can ring it any more.
func (a *alarm) put() {
	a.clear()
	alarms.Lock()
	defer alarms.Unlock()
	if len(alarms.free) < keepAlarms {
		alarms.free = append(alarms.free, a)
		return
	}
	syscall.Close(a.fd)
}

func (a *alarm) ring() { ringEventFD(a.fd) }

func (a *alarm) clear() {
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

func ringEventFD(fd int) {
	one := uint64(1)
	syscall.RawSyscall(syscall.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&one)), 8)
}
