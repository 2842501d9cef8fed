//go:build unix

package output

import (
	"errors"

	"golang.org/x/sys/unix"
)

// nonBlocking makes opening a named pipe return at once.
const nonBlocking = unix.O_NONBLOCK

// noReader reports whether err is that of opening a pipe that nobody reads.
func noReader(err error) bool { return errors.Is(err, unix.ENXIO) }

// mayWrite asks whether this process may write to path, without opening it.
func mayWrite(path string) error { return unix.Access(path, unix.W_OK) }
