package offload

import "errors"

// What [Pool.Do] and [Pool.TryDo] may return besides the context's cause. None of
// them comes with a result, and but for ErrThreadEnded C has not run.
var (
	// ErrFull is TryDo's: it would have had to wait for room.
	ErrFull = errors.New("offload: the queue is full: every thread is busy and Options.Queue calls wait")

	// ErrClosed says that Close was called, before the call or while it waited.
	ErrClosed = errors.New("offload: the pool is closed")

	// ErrNoFunction says that the address of the C function is nil, as that of a weak
	// symbol without a definition is.
	ErrNoFunction = errors.New("offload: the C function has no address")

	// ErrThreadEnded says that the C function ended the thread it ran on. The pool
	// has started another one.
	ErrThreadEnded = errors.New("offload: the C function ended its thread (pthread_exit, pthread_cancel): it has to return")
)
