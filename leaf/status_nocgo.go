//go:build !cgo

package leaf

import "github.com/seamgo/seam/internal/abi"

var state = State{Path: PathNone, Reason: abi.CheckCgo().Error()}

// ReadStats returns nothing: without cgo there are no calls.
func ReadStats() Stats { return Stats{Functions: []FuncStats{}} }
