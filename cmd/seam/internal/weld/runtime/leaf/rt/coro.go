//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package rt

//lint:file-ignore U1000 the assembly uses what seems unused

import (
	"sync/atomic"
	"unsafe"
)

// C that calls Go as a matter of course
//
// A function that the plan calls coro runs as a leaf does, and its callbacks come to Go
// as those of a leaf (see late.go), but nothing is announced: seamDirect calls the
// exported function itself, with the block of arguments that C made, as the runtime's
// cgocallbackg1 does. The runtime sees a goroutine that runs Go all the time, in which
// seamCFunctionCallsGo has called seamLate. What cgo promises holds:
//
// The traceback is right at every instruction. The frames are those of Go functions
// and of seamCFunctionCallsGo, which has the frame that SeamCallCoro has left, at the
// same place and with the same arguments. In the assembly that switches stacks the
// runtime goes no further, since the assembler marks functions that write the stack
// pointer, and in C it goes no further in any leaf. In assembly the goroutine can't be
// stopped, so the garbage collector only ever sees it in seamLate or below.
//
// Go may block, be preempted, collect garbage, move the stack, call C. The thread is
// the goroutine's until it is back in C, and g0's saved stack pointer is below C's
// frames. The stack is C's and the runtime's by turns, as with late.go.
//
// A panic and Goexit run the deferred function of seamDirect, which drops C's frames.
//
// A stop of the world waits for C no longer than C takes between two callbacks:
// seamDirect begins with the look of every Go function at whether it is to stop.
//
// Not done is what cgocallbackg1 does for SetCgoTraceback: tracebacks show
// seamCFunctionCallsGo in place of C's frames. With -race these functions are called
// through cgo, whose events the race detector knows.

// SeamCallCoro is SeamCallOpen for a function that calls Go as a matter of course. C's int is
// the lower half of what it returns.
//
//go:noescape
func SeamCallCoro(fn, arg unsafe.Pointer) uintptr

// seamCFunctionCallsGo is what tracebacks show in place of the C function.
//
//go:noescape
func seamCFunctionCallsGo(fn, arg unsafe.Pointer) uintptr

// seamUnlocked is SeamCallCoro's end where its callbacks have locked the thread.
//
//go:noescape
func seamUnlocked()

// SeamMayCallGo reports whether SeamCallCoro can be used in this program.
func SeamMayCallGo() bool { return seamLock != nil }

// The assembly calls these, as Go's own code calls func values: the argument is in the first
// register of the calling convention, which is that of Go 1.17 to 1.27, and there is room for it above
// the return address.
var (
	seamDirectly  = seamDirect
	seamElsewhere = seamRefuse
)

// seamDirect calls what C wanted to call.
//
//go:noinline
func seamDirect(c *seamLateCall) {
	returned := false
	defer func() {
		if !returned {
			seamLeave(c)
		}
	}()
	f := unsafe.Pointer(&c.fn) // a function's value is the address of its code's address
	(*(*func(unsafe.Pointer))(unsafe.Pointer(&f)))(c.a)
	returned = true
}

// seamPause is a function of C's, by which the guard's clock and the watch stop while Go
// runs: _seam_pause_v1. The assembly calls it on C's stack before Go. If it
// returns something, that begins with the address of a function which is called
// with it after Go. A thread that doesn't see it yet calls nothing.
var seamPause unsafe.Pointer

// seamSlowly is a function of C's that does what cgo's code of an export does: _seam_slowly_v1.
var seamSlowly unsafe.Pointer

// seamGate is _seam_gate_v1: what C of welded packages asks.
type seamGate struct {
	fromC  unsafe.Pointer
	slowly unsafe.Pointer
	inCoro unsafe.Pointer
	wait   unsafe.Pointer
}

// seamOpen has exports come by seamFromC. Goroutines that do so at once write the same.
func seamOpen(g *seamGate, cgocall SeamCgocall) {
	var c [2]uintptr
	seamForC(&c)
	wait := seamWait
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&seamWaitBy)), *(*unsafe.Pointer)(unsafe.Pointer(&cgocall)))
	atomic.StorePointer(&seamSlowly, g.slowly)
	atomic.StoreUintptr((*uintptr)(unsafe.Pointer(&g.wait)), **(**uintptr)(unsafe.Pointer(&wait))) // a function's code
	atomic.StoreUintptr((*uintptr)(unsafe.Pointer(&g.fromC)), c[0])
	atomic.StoreUintptr((*uintptr)(unsafe.Pointer(&g.inCoro)), c[1])
}

// seamWaitBy is the runtime's cgocall.
var seamWaitBy SeamCgocall

// seamWait is called by C that has waited for long: the rest is a cgo call, which keeps no processor. The
// function to call is the first word of what it gets.
func seamWait(c unsafe.Pointer) { seamWaitBy(*(*unsafe.Pointer)(c), uintptr(c)) }

// seamForC writes the addresses of seamFromC and seamInCoro.
//
//go:noescape
func seamForC(into *[2]uintptr)
