//go:build cgo

package leaf

import (
	"os"

	"github.com/seamgo/seam/internal/abi"
	"github.com/seamgo/seam/leaf/internal/viacgo"
)

var state State

// init decides how calls are made. Packages that import leaf are initialised
// later, so no call comes before it.
func init() {
	state = choose(os.Getenv("SEAM_LEAF"), abi.Check, prepare)
	viacgo.Describe = nameOf
	startGuard(os.Getenv)
	if state.Path == PathAssembly && !guard.on {
		setFast()
	}
}

// choose picks the path. check and prepare say whether the assembly can work.
func choose(env string, check, prepare func() error) State {
	switch env {
	case "", "auto":
	case "cgo":
		return State{Path: PathCgo, Reason: "SEAM_LEAF=cgo in the environment"}
	default:
		warn("SEAM_LEAF=" + quote(env) + " is not known (want auto or cgo); going on with auto")
	}
	if err := check(); err != nil {
		return State{Path: PathCgo, Reason: err.Error()}
	}
	if err := prepare(); err != nil {
		return State{Path: PathCgo, Reason: err.Error()}
	}
	return State{Path: PathAssembly}
}

// warn tells of a setting that was not understood. There is no caller yet to
// return an error to.
func warn(text string) { os.Stderr.WriteString("seam: leaf: " + text + "\n") }
