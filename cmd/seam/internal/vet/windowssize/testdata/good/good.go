// Package good is built for Windows, and looks out.
package good

// #cgo linux,amd64 windows LDFLAGS: -lm
// #include <stddef.h>
// #include <stdint.h>
// int lib_seek(long offset);
// int lib_seek64(int64_t offset);
// int lib_sum(long *list, int n);
// int lib_coords(double *list, size_t n);
import "C"

import (
	"math"
	"unsafe"
)

// Seek goes to an offset.
func Seek(offset int64) {
	C.lib_seek64(C.int64_t(offset))
	if offset > math.MaxInt32 {
		return
	}
	C.lib_seek(C.long(offset))
}

// Small numbers.
func Small(n int64, m int32) {
	C.lib_seek(C.long(n & 0xff))
	C.lib_seek(C.long(m))
	C.lib_seek(C.long(int32(n)))
	C.lib_seek(C.long(3))
	var c C.long
	C.lib_seek(C.long(c))
}

// Sum adds up.
func Sum(list []C.long) {
	C.lib_sum((*C.long)(unsafe.Pointer(&list[0])), C.int(len(list)))
}

// Coords says what C says.
func Coords(list []float64) {
	C.lib_coords((*C.double)(unsafe.SliceData(list)), C.size_t(len(list)))
}
