// Package good looks at the length, or needs none.
package good

// #include <stddef.h>
// #include <stdint.h>
// int lib_select(const int64_t *ids, size_t n);
import "C"

import "unsafe"

// Select selects.
func Select(ids []int64) int {
	return int(C.lib_select((*C.int64_t)(unsafe.Pointer(unsafe.SliceData(ids))), C.size_t(len(ids))))
}

// Checked looks.
func Checked(ids []int64) int {
	if len(ids) == 0 {
		return 0
	}
	return int(C.lib_select((*C.int64_t)(unsafe.Pointer(&ids[0])), C.size_t(len(ids))))
}

// Typed has C's types.
func Typed(ids []C.int64_t) int { return int(C.lib_select(&ids[0], C.size_t(len(ids)))) }

func inside(ids []int64) int {
	return int(C.lib_select((*C.int64_t)(unsafe.Pointer(&ids[0])), C.size_t(len(ids))))
}

// Own makes its own.
func Own() int {
	ids := make([]int64, 4)
	return int(C.lib_select((*C.int64_t)(unsafe.Pointer(&ids[0])), C.size_t(len(ids))))
}
