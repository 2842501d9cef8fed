//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package coro

import (
	"iter"
	"sync"

	"github.com/seamgo/seam/internal/abi"
)

// An iterator under iter.Pull runs on a goroutine of its own, which takes turns with the one
// that asks for the next value. The runtime ends the program if at the end of a turn the
// goroutine is locked to a thread ("OS thread locking must match"): the other one may be on
// another thread next time. So the loop over a generator must not lock it.

// pulled reports whether the goroutine is one of iter.Pull's.
func pulled() bool { return fast && abi.Entry() == pullEntry() }

// pullEntry returns where such goroutines start.
var pullEntry = sync.OnceValue(func() (entry uintptr) {
	next, _ := iter.Pull(func(func(struct{}) bool) { entry = abi.Entry() })
	next() // runs the iterator to its end
	return entry
})

// runPulled runs a call of Locked without locking the goroutine.
func (k *call) runPulled() (int64, error) {
	// A goroutine that its user has locked is on the right thread, and stays there.
	if !abi.Locked() {
		k.helper = newHelper(k)
	}
	return k.run()
}
