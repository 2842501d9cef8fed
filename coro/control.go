//go:build cgo

package coro

import (
	"fmt"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
)

// control is a coroutine as C sees it: struct seam_coro in include/seam/coro.h. It is at the
// end of the coroutine's stack, in C memory. Addresses are integers here, because what C
// leaves in these fields must not reach the garbage collector's write barrier.
type control struct {
	pc, sp, fp             uintptr // the coroutine, while Go runs
	goSP, goPC, goFP, goG  uintptr // the goroutine, while C runs
	ptr                    uintptr
	op                     uint32
	status                 int32
	id                     uint64
	n                      int64
	fpControl              uint32
	abi, flags             uint16
	goFPControl            uint32
	events                 uint32
	token                  token
	result                 int64
	fn, arg                uintptr
	goSwitch               uintptr
	stackLow, stackHigh    uintptr
	fakeStack, goFakeStack uintptr
	goStackLow, goStackLen uintptr
	name                   uintptr
	realPC, canary         uintptr
	errorAt, keep, rooms   uint64
	unwatched              uint64
}

// token is struct seam_token.
type token struct {
	cancelled int32
	_         int32
	deadline  int64
}

// Requests, SEAM_OP_… in coro.h.
const (
	opDone = iota
	opUpcall
	opYield
	opWaitFD
	opWaitFDs
	opSleep
	opOffload
	opDetach
	opWatch
)

// Statuses for C, SEAM_E… in coro.h.
const (
	eCanceled = -1 - iota
	ePanic
	eGoexit
	eStopped
	eNoFunc
	eFailed
	eTimedOut
	eBadFD
	eMisuse
	eABI
	eNoMem
)

// SEAM_CORO_SHARES_THREAD and SEAM_CORO_FALLBACK.
const (
	sharesThread = 1 << iota
	isFallback
)

// argument returns the pointer that C passes to Go: to C memory, or to Go memory that C was
// given before.
func (c *control) argument() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&c.ptr)) }

// function returns the C function that is to run on an ordinary thread.
func (c *control) function() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&c.id)) }

// called returns what messages call the coroutine's function.
func (c *control) called() string {
	if c.name != 0 {
		return native.String(*(*unsafe.Pointer)(unsafe.Pointer(&c.name)))
	}
	if name := native.Symbol(c.fn); name != "" {
		return name
	}
	return fmt.Sprintf("at %#x", c.fn)
}
