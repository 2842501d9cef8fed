//go:build cgo && !(linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28)

package coro

import "errors"

// The sizes are admitted, so that a program runs the same everywhere; the stacks are
// those of threads.
var stackSizes = [...]uint{15, 16, 18, 20, 23}

// ErrNoStack is in the error of a call for which there is no memory for a stack.
var ErrNoStack = errors.New("no memory for another stack")

func takeStack(int) (*control, error) { panic("unreachable") }
func putStack(int, *control)          { panic("unreachable") }
func readStacks() []StackStats        { return nil }
