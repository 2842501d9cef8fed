// Package cxx calls C++.
package cxx

/*
#cgo CXXFLAGS: -std=c++17 -Wall -Werror
#include "cxx.h"
*/
import "C"

import (
	"fmt"
	"io"
)

// Print calls all functions.
func Print(w io.Writer) {
	v := C.vector_new()
	for i := range 10 {
		C.vector_push(v, C.int(i))
	}
	fmt.Fprintln(w, "c++", C.vector_sum(v), C.vector_throws(1), C.vector_throws(0))
	C.vector_delete(v)
}
