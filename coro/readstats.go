//go:build cgo

package coro

import "github.com/seamgo/seam/coro/internal/native"

// ReadStats returns the current figures. It looks at every stack that was ever used, with
// one system call each (two microseconds), which holds up nobody else.
func ReadStats() Stats {
	return Stats{Stacks: readStacks(), Waiting: native.Waiting(), Abandoned: abandoned.Load(), Kept: native.Kept()}
}
