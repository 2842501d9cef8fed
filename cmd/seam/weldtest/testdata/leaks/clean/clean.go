// Package clean frees what it gets.
package clean

// #include <stdlib.h>
import "C"

import "unsafe"

// Length is that of a text, as C sees it.
func Length(s string) int {
	c := C.CString(s)
	defer C.free(unsafe.Pointer(c))
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(c), n)) != 0 {
		n++
	}
	return n
}
