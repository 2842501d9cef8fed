//go:build !linux

package mem

import "time"

// monotonic returns 0, no deadline: elsewhere Go doesn't say which clock it uses. C learns of
// the deadline by the cancellation, once it has passed.
func monotonic(time.Duration) int64 { return 0 }
