// Package bad is built for Windows, too.
package bad

// #cgo windows LDFLAGS: -lws2_32
// #include <stddef.h>
// #include <stdint.h>
// int lib_seek(long offset);
// int lib_sum(long *list, int n);
// void lib_last(unsigned long *at);
// int lib_coords(double *list, size_t n);
// int lib_at(int64_t at);
import "C"

import (
	"time"
	"unsafe"
)

// Seek goes to an offset.
func Seek(offset int64) {
	C.lib_seek(C.long(offset)) // want warning "offset has 64 bits, and C.long has 32 on Windows"
}

// User gives C an address.
func User(p unsafe.Pointer) {
	C.lib_seek(C.long(uintptr(p))) // want warning "uintptr(p) has 64 bits"
}

// Number may be small.
func Number(n int, d time.Duration, openFlags uint64) {
	C.lib_seek(C.long(openFlags)) // want note "openFlags has 64 bits"
	C.lib_seek(C.long(n))         // want note "n has 64 bits"
	C.lib_seek(C.long(d))         // want note "d has 64 bits"
}

// Sum adds up.
func Sum(list []int64) {
	C.lib_sum((*C.long)(unsafe.Pointer(&list[0])), C.int(len(list))) // want warning "int64 has 64 bits, and C.long has 32 on Windows"
}

// Last is where C was.
func Last() uint64 {
	var at C.ulong
	C.lib_last(&at)
	return *(*uint64)(unsafe.Pointer(&at)) // want warning "uint64 has 64 bits, and C.ulong has 32 on Windows"
}

// Coords is twpayne/go-proj 10.
func Coords(list []float64) {
	C.lib_coords((*C.double)(unsafe.SliceData(list)), C.ulong(len(list))) // want warning "C.lib_coords wants a size_t, which isn't ulong on Windows"
}

// At doesn't compile for Windows.
func At(at int32) {
	C.lib_at(C.long(at)) // want warning "C.lib_at wants a int64_t"
}
