package calltrace

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is how long this thread has run.
func threadTime() (d time.Duration, ok bool) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano()), err == nil
}
