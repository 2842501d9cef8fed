//go:build cgo && unix

// Package ctest is the C code that package offload is tested with. Test files
// can't import "C".
package ctest

/*
#cgo CFLAGS: -O2 -I${SRCDIR}/../../../include
#include "ctest.h"
*/
import "C"

import "unsafe"

// Add is the arguments of AddFn, which sets Sum to A+B and returns it.
type Add struct{ A, B, Sum int64 }

// Gate is the arguments of GateFn, which adds one to Entered and returns when Open
// is not 0: 1 if it was cancelled meanwhile.
type Gate struct{ Entered, Open int32 }

// The C functions; ctest.c says what each does. Segv and Abort end the program,
// Exit its thread.
var (
	AddFn            = unsafe.Pointer(C.seam_test_add)
	SleepFn          = unsafe.Pointer(C.seam_test_sleep) // *int64: ns
	BusyFn           = unsafe.Pointer(C.seam_test_busy)  // *int64: ns
	UntilCancelledFn = unsafe.Pointer(C.seam_test_until_cancelled)
	GateFn           = unsafe.Pointer(C.seam_test_gate)
	DeadlineFn       = unsafe.Pointer(C.seam_test_deadline)
	TokenFn          = unsafe.Pointer(C.seam_test_token)
	ExitFn           = unsafe.Pointer(C.seam_test_exit)
	SegvFn           = unsafe.Pointer(C.seam_test_segv)
	AbortFn          = unsafe.Pointer(C.seam_test_abort)
	ThreadNameFn     = unsafe.Pointer(C.seam_test_thread_name) // *[16]byte
	BlockedSignalsFn = unsafe.Pointer(C.seam_test_blocked_signals)
	ForkFn           = unsafe.Pointer(C.seam_test_fork) // the line of a shell; the same for the next two
	SpawnFn          = unsafe.Pointer(C.seam_test_spawn)
	SystemFn         = unsafe.Pointer(C.seam_test_system)
	CallbackFn       = unsafe.Pointer(C.seam_test_callback) // *int64
)

// CgoSleep blocks in C for some nanoseconds, through cgo.
func CgoSleep(ns int64) { C.seam_test_cgo_sleep(C.int64_t(ns)) }

// Callback is the Go function that CallbackFn calls.
var Callback func(int64) int64

//export seamTestGoCallback
func seamTestGoCallback(x C.int64_t) C.int64_t { return C.int64_t(Callback(int64(x))) }
