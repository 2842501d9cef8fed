package offload

import "errors"

// What [Pool.Do] and [Pool.TryDo] may return in addition to the context's cause: test for
// them with errors.Is. None comes with a result, and C has run only with ErrThreadEnded.
var (
	// ErrFull: TryDo would have had to wait for room.
	ErrFull = errors.New("offload: the queue is full: every thread is busy and Options.Queue calls wait")

	// ErrClosed: Close was called, before the call or while it waited.
	ErrClosed = errors.New("offload: the pool is closed")

	// ErrNoFunction: the address of the C function is nil, as that of a weak symbol
	// without a definition is.
	ErrNoFunction = errors.New("offload: the C function has no address")

	// ErrThreadEnded: the C function ended the thread it ran on. The pool has started
	// another one.
	ErrThreadEnded = errors.New("offload: the C function ended its thread (pthread_exit, pthread_cancel): it must return")
)
