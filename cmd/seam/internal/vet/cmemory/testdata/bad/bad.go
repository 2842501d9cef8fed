// Package bad takes too little, or stores pointers in what wasn't cleared.
package bad

/*
#include <stdlib.h>
typedef struct { char *name; int n; } item;
void item_init(int kind, item *it);
void sum(int *p, size_t n);
*/
import "C"

import "unsafe"

func elements(v []int32) {
	p := (*C.int)(C.malloc(C.size_t(len(v))))
	defer C.free(unsafe.Pointer(p))
	for i, x := range v {
		unsafe.Slice(p, len(v))[i] = C.int(x) // want error "this view needs 4×len(v) bytes, and C.malloc gave len(v)"
	}
}

func zero(s string) {
	p := C.malloc(C.size_t(len(s)))
	defer C.free(p)
	b := unsafe.Slice((*byte)(p), len(s)+1) // want error "needs len(s)+1 bytes, and C.malloc gave len(s)"
	copy(b, s)
}

func counted(n int) {
	p := C.calloc(C.size_t(n), 4)
	defer C.free(p)
	_ = unsafe.Slice((*C.longlong)(p), n) // want error "needs 8×n bytes, and C.calloc gave 4×n"
}

func constant() {
	p := C.malloc(8)
	defer C.free(p)
	_ = unsafe.Slice((*C.int)(p), 3) // want error "needs 12 bytes, and C.malloc gave 8"
}

func names(list []string) {
	p := C.malloc(C.size_t(len(list)) * 8) // want warning "what C.malloc gives isn't cleared"
	defer C.free(p)
	names := unsafe.Slice((**C.char)(p), len(list))
	for i, s := range list {
		names[i] = C.CString(s)
	}
}

func member(s string) *C.item {
	it := (*C.item)(C.malloc(C.sizeof_item)) // want warning "what C.malloc gives isn't cleared"
	it.name = C.CString(s)
	return it
}

func filledLater(s string) *C.item {
	it := (*C.item)(C.malloc(C.sizeof_item)) // want warning "what C.malloc gives isn't cleared"
	it.name = C.CString(s)
	C.item_init(1, it)
	return it
}

func old(list []*C.char) {
	p := C.malloc(C.size_t(len(list)) * 8) // want warning "isn't cleared"
	defer C.free(p)
	names := (*[1 << 20]*C.char)(p)[:len(list):len(list)]
	for i, c := range list {
		names[i] = c
	}
}
