package bad

/*
#include <stdlib.h>
#include <stdint.h>
typedef struct { const float *in; long frames; } data;
static data *alloc_data(void) { return malloc(sizeof(data)); }
static void free_data(data *d) { free(d); }
int simple(data *d);
int by_number(uintptr_t n);
*/
import "C"

import "unsafe"

func sliceOfC(in []C.float) int {
	d := C.alloc_data()
	defer C.free_data(d)
	d.in = &in[0] // want warning "the address of an element of in is stored in C memory"
	return int(C.simple(d))
}

func byNumber(f func(uintptr) int) (int, int) {
	var n, m int
	p := uintptr(unsafe.Pointer(&n)) // want warning "p holds the address of the local variable n as a number"
	q := uintptr(unsafe.Pointer(&m)) // want warning "q holds the address of the local variable m"
	if n > 0 {
		q = 0
	}
	return f(p), f(q)
}

func toC() int {
	var n C.int
	p := uintptr(unsafe.Pointer(&n)) // want warning "p holds the address of the local variable n as a number"
	return int(C.by_number(C.uintptr_t(p)))
}
