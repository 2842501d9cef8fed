package offload

import "github.com/seamgo/seam/internal/crossing"

// The ways to make a call, as [State].Path has them.
const (
	PathNative = "native" // threads take calls from a queue in C memory
	PathCgo    = "cgo"    // goroutines locked to threads make each call through cgo
	PathNone   = "none"   // built without cgo: there is no C to call
)

// A State says how pools work in this program.
type State struct {
	Path   string `json:"path"`             // PathNative, PathCgo or PathNone
	Reason string `json:"reason,omitempty"` // why it is not PathNative; "" when it is
}

// Status returns how pools work in this program. It does not change after the
// package is initialised.
func Status() State { return state }

// String returns the state as one line.
func (s State) String() string { return crossing.Line("offload", s.Path, s.Reason) }
