// Package headless needs a header that nobody has: C's types are what the source names.
package headless

// #include "nobody-has-this.h"
import "C"

import "unsafe"

func read() []byte {
	var (
		err *C.char
		n   C.size_t
	)
	p := C.pool_read(&n, &err)
	defer C.pool_free(unsafe.Pointer(p))
	return C.GoBytes(unsafe.Pointer(p), C.int(n)) // want warning "n, of 64 bits, is cut to 32 for C.GoBytes"
}

func given(p unsafe.Pointer, n C.uint64_t) []byte {
	return C.GoBytes(p, C.int(n)) // want warning "n, of 64 bits"
}

func short(p unsafe.Pointer, n C.uint32_t) []byte { return C.GoBytes(p, C.int(n)) }

func unnamed(p unsafe.Pointer) []byte {
	n := C.pool_size()
	return C.GoBytes(p, C.int(n))
}

func looked(p unsafe.Pointer, n C.size_t) []byte {
	if n > 1<<20 {
		return nil
	}
	return C.GoBytes(p, C.int(n))
}
