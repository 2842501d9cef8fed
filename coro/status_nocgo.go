//go:build !cgo

package coro

import "github.com/seamgo/seam/internal/abi"

var state = State{Path: PathNone, Reason: abi.CheckCgo().Error()}
