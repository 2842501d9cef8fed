package netio

import (
	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/internal/crossing"
)

// The ways a call may wait in a coroutine, as [State].Path has them.
const (
	PathSwitch = "switch" // as coroutines do, see the package comment
	PathLibc   = "libc"   // as libc does: it blocks the thread
)

// A State says how calls wait in this program's coroutines.
type State struct {
	Path   string `json:"path"`             // PathSwitch or PathLibc
	Reason string `json:"reason,omitempty"` // why it is not PathSwitch; "" when it is
}

// Status returns how calls wait in this program's coroutines. It does not change after
// the package is initialised.
func Status() State {
	if s := coro.Status(); s.Path != coro.PathAssembly {
		return State{PathLibc, s.Reason}
	}
	return State{Path: PathSwitch}
}

// String returns the state as one line.
func (s State) String() string { return crossing.Line("netio", s.Path, s.Reason) }
