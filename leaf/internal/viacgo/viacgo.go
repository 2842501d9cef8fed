//go:build cgo

// Package viacgo makes the calls of package leaf that the assembly alone can't: those
// through cgo and those that the guard watches.
package viacgo

/*
#cgo CFLAGS: -O2 -I${SRCDIR}/../../../internal/csys
#cgo linux LDFLAGS: -ldl
#cgo noescape seam_leaf_enter
#cgo nocallback seam_leaf_enter
#cgo nocallback seam_guard_start
#include <stdlib.h>
#include "enter.h"
*/
import "C"

import (
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	_ "github.com/seamgo/seam/internal/csys" // rebuilds this package when a header changes
)

// A Runtime is where the runtime keeps what the watch reads: seam_leaf_runtime in enter.h.
type Runtime struct {
	Near, InC, Argument                                              uintptr
	GGuard, GSchedSP, GM, MG0, MCurg, MP, MAllLink, MProcID, PCounts uintptr
}

// Watch starts the thread that finds leaves which keep a processor. Without it the program runs as well.
func Watch(r Runtime) { C.seam_leaf_watch(*(*C.seam_leaf_runtime)(unsafe.Pointer(&r))) }

const _ = uint(unsafe.Sizeof(Runtime{})-C.sizeof_seam_leaf_runtime) + uint(C.sizeof_seam_leaf_runtime-unsafe.Sizeof(Runtime{}))

// Register tells the watch what a function is called.
func Register(fn unsafe.Pointer, name string) {
	C.seam_leaf_name(C.uintptr_t(uintptr(fn)), NewName(name).p)
}

// Kept is how often it has found one.
func Kept() uint64 { return atomic.LoadUint64((*uint64)(unsafe.Pointer(&C.seam_leaf_kept))) }

// A Name is the name of a C function in C memory. It is never freed: there is one for each
// function that the guard has seen.
type Name struct{ p *C.char }

// NewName copies s to C memory.
func NewName(s string) Name { return Name{C.CString(strings.ReplaceAll(s, "\x00", ""))} }

func (n Name) String() string { return C.GoString(n.p) }

// Call runs fn(arg) through cgo.
//
//go:nocheckptr
func Call(fn, arg unsafe.Pointer) int32 {
	var r C.seam_request
	r.fn = C.uintptr_t(uintptr(fn))
	enter(&r, arg)
	return int32(r.ret)
}

// Measure runs fn(arg) through cgo, watched by the guard, and returns how long it took.
//
//go:nocheckptr
func Measure(fn, arg unsafe.Pointer, name Name) (int32, time.Duration) {
	var r C.seam_request
	r.fn = C.uintptr_t(uintptr(fn))
	r.name = name.p
	enter(&r, arg)
	return int32(r.ret), time.Duration(r.ns)
}

// Entry is the C function that makes the call in a request. It is a leaf function itself, so
// the assembly may call it; package leaf has its own declaration of the request for that,
// RequestSize bytes long.
var Entry = unsafe.Pointer(C.seam_leaf_enter)

// RequestSize is the size of the request in bytes.
const RequestSize = C.sizeof_seam_request

// Pointer returns the address of the name in C memory.
func (n Name) Pointer() unsafe.Pointer { return unsafe.Pointer(n.p) }

// take records where the request is, then where the argument is.
//
// arg may point to this goroutine's stack: package leaf promises its callers that it does
// not escape. C gets it as an integer (cgo would refuse pointers to pointers otherwise),
// which the runtime does not adjust when it moves the stack, and that can happen until cgo
// has switched stacks. The request lies on the same stack (cgo's noescape keeps it there,
// with checkptr and asan go:nocheckptr does too, and TestArgumentsDoNotEscape proves it), so
// it moves whenever arg does. C compares its address with self and returns at once if they
// differ; we try again, now with a stack that is large enough. The order matters: self must
// be older than arg. Both are stores to memory that an atomic operation separates, and a
// conversion of a pointer to an integer is ordered with them.
//
//go:nocheckptr
func take(r *C.seam_request, arg unsafe.Pointer) {
	atomic.StoreUintptr((*uintptr)(unsafe.Pointer(&r.self)), uintptr(unsafe.Pointer(r)))
	r.arg = C.uintptr_t(uintptr(arg))
}

//go:nocheckptr
func enter(r *C.seam_request, arg unsafe.Pointer) {
	returned := false
	// cgo's nocallback turns a callback into a panic before any Go code of the callback
	// runs. With the arguments on a stack that may move it is not safe to go on, so this
	// panic must not be recovered.
	defer func() {
		if !returned {
			fatal(uintptr(r.fn), r.name)
		}
	}()
	for r.done == 0 {
		take(r, arg)
		C.seam_leaf_enter(unsafe.Pointer(r))
	}
	returned = true
}

// A StandIn is an entry into C as profiles know it: PC is what the goroutine's saved context
// says while C runs.
type StandIn struct {
	PC, Low, High uintptr
	Frame         bool
}

// Tell tells profiles of the entries. It is called once, before any of them is used.
func Tell(entries [2]StandIn) {
	for i, e := range entries {
		to := &C.seamleaf_standins_v1[i]
		to.low, to.high = C.uintptr_t(e.Low), C.uintptr_t(e.High)
		if e.Frame {
			to.frame = 1
		}
		to.pc = C.uintptr_t(e.PC)
	}
}

// Describe names the C function at an address. Package leaf replaces it by one that also
// knows the names given to Of.
var Describe = Symbol

// fatal runs while the runtime still believes that the forbidden call is under way: it must
// not call a function marked nocallback.
func fatal(fn uintptr, name *C.char) {
	what := Describe(fn)
	if name != nil {
		what = C.GoString(name)
	}
	os.Stderr.WriteString("fatal error: seam: leaf: C function " + what +
		" called back into Go from a leaf call: call it through cgo instead\n\n" + string(debug.Stack()))
	os.Exit(2)
}

// StartGuard starts the thread that ends the program when a measured call runs
// longer than limit.
func StartGuard(limit time.Duration) error {
	if errno := C.seam_guard_start(C.int64_t(limit)); errno != 0 {
		return syscall.Errno(errno)
	}
	return nil
}
