package coro

import "errors"

// Errors of calls, executors and Coroutines: test for them with errors.Is.
var (
	// ErrNoFunction: the address of the C function is nil, as that of a weak symbol
	// without a definition is.
	ErrNoFunction = errors.New("coro: the C function has no address")
	// ErrAbandoned: C kept making requests after it was told that its call is lost.
	ErrAbandoned = errors.New("coro: the coroutine would not end")
	// ErrNoStack: there is no memory for another stack.
	ErrNoStack = errors.New("coro: no memory for another stack")
	// ErrFinished: the function of the resumed Coroutine has returned.
	ErrFinished = errors.New("coro: the coroutine has finished")
	// ErrRunning: the resumed Coroutine is running already.
	ErrRunning = errors.New("coro: the coroutine is running")
	// ErrClosed: the executor or the Coroutine is closed.
	ErrClosed = errors.New("coro: closed")
)
