package mem

import (
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// started is one moment as both Go's monotonic clock and CLOCK_MONOTONIC show it. On Linux
// they are the same clock, but Go doesn't give out its readings as numbers.
var started = sync.OnceValue(func() (s struct {
	at time.Time
	ns int64
}) {
	// The narrowest of a few tries: the thread may lose its processor during one.
	narrowest := time.Hour
	for range 5 {
		var ts syscall.Timespec
		before := time.Now()
		_, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&ts)), 0)
		after := time.Now()
		if width := after.Sub(before); errno == 0 && width < narrowest {
			narrowest = width
			s.at, s.ns = before.Add(width/2), ts.Nano()
		}
	}
	return s
})

const clockMonotonic = 1

// monotonic returns the moment that is d from now as CLOCK_MONOTONIC nanoseconds.
func monotonic(d time.Duration) int64 {
	s := started()
	if s.ns == 0 {
		return 0
	}
	now := s.ns + int64(time.Since(s.at))
	if at := now + int64(d); (at > now) == (d > 0) {
		return max(at, 1) // 0 would mean no deadline
	}
	return 1<<63 - 1
}
