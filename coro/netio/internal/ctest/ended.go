//go:build cgo && linux && !android && (amd64 || arm64)

package ctest

// #include <stdlib.h>
// #include "ended.h"
import "C"

import "unsafe"

// Ended is a function for coroutines, see ended.h.
var Ended = unsafe.Pointer(C.seam_test_ended)

// The ways.
const (
	EndedOpen, EndedOpenat, EndedOpen64 = C.ENDED_OPEN, C.ENDED_OPENAT, C.ENDED_OPEN64
	EndedFgets, EndedFread, EndedFgetc  = C.ENDED_FGETS, C.ENDED_FREAD, C.ENDED_FGETC
	EndedGetline, EndedCount            = C.ENDED_GETLINE, C.ENDED_COUNT
)

// EndedArgs is seam_test_ended_args.
type EndedArgs struct {
	path             unsafe.Pointer
	fd, how, Started int32
}

// NewEnded returns arguments of Ended in C memory, to be freed.
func NewEnded(path string, fd, how int) *EndedArgs {
	a := (*EndedArgs)(C.calloc(1, C.sizeof_seam_test_ended_args))
	*a = EndedArgs{unsafe.Pointer(C.CString(path)), int32(fd), int32(how), 0}
	return a
}

// Free frees the arguments.
func (a *EndedArgs) Free() {
	C.free(a.path)
	C.free(unsafe.Pointer(a))
}
