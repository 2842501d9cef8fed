//go:build cgo

package coro

import (
	"fmt"
	"sync/atomic"
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
	opPause
	opBlocks
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

// below is the end of the coroutine's stack, below the control block: seam_below in native.h.
type below struct {
	next, mailbox, since uint64
	woken, _             uint32
	missed               uint32 // it was woken before it waited; Go's own
	_                    uint32
	owner                uint64
	_                    uint64
	thread               uint64 // the m of the thread that it was on last
}

func (c *control) below() *below {
	return (*below)(unsafe.Add(unsafe.Pointer(c), -int(unsafe.Sizeof(below{}))))
}

// A mailbox has the coroutines that C has woken: seam_mailbox in native.h.
type mailbox struct {
	first  uint64
	event  int32
	asleep uint32
}

var sharedMailbox = (*mailbox)(native.SharedMailbox)

// take empties the mailbox and calls f for each coroutine, the one first that was woken first.
func (m *mailbox) take(f func(*control)) {
	if atomic.LoadUint64(&m.first) == 0 {
		return
	}
	var oldest uint64
	for at := atomic.SwapUint64(&m.first, 0); at != 0; {
		b := controlAt(at).below()
		at, b.next, oldest = b.next, oldest, at
	}
	for at := oldest; at != 0; {
		c := controlAt(at)
		b := c.below()
		at = b.next
		atomic.SwapUint32(&b.woken, 0) // from now on it may be in a mailbox again
		f(c)
	}
}

func controlAt(addr uint64) *control {
	p := uintptr(addr)
	return *(**control)(unsafe.Pointer(&p))
}

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
