// Package lends gives other packages addresses.
package lends

import "unsafe"

// Address is that of the first byte.
func Address(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// Fresh is new memory.
func Fresh() unsafe.Pointer {
	p := new(int)
	return unsafe.Pointer(p)
}

// Same gives it back.
func Same(p unsafe.Pointer) unsafe.Pointer { return p }
