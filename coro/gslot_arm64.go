//go:build linux && !android && gc && cgo && !asan && !msan && go1.25 && !go1.28

package coro

import "github.com/seamgo/seam/internal/abi"

func gSlot() (uintptr, error) { return abi.GSlot() }
