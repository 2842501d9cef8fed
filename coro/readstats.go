//go:build cgo

package coro

// ReadStats returns the figures of this moment. It looks at every stack that was
// ever used, a system call each.
func ReadStats() Stats {
	return Stats{Stacks: readStacks(), Waiting: int(waiting.Load()), Abandoned: abandoned.Load()}
}
