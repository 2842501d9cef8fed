//go:build !linux

package mem

import (
	"runtime"
	"time"
)

// monotonic returns 0, no deadline: elsewhere Go doesn't say which clock it uses. C learns of
// the deadline by the cancellation, once it has passed.
func monotonic(time.Duration) int64 { return 0 }

// realSleep lets C go on. There is no sleep for all systems by a clock that is not package
// time's.
func realSleep(time.Duration) { runtime.Gosched() }
