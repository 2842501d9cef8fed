//go:build !linux

package calltrace

import "time"

// threadTime is not known here.
func threadTime() (d time.Duration, ok bool) { return 0, false }
