// Package headless needs a header that nobody has: what is a type and what a function isn't known.
package headless

// #include <stdlib.h>
// #include "nobody-has-this.h"
import "C"

import "unsafe"

// Buffer converts what it gets to a type whose name doesn't say that it is one, and frees it.
func Buffer(n int) {
	buf := (C.PMQCHAR)(C.malloc(C.size_t(n)))
	defer C.free(unsafe.Pointer(buf))
	C.MQGET(buf)
}

// Lost does the same without the free.
func Lost(n int) {
	buf := (C.PMQCHAR)(C.malloc(C.size_t(n))) // want warning "the memory from C.malloc is never freed, unless C.MQGET does"
	C.MQGET(buf)
}

// Called gives a function what it gets.
func Called(n int) {
	C.MQPUT(C.malloc(C.size_t(n))) // want warning "unless C.MQPUT does: no variable holds it"
}
