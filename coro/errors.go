package coro

import "errors"

// Errors of calls and of the low-level interface, to be found by errors.Is.
var (
	// ErrAbandoned: C went on asking after it was told that its call is lost.
	ErrAbandoned = errors.New("coro: the coroutine would not end")
	// ErrNoStack: there is no memory for another stack.
	ErrNoStack = errors.New("no memory for another stack")
	// ErrFinished: a coroutine was resumed whose function has returned.
	ErrFinished = errors.New("coro: the coroutine has finished")
	// ErrRunning: a coroutine was resumed that is running, on another goroutine.
	ErrRunning = errors.New("coro: the coroutine is running")
	// ErrClosed: a call was made on an executor that is closed, or a coroutine resumed
	// that is.
	ErrClosed = errors.New("coro: closed")
)
