// Package good takes enough, and clears.
package good

/*
#include <stdlib.h>
#include <string.h>
typedef struct { char *name; int n; } item;
void item_init(int kind, item *it);
*/
import "C"

import "unsafe"

func elements(v []int32) {
	p := (*C.int)(C.malloc(C.size_t(len(v)) * C.sizeof_int))
	defer C.free(unsafe.Pointer(p))
	for i, x := range v {
		unsafe.Slice(p, len(v))[i] = C.int(x)
	}
}

func zero(s string) {
	p := C.malloc(C.size_t(len(s) + 1))
	defer C.free(p)
	b := unsafe.Slice((*byte)(p), len(s)+1)
	copy(b, s)
}

func room(s string) {
	n := len(s) + 16
	p := C.malloc(C.size_t(n))
	defer C.free(p)
	_ = unsafe.Slice((*byte)(p), len(s)+1)
}

func notKnown(v []int32, n int) {
	p := C.malloc(C.size_t(n))
	defer C.free(p)
	_ = unsafe.Slice((*byte)(p), len(v))
}

func changed(n int) {
	p := C.malloc(C.size_t(n))
	defer C.free(p)
	n /= 8
	_ = unsafe.Slice((*C.longlong)(p), n)
}

func names(list []string) {
	p := C.calloc(C.size_t(len(list)), 8)
	defer C.free(p)
	names := unsafe.Slice((**C.char)(p), len(list))
	for i, s := range list {
		names[i] = C.CString(s)
		defer C.free(unsafe.Pointer(names[i]))
	}
}

func free(it *C.item) {
	C.free(unsafe.Pointer(it.name))
	C.free(unsafe.Pointer(it))
}

func member(s string) *C.item {
	it := (*C.item)(C.malloc(C.sizeof_item))
	C.memset(unsafe.Pointer(it), 0, C.sizeof_item)
	it.name = C.CString(s)
	return it
}

// C has filled it before (godror).
func initialised(s string) *C.item {
	it := (*C.item)(C.malloc(C.sizeof_item))
	C.item_init(1, it)
	it.name = C.CString(s)
	return it
}

func number() *C.item {
	it := (*C.item)(C.malloc(C.sizeof_item))
	it.n = 1
	return it
}
