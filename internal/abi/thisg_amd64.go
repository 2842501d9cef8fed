//go:build linux && !android && gc && !asan && !msan && go1.25 && !go1.28

package abi

// ThisG returns the address of a C function that returns the thread's g, which is 0 on a
// thread that has none.
func ThisG() (uintptr, error) { return thisGPC(), nil }

func thisGPC() uintptr
