//go:build cgo && unix

// Package ctest is the C code that package mem is tested with. Test files can't import
// "C".
package ctest

/*
#cgo CFLAGS: -O2 -Wall -Wextra -pthread -I${SRCDIR}/../../../include
#cgo LDFLAGS: -pthread
#include <stdlib.h>
#include "ctest.h"
*/
import "C"

import (
	"unsafe"

	_ "github.com/seamgo/seam/include" // compile again when a header changes
	"github.com/seamgo/seam/mem"
)

// The arguments of the functions, as ctest.h has them.
type (
	View struct {
		In      mem.Str
		Numbers mem.Span[int64]
		Sum     int64
	}
	Fill struct {
		Out       mem.Bytes
		Size, Lie int64
	}
	Buffer struct {
		Pool      unsafe.Pointer
		_         [8 - unsafe.Sizeof(uintptr(0))]byte
		Buffer    uint64
		N, Result int64
	}
	Arena struct {
		Arena        unsafe.Pointer
		_            [8 - unsafe.Sizeof(uintptr(0))]byte
		Table        mem.Part
		N, Lie, Done int64
	}
	Token struct {
		Token                         unsafe.Pointer
		_                             [8 - unsafe.Sizeof(uintptr(0))]byte
		N, Polls, Deadline, Cancelled int64
	}
	Row struct {
		Name  mem.Part
		Value int64
	}
)

// How C lies.
const (
	Truth = iota
	LenTooLong
	LenNegative
	NeedTooSmall
	NeedHuge
	OtherData
	OtherCap
	Overrun
	UsedTooMuch
	NeedHalf
)

// What C answers.
const (
	Stale    = C.SEAM_MEM_ESTALE
	NoHandle = C.SEAM_MEM_EHANDLE
	NotHeld  = C.SEAM_MEM_EHELD
	Limit    = C.SEAM_MEM_ELIMIT
	Closed   = C.SEAM_MEM_EABI
)

// The functions.
var (
	EmptyFn      = unsafe.Pointer(C.seam_mtest_empty)
	SumFn        = unsafe.Pointer(C.seam_mtest_sum)
	WriteFn      = unsafe.Pointer(C.seam_mtest_write)
	BufFillFn    = unsafe.Pointer(C.seam_mtest_buffer_fill)
	BufDataFn    = unsafe.Pointer(C.seam_mtest_buffer_data)
	BufHoldFn    = unsafe.Pointer(C.seam_mtest_buffer_hold)
	BufFreeFn    = unsafe.Pointer(C.seam_mtest_buffer_release)
	BufKeepFn    = unsafe.Pointer(C.seam_mtest_buffer_keep)
	KeptWriteFn  = unsafe.Pointer(C.seam_mtest_kept_write)
	RowsFn       = unsafe.Pointer(C.seam_mtest_rows)
	RowsOnFn     = unsafe.Pointer(C.seam_mtest_rows_on)
	AllocTwiceFn = unsafe.Pointer(C.seam_mtest_alloc_twice)
	PollFn       = unsafe.Pointer(C.seam_mtest_poll)
)

// PollUntil is PollUntilFn by cgo, where it may wait.
func PollUntil(a *Token) { C.seam_mtest_poll_until((*C.seam_mtest_token)(unsafe.Pointer(a))) }

// CgoFill is BufFillFn by cgo, whose checks see the arguments. They lie in C memory of
// their own here, as a C library would keep them.
func CgoFill(pool unsafe.Pointer, handle uint64, n int64) (result int64, err int) {
	args := C.seam_mtest_buffer{pool: (*C.seam_pool)(pool), buffer: C.seam_buffer(handle), n: C.int64_t(n)}
	e := C.seam_mtest_buffer_fill(&args)
	return int64(args.result), int(e)
}

// CgoRows is RowsFn by cgo.
func CgoRows(arena unsafe.Pointer, n int64) mem.Part {
	args := C.seam_mtest_arena{arena: (*C.seam_arena)(arena), n: C.int64_t(n)}
	C.seam_mtest_rows(&args)
	return mem.Part{At: uint64(args.table.at), Len: uint64(args.table.len)}
}

// CgoPoll is PollFn by cgo.
func CgoPoll(token unsafe.Pointer) bool {
	args := C.seam_mtest_token{token: (*C.seam_token)(token), n: 1}
	C.seam_mtest_poll(&args)
	return args.cancelled != 0
}

// CgoSum is SumFn on a view that is passed by value.
func CgoSum(s string) int64 {
	in := mem.StrOf(s)
	return int64(C.seam_mtest_sum_bytes((*C.char)(unsafe.Pointer(in.Data)), C.size_t(in.Len)))
}

// Malloc and Free are C's.
func Malloc(n int) unsafe.Pointer { return C.malloc(C.size_t(n)) }
func Free(p unsafe.Pointer)       { C.free(p) }

// A Thread is one of C's own, which holds a buffer.
type Thread struct{ c unsafe.Pointer }

// Hold starts a thread that holds the buffer for ns nanoseconds, writes to it and lets it
// go.
func Hold(pool unsafe.Pointer, handle uint64, ns int64) Thread {
	return Thread{C.seam_mtest_thread_start((*C.seam_pool)(pool), C.seam_buffer(handle), C.int64_t(ns))}
}

// End waits for the thread and returns its error.
func (t Thread) End() int { return int(C.seam_mtest_thread_end(t.c)) }

// Started reports whether the thread runs.
func (t Thread) Started() bool { return t.c != nil }

// Sizes returns what C says of the sizes and some offsets of the shared types.
func Sizes() map[string]uintptr {
	return map[string]uintptr{
		"seam_str": C.sizeof_seam_str, "seam_span": C.sizeof_seam_span, "seam_bytes": C.sizeof_seam_bytes,
		"seam_part": C.sizeof_seam_part, "seam_arena": C.sizeof_seam_arena, "seam_token": C.sizeof_seam_token,
		"seam_buffer_entry": C.sizeof_seam_buffer_entry, "view": C.sizeof_seam_mtest_view, "fill": C.sizeof_seam_mtest_fill,
		"buffer": C.sizeof_seam_mtest_buffer, "arena": C.sizeof_seam_mtest_arena, "token": C.sizeof_seam_mtest_token,
	}
}

// Now sets the deadline to the time.
func Now(a *Token) { C.seam_mtest_now((*C.seam_mtest_token)(unsafe.Pointer(a))) }
