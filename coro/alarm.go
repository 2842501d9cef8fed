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
	fd  int      // -1: there was none left
	fds []pollFD // room for what is polled besides
}

// alarms are kept for the next wait: making one takes two system calls.
var alarms struct {
	sync.Mutex
	free []*alarm
}

const keepAlarms = 64

// takeAlarm returns an alarm. Where no descriptor is left for one it has none and
// rings for nobody.
func takeAlarm() *alarm {
	alarms.Lock()
	if n := len(alarms.free); n > 0 {
		a := alarms.free[n-1]
		alarms.free = alarms.free[:n-1]
		alarms.Unlock()
		return a
	}
	alarms.Unlock()
	fd, err := newEventFD()
	if err != nil {
		fd = -1
	}
	return &alarm{fd: fd}
}

// put takes the alarm back. Nobody can ring it any more.
func (a *alarm) put() {
	if a.fd < 0 {
		return
	}
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
