//go:build cgo

// Package probed has C functions compiled as the documentation of package coro advises.
package probed

/*
#cgo CFLAGS: -O2 -Wall -Wextra -fstack-clash-protection -I${SRCDIR}/.. -I${SRCDIR}/../../../../include
#include "ctest.h"

int64_t ctest_probed_frame(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	(void)co;
	volatile char *frame = __builtin_alloca((size_t)a->n);
	frame[0] = 1;
	return frame[0];
}
*/
import "C"

import (
	"unsafe"

	_ "github.com/seamgo/seam/include" // compiles this again when a header changes
)

// Frame has a frame of ctest.Args.N bytes and writes to its far end.
var Frame = unsafe.Pointer(C.ctest_probed_frame)
