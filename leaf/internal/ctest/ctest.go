//go:build cgo && unix

// Package ctest is the C code that package leaf is tested with. Test files
// can't import "C".
package ctest

/*
#cgo CFLAGS: -O2
#include "ctest.h"
#include <time.h>
extern int64_t seamTestGoCallback(int64_t);
static void sleep_ms(int ms) { struct timespec t = {ms / 1000, ms % 1000 * 1000000L}; nanosleep(&t, 0); }
*/
import "C"

import "unsafe"

// Add is the arguments of the C function at AddFn, which sets Sum to A+B.
type Add struct{ A, B, Sum int64 }

// A List is a linked list in Go memory that C walks: pointers to pointers.
type List struct {
	Value int64
	Next  *List
}

// Walk is the arguments of WalkFn, which sums a list. The order of its fields
// makes it the same in C and Go on 32-bit machines too.
type Walk struct {
	Sum  int64
	Head *List
}

// Frame is the arguments of FrameFn, which fills and checks Bytes bytes of
// stack and sets Sum to a value that depends on Seed and Bytes only.
type Frame struct{ Bytes, Seed, Sum int64 }

// Spin is the arguments of SpinFn, which runs for NS nanoseconds; below 0, for ever.
type Spin struct{ NS int64 }

// SleepByCgo sleeps in an ordinary cgo call.
func SleepByCgo(ms int) { C.sleep_ms(C.int(ms)) }

// The C functions. Segv, Fpe, Abort, Callback and Exit end the program when called
// as leaf functions.
var (
	AddFn      = unsafe.Pointer(C.seam_test_add)
	EmptyFn    = unsafe.Pointer(C.seam_test_empty)
	WalkFn     = unsafe.Pointer(C.seam_test_walk)
	FrameFn    = unsafe.Pointer(C.seam_test_frame)
	ReadFn     = unsafe.Pointer(C.seam_test_read)  // of a descriptor
	UntilFn    = unsafe.Pointer(C.seam_test_until) // a number is not 0
	SpinFn     = unsafe.Pointer(C.seam_test_spin)
	StackFn    = unsafe.Pointer(C.seam_test_stack)
	SegvFn     = unsafe.Pointer(C.seam_test_segv)
	FpeFn      = unsafe.Pointer(C.seam_test_fpe)
	AbortFn    = unsafe.Pointer(C.seam_test_abort)
	CallbackFn = unsafe.Pointer(C.seam_test_callback)
	ExitFn     = unsafe.Pointer(C.seam_test_exit)
)

// CgoAdd calls the same C as AddFn, through cgo.
func CgoAdd(a, b int64) int64 {
	args := C.seam_test_add_args{a: C.int64_t(a), b: C.int64_t(b)}
	C.seam_test_add(unsafe.Pointer(&args))
	return int64(args.sum)
}

// Storm sends SIGPROF and SIGURG to this process's threads until stop is not 0,
// from a thread that is not Go's, and returns how many it sent.
func Storm(stop *int32) int64 { return int64(C.seam_test_storm((*C.int32_t)(unsafe.Pointer(stop)))) }

// seamTestGoCallback must never run: it is what seam_test_callback calls.
//
//export seamTestGoCallback
func seamTestGoCallback(x C.int64_t) C.int64_t {
	println("the callback ran")
	return x + 1
}

var fromC func(int64)

// FromC calls f n times from C, through cgo.
func FromC(f func(int64), n int) {
	fromC = f
	C.seam_test_from_c(C.int64_t(n))
}

// FromThreads calls f n times on each of several threads that C creates.
func FromThreads(f func(int64), threads, n int) bool {
	fromC = f
	return C.seam_test_from_threads(C.int(threads), C.int64_t(n)) == 0
}

//export seamTestFromC
func seamTestFromC(i C.int64_t) { fromC(int64(i)) }
