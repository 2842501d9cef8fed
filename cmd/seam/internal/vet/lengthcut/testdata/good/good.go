// Package good looks first.
package good

/*
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#define MAX 64
int lib_write(const void *p, int n);
void lib_write64(const void *p, size_t n);
void *lib_read(uint64_t *n);
void *lib_read32(uint32_t *n);
*/
import "C"

import (
	"math"
	"unsafe"
)

func write(b []byte) int {
	if len(b) > math.MaxInt32 {
		panic("too long")
	}
	return int(C.lib_write(unsafe.Pointer(unsafe.SliceData(b)), C.int(len(b))))
}

func wide(b []byte) { C.lib_write64(unsafe.Pointer(unsafe.SliceData(b)), C.size_t(len(b))) }

func array() int {
	var b [64]byte
	return int(C.lib_write(unsafe.Pointer(&b[0]), C.int(len(b))))
}

func read() []byte {
	var n C.uint64_t
	p := C.lib_read(&n)
	defer C.free(p)
	if n > 1<<20 {
		return nil
	}
	return C.GoBytes(p, C.int(n))
}

func short() []byte {
	var n C.uint32_t
	p := C.lib_read32(&n)
	defer C.free(p)
	return C.GoBytes(p, C.int(n))
}

func upTo(s *C.char) string { return C.GoStringN(s, C.int(C.strnlen(s, C.MAX))) }

func least() []byte {
	var n C.uint64_t
	p := C.lib_read(&n)
	defer C.free(p)
	return C.GoBytes(p, C.int(min(n, 4096)))
}
