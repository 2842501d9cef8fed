//go:build linux && !android && gc && cgo && !asan && !msan && go1.25 && !go1.28

package coro

func gSlot() (uintptr, error) { return 0, nil }
