//go:build cgo && !(linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28)

package coro

// Here the stacks are those of threads.

func takeCall(int) (*call, error) { panic("unreachable") }
func putCall(int, *call)          { panic("unreachable") }
func readStacks() []StackStats    { return []StackStats{} }
