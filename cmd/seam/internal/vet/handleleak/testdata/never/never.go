// Package never deletes no handle at all.
package never

// #include <stdint.h>
// int take(uintptr_t h);
import "C"

import "runtime/cgo"

func give(v any) bool {
	h := cgo.NewHandle(v) // want error "never deleted"
	return C.take(C.uintptr_t(h)) == 0
}

// New gives the handle to the users of the package.
func New(v any) cgo.Handle { return cgo.NewHandle(v) }
