// Package bad uses memory where it was.
package bad

// #include <stdlib.h>
import "C"

import "unsafe"

func view(n int) C.int {
	p := C.malloc(C.size_t(n) * 4)
	list := unsafe.Slice((*C.int)(p), n)
	p = C.realloc(p, C.size_t(2*n)*4)
	defer C.free(p)
	list[0] = 1 // want error "list leads to where the memory was before C.realloc at line 12"
	return list[0]
}

func other(p unsafe.Pointer, n int) unsafe.Pointer {
	q := C.realloc(p, C.size_t(n))
	if q == nil {
		C.free(p)
		return nil
	}
	*(*byte)(p) = 0 // want error "p leads to"
	return q
}

type buffer struct {
	p *C.char
	n int
}

func (b *buffer) grow() {
	text := (*[1 << 20]byte)(unsafe.Pointer(b.p))
	b.p = (*C.char)(C.realloc(unsafe.Pointer(b.p), C.size_t(2*b.n)))
	text[b.n] = 0 // want error "text leads to"
}

func freed(p unsafe.Pointer) unsafe.Pointer {
	q := C.realloc(p, 8)
	C.free(p) // want error "p leads to"
	return q
}
