// Package good pins the buffers for as long.
package good

// #include <stdlib.h>
// #include <sys/uio.h>
import "C"

import (
	"runtime"
	"unsafe"
)

// Iovec is an array of buffers.
type Iovec struct {
	vec    unsafe.Pointer
	pinner runtime.Pinner
}

// New returns an array.
func New(n int) *Iovec {
	return &Iovec{vec: C.malloc(C.size_t(n) * C.sizeof_struct_iovec)}
}

// Set sets one.
func (v *Iovec) Set(i int, b []byte) {
	at := (*C.struct_iovec)(unsafe.Add(v.vec, i*C.sizeof_struct_iovec))
	v.pinner.Pin(&b[0])
	at.iov_base = unsafe.Pointer(&b[0])
	at.iov_len = C.size_t(len(b))
}

// Free frees it.
func (v *Iovec) Free() {
	v.pinner.Unpin()
	C.free(v.vec)
}
