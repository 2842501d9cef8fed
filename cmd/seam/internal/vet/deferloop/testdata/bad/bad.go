// Package bad frees late.
package bad

// #include <stdlib.h>
// int lib_add(const char *s);
import "C"

import "unsafe"

func channel(lines chan string) {
	for s := range lines {
		cs := C.CString(s)
		defer C.free(unsafe.Pointer(cs)) // want warning "this loop has no end that can be seen"
		C.lib_add(cs)
	}
}

func endless(next func() string) {
	for {
		cs := C.CString(next())
		defer func() { C.free(unsafe.Pointer(cs)) }() // want warning "this loop has no end"
		C.lib_add(cs)
	}
}

func slice(list []string) {
	for _, s := range list {
		cs := C.CString(s)
		defer C.free(unsafe.Pointer(cs)) // want note "the memory of all rounds of the loop"
		C.lib_add(cs)
	}
}
