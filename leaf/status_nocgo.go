//go:build !cgo

package leaf

import "github.com/seamgo/seam/internal/abi"

var state = State{Path: PathNone, Reason: abi.Check().Error()}

// GuardStats returns nil: without cgo there are no calls to guard.
func GuardStats() []GuardStat { return nil }
