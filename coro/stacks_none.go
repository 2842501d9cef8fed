//go:build cgo && !(linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28)

package coro

// Here the stacks are those of threads.

func takeStack(int) (*control, error) { panic("unreachable") }
func putStack(int, *control)          { panic("unreachable") }
func readStacks() []StackStats        { return []StackStats{} }
