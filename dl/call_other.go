//go:build !(linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28)

package dl

import (
	"unsafe"

	"github.com/seamgo/seam/internal/abi"
)

const (
	slowEntry    = 0
	countedEntry = 0
)

// call calls f through purego, whose own memory the arguments pass: they escape, and so does
// what they lead to.
func call(f *function, args unsafe.Pointer) { f.slow(args) }

func direct(*function, unsafe.Pointer) { panic("unreachable: there is no assembly") }

func (f *function) announce(unsafe.Pointer, bool) { panic("unreachable: there is no assembly") }

func fastEntry(*signature, *plan) uintptr { return 0 }

func start() State { return State{Path: PathPurego, Reason: abi.Check().Error()} }

func goroutine() uintptr { return 0 }

// inCallback can't be told here, so no call is bounded.
func inCallback() bool { return true }
