// Package good has near misses.
package good

// #include <stdlib.h>
import "C"

import (
	"errors"
	"unsafe"
)

func view(n int) C.int {
	p := C.malloc(C.size_t(n) * 4)
	list := unsafe.Slice((*C.int)(p), n)
	p = C.realloc(p, C.size_t(2*n)*4)
	defer C.free(p)
	list = unsafe.Slice((*C.int)(p), 2*n)
	return list[0]
}

// Where it has failed the old is there.
func failed(p unsafe.Pointer, n int) (unsafe.Pointer, error) {
	q := C.realloc(p, C.size_t(n))
	if q == nil {
		C.free(p)
		return nil, errors.New("no memory")
	}
	return q, nil
}

func moved(p unsafe.Pointer, n int) (unsafe.Pointer, bool) {
	q := C.realloc(p, C.size_t(n))
	same := q == p
	p = q
	return p, same
}

type buffer struct {
	p *C.char
	n int
}

func (b *buffer) grow() {
	b.p = (*C.char)(C.realloc(unsafe.Pointer(b.p), C.size_t(2*b.n)))
	text := (*[1 << 20]byte)(unsafe.Pointer(b.p))
	text[b.n] = 0
}

func rounds(p unsafe.Pointer, n int) unsafe.Pointer {
	for i := range n {
		q := C.realloc(p, C.size_t(i+1))
		if q == nil {
			break
		}
		p = q
	}
	return p
}

func (b *buffer) set(old unsafe.Pointer) {
	b.p = (*C.char)(C.realloc(old, C.size_t(b.n)))
	if b.p == nil {
		C.free(old)
	}
}
