package prof

import "github.com/seamgo/seam/internal/crossing"

// How stacks of C are read, as [State].Path has it.
const (
	PathTables = "tables" // by the call frame information of what is loaded
	PathNone   = "none"   // not at all
)

// A State says whether profiles and tracebacks have frames of C in this program.
type State struct {
	Path   string `json:"path"`             // PathTables or PathNone
	Reason string `json:"reason,omitempty"` // why not, or what is missing; "" when nothing is
}

// Status returns whether profiles and tracebacks have frames of C in this program. It does
// not change after the package is initialised.
func Status() State { return state }

// String returns the state as one line.
func (s State) String() string { return crossing.Line("prof", s.Path, s.Reason) }
