//go:build cgo

package coro

import "github.com/seamgo/seam/coro/internal/native"

// ReadStats returns the figures of this moment. It looks at every stack that was
// ever used, a system call each.
func ReadStats() Stats {
	return Stats{Stacks: readStacks(), Waiting: native.Waiting(), Abandoned: abandoned.Load()}
}
