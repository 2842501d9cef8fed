//go:build cgo

package coro

import (
	"context"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
	"github.com/seamgo/seam/internal/abi"
	"github.com/seamgo/seam/internal/crossing"
)

var state = State{Path: PathAssembly}

// fast says that coroutines have stacks of their own. It is set before any can be
// made.
var fast bool

func init() {
	if state.Reason = crossing.Fallback("coro", abi.Check, prepare); state.Reason != "" {
		state.Path = PathCgo
	}
	fast = state.Path == PathAssembly
	native.Serve = func(co unsafe.Pointer) { serveFallback((*control)(co)) }
	native.Callback = func(id uint64, arg unsafe.Pointer) int32 {
		status, _ := invoke(context.Background(), id, arg)
		return status
	}
}
