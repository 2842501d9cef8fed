package mem

import "github.com/seamgo/seam/internal/crossing"

// The ways this package may work, as [State].Path has them.
const (
	PathDirect = "direct" // memory is used in place
	PathDebug  = "debug"  // canaries, patterns and snapshots find misuse, see the package comment
)

// A State says how this package works in this program.
type State struct {
	Path   string `json:"path"`             // PathDirect or PathDebug
	Reason string `json:"reason,omitempty"` // why it is not PathDirect; "" when it is
}

// Status returns how this package works in this program. It does not change after the
// package is initialised.
func Status() State {
	if debugOn {
		return State{Path: PathDebug, Reason: "SEAM_MEM=debug in the environment"}
	}
	return State{Path: PathDirect}
}

// String returns the state as one line.
func (s State) String() string { return crossing.Line("mem", s.Path, s.Reason) }
