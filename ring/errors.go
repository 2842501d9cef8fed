package ring

import (
	"errors"
	"fmt"
)

// Errors of this package wrap one of these: test for them with errors.Is. A reader
// besides returns io.EOF once the writer has closed and everything has been read.
var (
	// ErrClosed: this end, or its connection, has been closed here.
	ErrClosed = errors.New("ring: closed")
	// ErrGone: nobody is at the other end any more. Its process has died or hung up, the
	// writer gave up (Abort), or the reader was closed. What had been published before has been
	// read.
	ErrGone = errors.New("ring: the other end is gone")
	// ErrFull: the ring is full, and its policy is [Fail]; or it is [DropOldest], and
	// the reader looks at the oldest record.
	ErrFull = errors.New("ring: full")
	// ErrInvalid: an argument can't be right: a capacity, or a length above MaxRecord.
	ErrInvalid = errors.New("ring: invalid")
	// ErrCorrupt: what is in the shared memory can't come from a peer that keeps to the
	// rules. The end can't be used any more.
	ErrCorrupt = errors.New("ring: the other end broke the protocol")
	// ErrMismatch: the peers don't fit together: another version or layout, memory that
	// isn't sealed, a capacity above the limit.
	ErrMismatch = errors.New("ring: the peers don't fit together")
	// ErrUnsupported: rings between processes are for Linux.
	ErrUnsupported = errors.New("ring: not supported on this system")
)

func invalid(format string, args ...any) error { return wrap(ErrInvalid, format, args...) }

func corrupt(format string, args ...any) error { return wrap(ErrCorrupt, format, args...) }

func wrap(sentinel error, format string, args ...any) error {
	return fmt.Errorf("%w: %s", sentinel, fmt.Sprintf(format, args...))
}
