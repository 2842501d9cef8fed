package coro

import "github.com/seamgo/seam/internal/crossing"

// The ways to run a coroutine, as [State].Path has them.
const (
	PathAssembly = "assembly" // on a stack of its own
	PathCgo      = "cgo"      // on a thread of its own, by cgo calls and callbacks
	PathNone     = "none"     // built without cgo: there is no C to run
)

// A State says how coroutines are run in this program.
type State struct {
	Path   string `json:"path"`             // PathAssembly, PathCgo or PathNone
	Reason string `json:"reason,omitempty"` // why it is not PathAssembly; "" when it is
}

// Status returns how coroutines are run in this program. It does not change after
// the package is initialised.
func Status() State { return state }

// String returns the state as one line.
func (s State) String() string { return crossing.Line("coro", s.Path, s.Reason) }
