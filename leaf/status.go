package leaf

import "github.com/seamgo/seam/internal/crossing"

// The paths a call may take, as [State].Path has them.
const (
	PathAssembly = "assembly" // switches to the system stack by itself
	PathCgo      = "cgo"      // an ordinary cgo call
	PathNone     = "none"     // built without cgo: there is no C to call
)

// A State says how calls are made in this program.
type State struct {
	Path   string `json:"path"`             // PathAssembly, PathCgo or PathNone
	Reason string `json:"reason,omitempty"` // why it is not PathAssembly; "" when it is
	Guard  string `json:"guard,omitempty"`  // what guard mode does; "" when it is off
}

// Status returns how calls are made in this program. It does not change after
// the package is initialised.
func Status() State { return state }

// String returns the state as one line.
func (s State) String() string {
	line := crossing.Line("leaf", s.Path, s.Reason)
	if s.Guard != "" {
		line += ", guard on: " + s.Guard
	}
	return line
}
