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
	buf := (C.PMQCHAR)(C.malloc(C.size_t(n))) // want error "the memory from C.malloc is never freed"
	C.MQGET(buf)
}

// Called gives a function what it gets.
func Called(n int) {
	C.MQPUT(C.malloc(C.size_t(n))) // want warning "unless C.MQPUT does: no variable holds it"
}

// Unwrapped converts without parentheses; other lines tell that it is a type.
func Unwrapped(n int) {
	buf := C.PMQCHAR(C.malloc(C.size_t(n)))
	defer C.free(unsafe.Pointer(buf))
	C.MQGET(buf)
}

// Capitals tell that a name with one pointer is a type.
func Capitals(m *C.MQMD, s string) {
	m.name = C.MQPTR(unsafe.Pointer(C.CString(s)))
	C.MQSEND(m)
	C.free(unsafe.Pointer(m.name))
}

// Declared is used as the type of a variable.
func Declared(s string) {
	var name C.name_ptr
	name = C.name_ptr(C.CString(s))
	defer C.free(unsafe.Pointer(name))
	C.MQSEND(name)
}

// Small is a function: nothing says that it is a type.
func Small(s string) C.int {
	return C.length(C.CString(s)) // want warning "unless C.length does: no variable holds it"
}

// Two is one too, for its second result.
func Two(s string) error {
	_, err := C.REMOVE(C.CString(s)) // want warning "unless C.REMOVE does: no variable holds it"
	return err
}
