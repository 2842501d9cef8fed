// Package cxx calls C++.
package cxx

// #include <stdlib.h>
// #include "shop.h"
import "C"

import "unsafe"

// Length leaks.
func Length(name string) int {
	cs := C.CString(name) // want error "the memory from C.CString is never freed"
	return int(C.shop_length(cs))
}

// Take doesn't: C++ frees it.
func Take(name string) { C.shop_take(C.CString(name)) }

// Keep leaves a slice to C++.
func Keep(name []byte) {
	C.shop_keep((*C.char)(unsafe.Pointer(&name[0]))) // want error "C.shop_keep keeps this pointer after it returns"
}

// Find frees what it takes.
func Find(name string) (at int) {
	cs := C.CString(name)
	defer C.free(unsafe.Pointer(cs))
	var i C.int
	C.shop_find(cs, &i) // want note "C.shop_find keeps no pointer and calls no Go"
	return int(i)
}

// Wait waits.
func Wait() { C.shop_wait() } // want note "C.shop_wait"

// Each is called back.
func Each(n int) { C.shop_each(C.int(n)) } // want note "C.shop_each"

// Safe is called back once.
func Safe(name string) {
	cs := C.CString(name)
	defer C.free(unsafe.Pointer(cs))
	C.shop_safe(cs)
}

// List leaves the memory to a list of C++'s, which may free it.
func List(name string) {
	C.shop_list(C.CString(name)) // want warning "the memory from C.CString is never freed"
}

// Label leaves it in a struct.
func Label(name string) {
	C.shop_label(C.CString(name)) // want warning "the memory from C.CString is never freed"
}

// Later leaves it to a function that frees it.
func Later(name string) {
	C.shop_later(C.CString(name)) // want warning "the memory from C.CString is never freed"
}

// Own has it freed by a destructor.
func Own(name string) {
	C.shop_own(C.CString(name))
}

// Only leaks: C++ has a copy.
func Only(name string) int {
	return int(C.shop_only(C.CString(name))) // want error "the memory from C.CString is never freed"
}
