//go:build cgo

package coro

import (
	"os"
	"strconv"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
	"github.com/seamgo/seam/internal/abi"
)

var state State

// fast says that coroutines have stacks of their own. It is set before any can be
// made.
var fast bool

func init() {
	state = choose(os.Getenv("SEAM_CORO"), abi.Check, prepare)
	fast = state.Path == PathAssembly
	native.Serve = func(co unsafe.Pointer) { serveFallback((*control)(co)) }
}

// choose picks the path. check and prepare say whether the assembly can work.
func choose(env string, check, prepare func() error) State {
	switch env {
	case "", "auto":
	case "cgo":
		return State{Path: PathCgo, Reason: "SEAM_CORO=cgo in the environment"}
	default:
		os.Stderr.WriteString("seam: coro: SEAM_CORO=" + strconv.Quote(env) + " is not known (want auto or cgo); going on with auto\n")
	}
	if err := check(); err != nil {
		return State{Path: PathCgo, Reason: err.Error()}
	}
	if err := prepare(); err != nil {
		return State{Path: PathCgo, Reason: err.Error()}
	}
	return State{Path: PathAssembly}
}
