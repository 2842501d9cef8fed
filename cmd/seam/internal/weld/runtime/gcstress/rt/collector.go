package rt

import (
	"runtime"
	"sync/atomic"
)

func init() {
	seamGosched = runtime.Gosched
	seamCollect = seamCollectGarbage
}

// seamCollectGarbage runs the collector, starts what finalizers and cleanups there are
// then, and tells by the result when they have been called.
//
// Finalizers are called in the order in which they were found due, those of one
// collection in no order that is known. So it collects twice: when the finalizer of an
// object that only the second collection could find has been called, all those of the
// first have been.
func seamCollectGarbage() *atomic.Int32 {
	runtime.GC()
	left := new(atomic.Int32)
	left.Store(2)
	// Large enough for a block of its own: tiny objects are freed together.
	runtime.SetFinalizer(new([64]byte), func(*[64]byte) { left.Add(-1) })
	runtime.AddCleanup(new([64]byte), func(left *atomic.Int32) { left.Add(-1) }, left)
	runtime.GC()
	return left
}
