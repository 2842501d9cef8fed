package dl

import "github.com/seamgo/seam/internal/crossing"

// The paths a call may take, as [State].Path has them.
const (
	PathAssembly = "assembly" // leaves switch to the system stack by themselves
	PathCgo      = "cgo"      // all calls are announced, as cgo announces them
	PathPurego   = "purego"   // all calls go through the purego module
)

// A State says how calls are made in this program.
type State struct {
	Path   string `json:"path"`             // PathAssembly, PathCgo or PathPurego
	Reason string `json:"reason,omitempty"` // why it is not PathAssembly; "" when it is
	Guard  string `json:"guard"`            // what the guard of leaves does: sample, all or off
}

var state = start()

// Status returns how calls are made in this program. It does not change after
// the package is initialised.
func Status() State {
	s := state
	s.Guard = string(guarding)
	return s
}

// String returns the state as one line.
func (s State) String() string {
	return crossing.Line("dl", s.Path, s.Reason) + ", guard " + s.Guard
}
