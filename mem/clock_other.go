//go:build !linux

package mem

import "time"

// monotonic returns 0, no deadline: Go doesn't say what its clock is elsewhere. C is told of
// the deadline when it has passed, by the cancellation.
func monotonic(time.Duration) int64 { return 0 }
