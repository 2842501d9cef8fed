//seam:test race toolchains

package rt

import "runtime"

// finalized makes garbage with a finalizer.
//
//go:noinline
func finalized(called chan bool) {
	runtime.SetFinalizer(new([64]byte), func(*[64]byte) { called <- true })
}
