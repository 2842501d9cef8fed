//go:build cgo && linux && !android && (amd64 || arm64)

package ctest

// #cgo LDFLAGS: -lresolv
// #include "odd.h"
import "C"

import "unsafe"

// Functions for coroutines, see odd.h.
var (
	OwnStack     = unsafe.Pointer(C.seam_test_own_stack)
	OwnStackMore = unsafe.Pointer(C.seam_test_own_stack_more)
	BusyRead     = unsafe.Pointer(C.seam_test_busy_read)
	BusyWrite    = unsafe.Pointer(C.seam_test_busy_write)
	BusyPoll     = unsafe.Pointer(C.seam_test_busy_poll)
	EventLoop    = unsafe.Pointer(C.seam_test_event_loop)
	NestedLoop   = unsafe.Pointer(C.seam_test_nested_loop)
	OwnServer    = unsafe.Pointer(C.seam_test_own_server)
	ZeroCopy     = unsafe.Pointer(C.seam_test_zerocopy)
)
