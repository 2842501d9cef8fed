package main

// A file with an exported function can't have C code of its own: that would be
// compiled twice.

/*
#include "text.h"
*/
import "C"

import "runtime/cgo"

//export goVisit
func goVisit(user C.uintptr_t, field C.text_span) C.int {
	visit := cgo.Handle(user).Value().(func(start, length int64) bool)
	if visit(int64(field.start), int64(field.length)) {
		return 1
	}
	return 0
}
