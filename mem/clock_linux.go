package mem

import (
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/seamgo/seam/internal/bubble"
)

// realSleep sleeps by the system's clock, also in a bubble of testing/synctest.
func realSleep(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil) // cut short by a signal, it is followed by another
}

// started is one moment as both Go's monotonic clock and CLOCK_MONOTONIC show it. On Linux
// they are the same clock, but Go doesn't give out its readings as numbers.
var started = sync.OnceValue(func() (s struct {
	at time.Time
	ns int64
}) {
	// The narrowest of a few tries: the thread may lose its processor during one.
	narrowest := time.Hour
	for range 5 {
		before := time.Now()
		ns := clock()
		after := time.Now()
		if width := after.Sub(before); ns != 0 && width < narrowest {
			narrowest = width
			s.at, s.ns = before.Add(width/2), ns
		}
	}
	return s
})

// clock reads CLOCK_MONOTONIC by a system call, or returns 0.
func clock() int64 {
	var ts syscall.Timespec
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&ts)), 0); errno != 0 {
		return 0
	}
	return ts.Nano()
}

const clockMonotonic = 1

// monotonic returns the moment that is d from now as CLOCK_MONOTONIC nanoseconds.
func monotonic(d time.Duration) int64 {
	now := int64(0)
	if bubble.Inside() { // time.Now has another clock
		now = clock()
	} else if s := started(); s.ns != 0 {
		now = s.ns + int64(time.Since(s.at))
	}
	if now == 0 {
		return 0
	}
	if at := now + int64(d); (at > now) == (d > 0) {
		return max(at, 1) // 0 would mean no deadline
	}
	return 1<<63 - 1
}
