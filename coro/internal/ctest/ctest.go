//go:build cgo

// Package ctest is the C code that package coro is tested with: test files can't use
// cgo. -rdynamic keeps the names of its functions, which go test strips.
package ctest

/*
#cgo CFLAGS: -O2 -Wall -Wextra -I${SRCDIR}/../../../include
#cgo CXXFLAGS: -O2 -std=c++17 -Wall -Wextra -I${SRCDIR}/../../../include
#cgo linux LDFLAGS: -lm -lpthread -rdynamic
#include "ctest.h"
*/
import "C"

import (
	"unsafe"

	_ "github.com/seamgo/seam/include" // compiles this again when a header changes
)

// Args is the argument of all functions: ctest_args.
type Args struct {
	Func                        uint64
	N, A, B, Sum, Code, Cleaned int64
	FD, FD2                     int32
	P, Q                        unsafe.Pointer
}

// Item is the argument of the Go functions they call: ctest_item.
type Item struct{ X, Y int64 }

// Both are as large as C's.
var (
	_ [C.sizeof_ctest_args]byte = [unsafe.Sizeof(Args{})]byte{}
	_ [C.sizeof_ctest_item]byte = [unsafe.Sizeof(Item{})]byte{}
)

// The C functions by name.
var (
	Return             = unsafe.Pointer(C.ctest_return)
	Upcalls            = unsafe.Pointer(C.ctest_upcalls)
	Stubborn           = unsafe.Pointer(C.ctest_stubborn)
	Count              = unsafe.Pointer(C.ctest_count)
	Threads            = unsafe.Pointer(C.ctest_threads)
	Sleep              = unsafe.Pointer(C.ctest_sleep)
	Wait               = unsafe.Pointer(C.ctest_wait)
	ReadOne            = unsafe.Pointer(C.ctest_read_one)
	SpinUntilCancelled = unsafe.Pointer(C.ctest_spin_until_cancelled)
	Deadline           = unsafe.Pointer(C.ctest_deadline)
	AskAfter           = unsafe.Pointer(C.ctest_ask_after)
	Offload            = unsafe.Pointer(C.ctest_offload)
	Self               = unsafe.Pointer(C.ctest_self)
	Recurse            = unsafe.Pointer(C.ctest_recurse)
	BigFrame           = unsafe.Pointer(C.ctest_big_frame)
	Frame              = unsafe.Pointer(C.ctest_frame)
	Locals             = unsafe.Pointer(C.ctest_locals)
	Overwrite          = unsafe.Pointer(C.ctest_overwrite)
	ThreadExit         = unsafe.Pointer(C.ctest_thread_exit)
	CancelledThread    = unsafe.Pointer(C.ctest_cancelled_thread)
	Raise              = unsafe.Pointer(C.ctest_raise)
	Divide             = unsafe.Pointer(C.ctest_divide)
	CallNothing        = unsafe.Pointer(C.ctest_call_nothing)
	BlocksSignal       = unsafe.Pointer(C.ctest_blocks_signal)
	Rounding           = unsafe.Pointer(C.ctest_rounding)
	Errno              = unsafe.Pointer(C.ctest_errno)
	ErrnoKept          = unsafe.Pointer(C.ctest_errno_kept)
	Kept               = unsafe.Pointer(C.ctest_kept)
	Unkept             = unsafe.Pointer(C.ctest_unkept)
	TLS                = unsafe.Pointer(C.ctest_tls)
	Pause              = unsafe.Pointer(C.ctest_pause)
	ReadPlainly        = unsafe.Pointer(C.ctest_read_plainly)
	ThreadAdds         = unsafe.Pointer(C.ctest_thread_adds)
	Mutex              = unsafe.Pointer(C.ctest_mutex)
	Registers          = unsafe.Pointer(C.ctest_registers)
	Fork               = unsafe.Pointer(C.ctest_fork)
	Segv               = unsafe.Pointer(C.ctest_segv)
	Callback           = unsafe.Pointer(C.ctest_callback)
	OtherABI           = unsafe.Pointer(C.ctest_other_abi)
	Exception          = unsafe.Pointer(C.ctest_exception)
	Hold               = unsafe.Pointer(C.ctest_hold)
	Echo               = unsafe.Pointer(C.ctest_echo)
	NeverEnds          = unsafe.Pointer(C.ctest_never_ends)
	LoopUpcall         = unsafe.Pointer(C.ctest_loop_upcall)
	LongDouble         = unsafe.Pointer(C.ctest_long_double)
	FP                 = unsafe.Pointer(C.ctest_fp)
	LeaveRounding      = unsafe.Pointer(C.ctest_leave_rounding)
	RoundsAfterUpcall  = unsafe.Pointer(C.ctest_rounds_after_upcall)
	Lend               = unsafe.Pointer(C.ctest_lend)
	ForeignMisuse      = unsafe.Pointer(C.ctest_foreign_misuse)
	OffloadedMisuse    = unsafe.Pointer(C.ctest_offloaded_misuse)
	ForeignCallback    = unsafe.Pointer(C.ctest_foreign_callback)
	PollTwo            = unsafe.Pointer(C.ctest_poll_two)
)

// CgoCallback makes n cgo callbacks.
func CgoCallback(n int) int64 { return int64(C.ctest_cgo_callback(C.int64_t(n))) }

// Wake gives n tokens of each of k kinds to coroutines in Pause, in a cgo call.
func Wake(k, n int) { C.ctest_wake(C.int(k), C.int64_t(n)) }

// Outside makes all operations outside of a coroutine, with none and with another
// that does not run. It returns how many were not refused.
func Outside(other int64) int { return int(C.ctest_outside(C.uintptr_t(other))) }

// CallbackOutside calls the registered function in a cgo call.
func CallbackOutside(id uint64, x int64) int64 {
	return int64(C.ctest_callback_outside(C.seam_func(id), C.int64_t(x)))
}

// SetX87 sets how x87 rounds on this thread, in a cgo call; elsewhere than on amd64 it does nothing.
func SetX87(upward bool) {
	var up C.int
	if upward {
		up = 1
	}
	C.ctest_set_x87(up)
}

// RoundsUpward reports whether x87 does on this thread.
func RoundsUpward() bool { return C.ctest_rounds_upward() != 0 }

// SetFP sets this thread's floating-point settings, in a cgo call, and returns what they were.
func SetFP(v uint32) uint32 { return uint32(C.ctest_set_fp(C.uint32_t(v))) }

// SetErrno sets this thread's errno, in a cgo call.
func SetErrno(e int) { C.ctest_set_errno(C.int64_t(e)) }

// Keep registers a library's thread-local state. It returns C's status.
func Keep() int { return int(C.ctest_keep()) }

// ErrorsLive returns how many errors that library has not freed.
func ErrorsLive() int { return int(C.ctest_errors_live()) }

//export ctestGo
func ctestGo(x C.int64_t) C.int64_t { return x + 1 }
