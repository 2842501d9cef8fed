//go:build !linux

package ring

import "runtime"

// Inspect looks at the rings of a process that is running.
func Inspect(int) ([]Seen, error) {
	return nil, wrap(ErrUnsupported, "there are no rings between processes on %s", runtime.GOOS)
}
