// Package wrap has functions that return C memory and that free it, for other packages.
package wrap

// #include <stdlib.h>
import "C"

import (
	"errors"
	"unsafe"
)

// Text returns a string of C, which the caller frees with [Free].
func Text(s string) (unsafe.Pointer, error) {
	if s == "" {
		return nil, errors.New("empty")
	}
	return unsafe.Pointer(C.CString(s)), nil
}

// Free frees.
func Free(p unsafe.Pointer) { C.free(p) }
