// Package bad takes the address of what may not be there.
package bad

// #include <stddef.h>
// #include <stdint.h>
// int lib_select(const int64_t *ids, size_t n);
import "C"

import "unsafe"

// Select selects.
func Select(ids []int64) int {
	return int(C.lib_select((*C.int64_t)(unsafe.Pointer(&ids[0])), C.size_t(len(ids)))) // want note "&ids[0] panics if ids is empty"
}
