//go:build cgo

package leaf

import (
	"os"

	"github.com/seamgo/seam/internal/abi"
	"github.com/seamgo/seam/internal/crossing"
	"github.com/seamgo/seam/leaf/internal/viacgo"
)

var state State

// init decides how calls are made. Packages that import leaf are initialised
// later, so no call comes before it.
func init() {
	state.Path = PathAssembly
	if state.Reason = crossing.Fallback("leaf", abi.Check, prepare); state.Reason != "" {
		state.Path = PathCgo
	}
	viacgo.Describe = nameOf
	startGuard(os.Getenv)
	if state.Path == PathAssembly && !guard.on {
		setFast()
		watch()
	}
}
