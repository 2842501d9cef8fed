//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Package cside is the C of package torture: test files can't use cgo, and the flags for
// the linker here are for this program alone.
package cside

/*
#cgo CFLAGS: -O2 -Wall -Wextra -pthread -fstack-clash-protection -I${SRCDIR}/../../../include
#cgo LDFLAGS: -pthread -lm -Wl,--wrap=mmap -Wl,--wrap=mprotect
#include "torture.h"
*/
import "C"

import (
	"unsafe"

	_ "github.com/seamgo/seam/include" // compiles this again when a header changes
	"github.com/seamgo/seam/mem"
)

// The steps of a coroutine, as torture.h has them.
const (
	Value     = C.STEP_VALUE
	Upcall    = C.STEP_UPCALL
	Sleep     = C.STEP_SLEEP
	Nanosleep = C.STEP_NANOSLEEP
	Read      = C.STEP_READ
	Recv      = C.STEP_RECV
	Write     = C.STEP_WRITE
	Poll      = C.STEP_POLL
	Lost      = C.STEP_LOST
	Offload   = C.STEP_OFFLOAD
	Callback  = C.STEP_CALLBACK
	Spawn     = C.STEP_SPAWN
	Lock      = C.STEP_LOCK
	Round     = C.STEP_ROUND
	Yield     = C.STEP_YIELD
)

// Statuses that a coroutine may fail with.
const (
	Failed   = C.SEAM_EFAILED
	NoMemory = C.SEAM_ENOMEM
	Errno    = -1000 // and below: minus errno
)

// The arguments of the functions below.
type (
	Step struct {
		Op, FD     int32
		N          int64
		Value, Kid uint64
	}
	Call struct {
		Steps           unsafe.Pointer
		Count           int64
		Func            uint64
		Seed            uint64
		Depth, Frame    int64
		Loose, Shares   int64
		Fallback        int64
		Hash            uint64
		Begun, Ended    int64
		Code, At, Error int64
		Damaged         int64
		Wrong, Reason   int64
	}
	UpcallArgs struct{ Before, Kid, Out, After uint64 }
	Bytes      struct {
		Data             unsafe.Pointer
		N                int64
		Seed, Next, Hash uint64
		Pause            int64
	}
	Fill struct {
		Out  mem.Bytes
		Seed uint64
		N    int64
	}
	Parts struct {
		Arena unsafe.Pointer
		Seed  uint64
		N     int64
		Parts [8]mem.Part
	}
	Buffer struct {
		Pool    unsafe.Pointer
		Buffer  uint64
		Seed    uint64
		N, Code int64
	}
)

// They are as large as C's.
var (
	_ [C.sizeof_torture_step]byte   = [unsafe.Sizeof(Step{})]byte{}
	_ [C.sizeof_torture_call]byte   = [unsafe.Sizeof(Call{})]byte{}
	_ [C.sizeof_torture_upcall]byte = [unsafe.Sizeof(UpcallArgs{})]byte{}
	_ [C.sizeof_torture_bytes]byte  = [unsafe.Sizeof(Bytes{})]byte{}
	_ [C.sizeof_torture_fill]byte   = [unsafe.Sizeof(Fill{})]byte{}
	_ [C.sizeof_torture_parts]byte  = [unsafe.Sizeof(Parts{})]byte{}
	_ [C.sizeof_torture_buffer]byte = [unsafe.Sizeof(Buffer{})]byte{}
)

// Reasons are what a Call's Reason may be.
var Reasons = [...]string{"", "seam_self is another", "it rounds differently", "a call that was lost goes on", "errno is another", "thread-local state is another", "x87 rounds differently"}

// Stale is what C says of a buffer that was released.
const Stale = C.SEAM_MEM_ESTALE

// The functions.
var (
	Run        = unsafe.Pointer(C.torture_run)
	Leaf       = unsafe.Pointer(C.torture_leaf)
	Offloaded  = unsafe.Pointer(C.torture_offload)
	FillRoom   = unsafe.Pointer(C.torture_fill_room)
	FillArena  = unsafe.Pointer(C.torture_fill_arena)
	FillBuffer = unsafe.Pointer(C.torture_fill_buffer)
)

// OnCallback is called by a step Callback, on a thread of C.
var OnCallback func(kid uint64) uint64

//export tortureCallback
func tortureCallback(kid C.uint64_t) C.uint64_t { return C.uint64_t(OnCallback(uint64(kid))) }

// Keep registers what each coroutine has of its own where threads are shared.
func Keep() bool { return C.torture_keep() == 0 }

// Pattern fills p with the bytes of a seed.
func Pattern(p []byte, seed uint64) {
	if len(p) > 0 {
		C.torture_pattern((*C.uint8_t)(&p[0]), C.int64_t(len(p)), C.uint64_t(seed))
	}
}

// Intact reports whether p has the bytes of a seed.
func Intact(p []byte, seed uint64) bool {
	return len(p) == 0 || C.torture_intact((*C.uint8_t)(&p[0]), C.int64_t(len(p)), C.uint64_t(seed)) != 0
}

// Alloc returns C memory between canaries.
func Alloc(n uintptr) unsafe.Pointer { return C.torture_alloc(C.int64_t(n)) }

// Free frees it and reports whether the canaries live.
func Free(p unsafe.Pointer) bool { return C.torture_free(p) != 0 }

// Close closes a descriptor as a C library does, so netio hears of it.
func Close(fd int) { C.torture_close(C.int(fd)) }

// Scarce makes every nth call for memory fail, 0 none.
func Scarce(n uint64) { C.torture_scarce(C.uint64_t(n)) }

// Refused is how many have failed.
func Refused() uint64 { return uint64(C.torture_refused()) }
