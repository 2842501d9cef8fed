//go:build cgo

// Package native has what package coro needs cgo for. A package with cgo can't have Go
// assembly, so the switch itself is not here.
package native

/*
#cgo CFLAGS: -O2 -Wall -Wextra -I${SRCDIR}/../../../include -I${SRCDIR}/../../../internal/csys
#cgo linux LDFLAGS: -lpthread
#cgo nocallback seam_monotonic
#cgo nocallback seam_closing_start
#include <stdlib.h>
#include "native.h"
*/
import "C"

import (
	"sync/atomic"
	"time"
	"unsafe"

	_ "github.com/seamgo/seam/include" // rebuilds this package when a header changes
	_ "github.com/seamgo/seam/internal/csys"
)

// Control is a C seam_coro. Its fields are in coro.h. Package coro has its own declaration,
// which a test compares with Fields.
type Control = C.seam_coro

// Size is the size of a control block, Room the space for it at the end of a stack, and ABI
// the version of its layout.
const (
	Size = C.sizeof_seam_coro
	Room = C.SEAM_CORO_ROOM_
	ABI  = C.SEAM_CORO_ABI
)

// Call calls the C function f(arg) through cgo.
func Call(f, arg unsafe.Pointer) {
	// As numbers: cgo would refuse memory with Go pointers in it. The caller keeps it
	// alive.
	C.seam_call(C.uintptr_t(uintptr(f)), C.uintptr_t(uintptr(arg)))
}

// Monotonic returns CLOCK_MONOTONIC.
func Monotonic() time.Duration { return time.Duration(C.seam_monotonic()) }

// Serve is called with the control block of a fallback coroutine that has a request. It
// returns when the request is served.
var Serve func(unsafe.Pointer)

//export seamCoroServe
func seamCoroServe(co *C.seam_coro) { Serve(unsafe.Pointer(co)) }

// Callback calls a registered Go function and returns C's status.
var Callback func(id uint64, arg unsafe.Pointer) int32

//export seamCoroCallback
func seamCoroCallback(id C.uint64_t, arg unsafe.Pointer) C.int {
	return C.int(Callback(uint64(id), arg))
}

// FallbackSwitch is the C function that switches by Serve.
var FallbackSwitch = unsafe.Pointer(C.seam_fallback_switch)

// RunFallback runs a coroutine's function on this thread.
func RunFallback(co unsafe.Pointer) { C.seam_fallback_run((*C.seam_coro)(co)) }

// Waiters counts the waits for descriptors that C may close.
var Waiters = (*int32)(unsafe.Pointer(&C.seam_waiters))

// SharedMailbox is the mailbox of the coroutines that have no other.
var SharedMailbox = unsafe.Pointer(&C.seam_shared_mailbox)

// NewMailbox returns a mailbox whose reader is told by an eventfd. It is the caller's, to be
// freed with FreeMailbox when no coroutine has it.
func NewMailbox(event int) unsafe.Pointer {
	m := (*C.seam_mailbox)(C.calloc(1, C.sizeof_seam_mailbox))
	m.event = C.int32_t(event)
	return unsafe.Pointer(m)
}

// FreeMailbox frees it.
func FreeMailbox(m unsafe.Pointer) { C.free(m) }

// Keeps reports whether C has registered anything that goes with coroutines.
func Keeps() bool { return atomic.LoadUint32((*uint32)(unsafe.Pointer(&C.seam_keepers))) != 0 }

// StartClosing has what C closes announced by this eventfd, which stays open, from now on.
func StartClosing(fd int) { C.seam_closing_start(C.int(fd)) }

// Closing returns the number of the newest announcement.
func Closing() uint64 {
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(&C.seam_closing_last)))
}

// ClosingRing is how many announcements are kept.
const ClosingRing = C.SEAM_CLOSING_RING

// ClosingAt returns the descriptor of an announcement, whether it has been closed already
// or is about to be, and whether the announcement is still there.
func ClosingAt(seq uint64) (fd int, closed, ok bool) {
	e := atomic.LoadUint64((*uint64)(unsafe.Pointer(&C.seam_closing_ring[seq%ClosingRing])))
	return int(uint32(e) &^ C.SEAM_CLOSED), uint32(e)&C.SEAM_CLOSED != 0, e>>32 == seq&0xffffffff
}

// StartWatch starts the thread that finds C which keeps a processor, and Kept is how often it has.
// Without it the program runs as well.
func StartWatch() { C.seam_watch_start() }

func Kept() uint64 { return atomic.LoadUint64((*uint64)(unsafe.Pointer(&C.seam_kept))) }

// Waited notes that the first wait of a poller for a descriptor begins (1) or the last ends (-1).
func Waited(fd, n int32) {
	if fd < C.SEAM_COUNTED {
		atomic.AddInt32((*int32)(unsafe.Pointer(&C.seam_waited[fd])), n)
	}
}

// Waits notes that a wait begins (1) or ends (-1), and returns how many there are.
func Waits(n int32) int32 { return atomic.AddInt32(Waiters, n) }

// Waiting returns how many waits there are.
func Waiting() int { return int(atomic.LoadInt32(Waiters)) }

// NewControl returns a control block without a stack, for the fallback.
func NewControl() unsafe.Pointer {
	return unsafe.Pointer(C.seam_fallback_new())
}

// FreeControl frees a control block that NewControl made.
func FreeControl(co unsafe.Pointer) { C.free(co) }

// NewString returns s in C memory.
func NewString(s string) unsafe.Pointer { return unsafe.Pointer(C.CString(s)) }

// Symbol returns the name of the C function at addr, or "" if it isn't known.
func Symbol(addr uintptr) string {
	var name [128]C.char
	n := C.seam_function_name(C.uintptr_t(addr), &name[0], C.size_t(len(name)))
	return C.GoStringN(&name[0], C.int(n))
}

// Name returns the name of the function of a coroutine.
func Name(c unsafe.Pointer) string {
	co := (*C.seam_coro)(c)
	if co.name != nil {
		return C.GoString(co.name)
	}
	return Symbol(uintptr(unsafe.Pointer(co.fn)))
}

// Die ends the program with a message and a traceback.
func Die(message string) { C.seam_die(C.CString(message)) }

// String returns the C string at p.
func String(p unsafe.Pointer) string { return C.GoString((*C.char)(p)) }
