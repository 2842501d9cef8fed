// Package bad stores the addresses of Go's buffers in C memory.
package bad

// #include <stdlib.h>
// #include <sys/uio.h>
import "C"

import "unsafe"

// Iovec is an array of buffers.
type Iovec struct {
	vec unsafe.Pointer
	n   int
}

// New returns an array.
func New(n int) *Iovec {
	return &Iovec{vec: C.malloc(C.size_t(n) * C.sizeof_struct_iovec), n: n}
}

// Set sets one.
func (v *Iovec) Set(i int, b []byte) {
	at := (*C.struct_iovec)(unsafe.Add(v.vec, i*C.sizeof_struct_iovec))
	at.iov_base = unsafe.Pointer(&b[0]) // want error "the address of Go memory is stored in C memory"
	at.iov_len = C.size_t(len(b))
}

// Free frees it.
func (v *Iovec) Free() { C.free(v.vec) }
