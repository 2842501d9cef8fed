//go:build linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28

package dl

//lint:file-ignore U1000 the assembly uses what seems unused

import (
	"unsafe"

	"github.com/seamgo/seam/internal/abi"
	"github.com/seamgo/seam/internal/crossing"
)

// The assembly reads these as const_gM and so on.
const (
	gM       = abi.GM
	mG0      = abi.MG0
	mCurg    = abi.MCurg
	gSchedSP = abi.GSchedSP
	gSchedPC = abi.GSchedPC
	gStackLo = abi.GStackLo
	gStackHi = abi.GStackHi
	mP       = abi.MP
	pID      = abi.PID
)

// call calls f by its entry, which may be callSlow's.
//
//go:noescape
func call(f *function, args unsafe.Pointer)

// direct calls f as a leaf, whatever its entry is.
//
//go:noescape
func direct(f *function, args unsafe.Pointer)

// mustNotCallGo is what tracebacks show in place of the C function. It has the arguments of
// call so that tracebacks show them too.
//
//go:noescape
func mustNotCallGo(f *function, args unsafe.Pointer) uintptr

// Entries: where call jumps. The table has, for each of the results below, the functions of
// 0 to intRegisters words, and then those of 1 to 4 float64.
var (
	entryTable     [4*(intRegisters+1) + 4]uintptr
	slowEntry      uintptr
	plannedEntry   uintptr
	announcedEntry uintptr
	countedEntry   uintptr
)

// fastEntry returns the quickest entry for functions of this signature and plan.
func fastEntry(s *signature, p *plan) uintptr {
	floats := len(s.args)
	for i, a := range s.args {
		if a.offset != uintptr(i)*8 || a.typ.size != 8 || a.typ.kind != kindFloat {
			floats = 0
		}
	}
	switch r := s.result; {
	case p.words >= 0:
		return entryTable[p.result*(intRegisters+1)+p.words]
	case floats < 1 || floats > 4 || s.variadic || s.errno != nil:
	case r != nil && r.typ.kind == kindFloat && r.typ.size == 8 && r.offset == uintptr(floats)*8:
		return entryTable[resultKinds*(intRegisters+1)+floats-1]
	}
	return plannedEntry
}

// A record is what an announced call hands to C.
type record struct {
	self  uintptr
	f     *function
	args  unsafe.Pointer
	stays uintptr // not 0: the arguments don't move before C returns
}

// announce calls f as cgo would. stays says that the arguments don't move meanwhile: they are
// not on the goroutine's stack, or C doesn't call Go.
//
// Neither the record nor the arguments escape. The stack can't move while the goroutine is
// in the system call that cgocall announces, but it may just before, so that C gets an
// address that is stale. C compares it with the one that the record notes of itself, and does nothing
// if they differ. Then we try again, now with a stack that is large enough.
func (f *function) announce(args unsafe.Pointer, stays bool) {
	r := record{f: f, args: args}
	if stays {
		r.stays = 1
	}
	r.call()
}

// call is small enough for the compiler to inline it.
func (r *record) call() {
	for again := int32(1); again != 0; {
		r.self = uintptr(unsafe.Pointer(r))
		again = cgocall(announcedEntry, unsafe.Pointer(r))
	}
}

// cgocall announces a system call, runs fn(arg) on the system stack and comes back. It is the
// one runtime function that Seam names: Go keeps it for packages like this one and says so
// where it is defined.
//
//go:noescape
//go:linkname cgocall runtime.cgocall
func cgocall(fn uintptr, arg unsafe.Pointer) int32

// callCounted is where call jumps for functions that are announced, when it has counted the call.
func callCounted(f *function, args unsafe.Pointer) {
	r := record{f: f, args: args}
	defer func() { f.lib.running.leave() }()
	r.call()
}

// leave ends a call that call has counted, on whatever processor it does.
func (c *processors) leave() {
	if !uncount(c) {
		c[processorsN].Add(-1)
	}
}

// uncount takes a call from those of the processor, and reports whether it could.
//
//go:noescape
func uncount(c *processors) (done bool)

// counted is for the assembly: the Go function itself, and not the compiler's wrapper.
var counted = callCounted

// callSlow is where call jumps for functions that have no quick entry at the moment.
func callSlow(f *function, args unsafe.Pointer) { f.slow(args) }

// start decides how calls are made.
func start() State {
	err := abi.Check()
	layout = err == nil
	s := State{Path: PathAssembly}
	if s.Reason = crossing.Fallback("dl", func() error { return err }, prepare); s.Reason != "" {
		s.Path = PathCgo
	}
	return s
}

// layout says that the runtime's data is where we look for it.
var layout bool

// goroutine returns a number of the calling goroutine that no other has meanwhile, or 0 if it can't be told.
func goroutine() uintptr {
	if !layout {
		return 0
	}
	return abi.G()
}

// inCallback reports whether C has called the goroutine: it is locked to its thread then.
// Where that can't be told it says yes.
func inCallback() bool { return !layout || abi.Locked() }
