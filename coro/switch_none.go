//go:build cgo && !(linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28)

package coro

// There is no assembly for this build: every coroutine is run by the fallback.

func resume(*control) { panic("unreachable") }

func (c *control) enter() { panic("unreachable") }

func (c *control) hasThread() { panic("unreachable") }

func (c *control) sharesThread() { panic("unreachable") }

func (c *control) owned() { panic("unreachable") }

func ownG() uintptr { panic("unreachable") }

func prepare() error { return nil }

func (k *call) runPulled() (int64, error) { panic("unreachable") }

func pulled() bool { return false }
