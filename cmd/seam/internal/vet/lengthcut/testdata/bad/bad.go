// Package bad cuts lengths.
package bad

/*
#include <stdlib.h>
#include <stdint.h>
int lib_write(const void *p, int n);
void *lib_read(uint64_t *n);
size_t lib_len(void);
*/
import "C"

import "unsafe"

func write(b []byte) int {
	return int(C.lib_write(unsafe.Pointer(unsafe.SliceData(b)), C.int(len(b)))) // want note "len(b) is cut to 32 bits for C.lib_write"
}

func read() []byte {
	var n C.uint64_t
	p := C.lib_read(&n)
	defer C.free(p)
	return C.GoBytes(p, C.int(n)) // want warning "n, of 64 bits, is cut to 32 for C.GoBytes"
}

func text(p *C.char) string {
	return C.GoStringN(p, C.int(C.lib_len())) // want warning "is cut to 32 for C.GoStringN"
}
