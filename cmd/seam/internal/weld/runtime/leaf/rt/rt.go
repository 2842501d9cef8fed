//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

// Package rt is the Go side of a welded program. The build of a welded program
// compiles these files as a part of package runtime/cgo, which every package
// that calls C imports and no go.mod mentions; so they import nothing that
// runtime/cgo does not, and all names begin with Seam or seam.
//
// The way into C is that of github.com/seamgo/seam/leaf, whose documentation
// has the reasons, and the facts about the runtime are those of its
// internal/abi; TestSameAsLeaf holds them together.
package rt

//lint:file-ignore U1000 the assembly uses what seems unused

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// Where the runtime keeps what is needed, in Go 1.25 to 1.27: see internal/abi.
// The assembly reads them as const_seamGM and so on.
const (
	seamGStackLo = 0
	seamGStackHi = 8
	seamGM       = 48
	seamGSchedSP = 56
	seamGSchedPC = 64
	seamGSchedG  = 72
	seamGLockedM = 208
	seamMG0      = 0
	seamMCurg    = 184
)

// SeamSlot is a welded C function: the first part of struct _seam_slot in
// seam_weld.h. It lies in C's memory.
type SeamSlot struct {
	Entry   unsafe.Pointer // what SeamCall runs; nil: SeamPrepare, or cgo
	leaf    unsafe.Pointer
	probe   unsafe.Pointer
	Call    unsafe.Pointer // the function for cgo
	prepare unsafe.Pointer
	nothing unsafe.Pointer
	name    *byte
	usable  uint32
	state   uint32
	_       [104]byte // the guard's
	pause   unsafe.Pointer
	_       [4]byte         // the plan's word
	goMinor uint32          // for the watch
	_       [8]byte         // the guard's
	standIn *[5]seamStandIn // nil: nobody asks
	gate    *seamGate       // nil: the package has no coro function
}

// A seamStandIn tells profiles of an entry into C, see internal/unwind/announce.c.
type seamStandIn struct {
	pc        uintptr // what the goroutine's saved context says meanwhile; it is written last
	low, high uintptr // the entry
	frame     uintptr // where the stand-in's is: seamFrameAtSP…
}

const (
	seamFrameAtSP   = iota // where the stack pointer is
	seamFrameOwn           // arm64: the same, but not at its first instruction and its returns
	seamFrameSaved         // where the saved context says
	seamFramePushed        // amd64: at the stack pointer or a word below, which the words there tell
)

const (
	seamNew = iota
	seamLeaf
	seamDemoted // it ran too long
	seamCgo
	seamCalled // it called Go
)

// seamTold is the value of SeamSlot.usable once the line about the demotion has
// been written.
const seamTold = 3

// SeamCall runs fn(arg) on the system stack and returns what it returns, if
// anything. fn must not block, run long or call Go.
//
//go:noescape
func SeamCall(fn, arg unsafe.Pointer) int32

// seamWeldedFunctionCalledGo is what tracebacks show in place of the C function.
//
//go:noescape
func seamWeldedFunctionCalledGo(fn, arg unsafe.Pointer) uintptr

// SeamCgocall is the runtime's cgocall, which cgo gives to every package that
// calls C, but to this one only if it does.
type SeamCgocall = func(fn unsafe.Pointer, arg uintptr) int32

// SeamPrepare is called when a slot has no entry: before the function's first
// call, and after it was demoted. It returns the entry that the slot has now,
// nil if the function must be called through cgo.
func SeamPrepare(s *SeamSlot, cgocall SeamCgocall) unsafe.Pointer {
	switch atomic.LoadUint32(&s.state) {
	case seamNew:
		seamRemember(s, cgocall)
		atomic.StorePointer(&seamPause, s.pause)
		// Goroutines that come here at once write the same: C may read what
		// another has written.
		usable := uint32(1)
		switch {
		case seamCheck() != "":
			usable = 2
		case seamProcs != nil && seamProcs(0) == 1:
			usable = 4
		}
		if seamGoVersion != nil {
			atomic.StoreUint32(&s.goMinor, seamMinor(seamGoVersion()))
		}
		atomic.StoreUint32(&s.usable, usable)
		if s.standIn != nil && usable != 2 {
			seamTell(s.standIn)
		}
		if s.gate != nil && usable != 2 && seamLock != nil {
			seamOpen(s.gate, cgocall)
		}
		cgocall(s.prepare, uintptr(unsafe.Pointer(s)))
	case seamDemoted, seamCalled:
		if atomic.LoadUint32(&s.usable) != seamTold {
			cgocall(s.prepare, uintptr(unsafe.Pointer(s)))
		}
	}
	return atomic.LoadPointer(&s.Entry)
}

// seamMinor is 26 of go1.26.8.
func seamMinor(version string) (minor uint32) {
	for _, c := range []byte(version[min(len("go1."), len(version)):]) {
		if c < '0' || c > '9' {
			break
		}
		minor = minor*10 + uint32(c-'0')
	}
	return minor
}

// seamTell writes the entries where profiles look for them. Goroutines that do so at once
// write the same.
func seamTell(to *[5]seamStandIn) {
	var standIns [3]uintptr
	var entries [5]uintptr
	seamStandIns(&standIns)
	seamEntries(&entries)
	// seamAnnounce is still on C's stack, and seamResume on the goroutine's as SeamCallOpen has left
	// it.
	frames := [5]uintptr{seamCallFrame, seamOpenFrame, seamOpenFrame, seamFrameSaved, seamFrameAtSP}
	for i, entry := range entries {
		atomic.StoreUintptr(&to[i].low, entry)
		atomic.StoreUintptr(&to[i].high, seamEnd(entry))
		atomic.StoreUintptr(&to[i].frame, frames[i])
		atomic.StoreUintptr(&to[i].pc, standIns[min(i, 2)])
	}
}

// seamEntries are SeamCall, SeamCallOpen and SeamCallCoro, and the ways from C to Go and back.
//
//go:noescape
func seamEntries(into *[5]uintptr)

// seamEnd is End of internal/abi.
func seamEnd(entry uintptr) uintptr {
	at := entry
	for seamFuncForPC != nil && seamFuncForPC(at) == entry {
		at += 16
	}
	return at
}

// SeamRace tells the race detector what every cgo call tells it: that what
// happened before the call is seen by callbacks.
func SeamRace(s *SeamSlot, cgocall SeamCgocall) { cgocall(s.nothing, 0) }

// SeamCalledBack ends the program: a function whose arguments don't escape
// called Go, where the goroutine's stack may move. A panic in a goroutine of
// its own can't be recovered by the program.
func SeamCalledBack(s *SeamSlot) {
	name := seamString(s.name)
	message := "seam: the C function " + name + " is welded and called back into Go; mark it cgo in seam.plan: cgo " + name
	go panic(message)
	select {}
}

func seamString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// SeamWrong says why no leaf can be run; "" if they can.
func SeamWrong() string { return seamCheck() }

var seamChecked struct {
	once  sync.Once
	wrong string
}

// seamCheck compares the layout with the running program, once; it returns what
// does not fit.
func seamCheck() string {
	seamChecked.once.Do(func() {
		seamChecked.wrong = seamCheckLayout()
		if seamChecked.wrong == "" {
			seamChecked.wrong = seamFindSlot()
		}
		if seamChecked.wrong == "" {
			seamLayoutFits = 1
		}
	})
	return seamChecked.wrong
}

// seamCheckLayout follows g, its thread and the thread's system goroutine. There
// is no holding on to the thread here (that takes package runtime), so a look
// during which the goroutine changed threads is repeated, and so is one during
// which its stack grew.
func seamCheckLayout() string {
	wrong := ""
	for range 100 {
		var moved bool
		if wrong, moved = seamLook(); wrong == "" || !moved {
			break
		}
	}
	return wrong
}

func seamLook() (wrong string, moved bool) {
	r := seamReader{ok: true}
	g, sp := seamG(), seamSP()
	m := r.word(g + seamGM)
	lo, hi := r.word(g+seamGStackLo), r.word(g+seamGStackHi)
	g0 := r.word(m + seamMG0)
	g0lo, g0hi := r.word(g0+seamGStackLo), r.word(g0+seamGStackHi)
	g0m := r.word(g0 + seamGM)
	g0sp := r.word(g0 + seamGSchedSP)
	g0g := r.word(g0 + seamGSchedG)
	curg := r.word(m + seamMCurg)
	switch {
	case !r.ok:
		return "the runtime's data can't be read where it should be", false
	case sp <= lo || sp >= hi:
		wrong = "the goroutine's stack bounds do not contain its stack pointer"
	case g0 == g:
		wrong = "the system goroutine is the current goroutine"
	case g0m != m:
		wrong = "the system goroutine belongs to another thread"
	case g0g != g0:
		wrong = "the system goroutine's saved context belongs to another goroutine"
	case curg != g:
		wrong = "the thread runs another goroutine"
	case g0sp <= g0lo || g0sp > g0hi:
		wrong = "the system stack's bounds do not contain its saved stack pointer"
	case g0sp >= lo && g0sp < hi:
		wrong = "the system stack lies inside the goroutine's"
	}
	return wrong, r.word(g+seamGM) != m || seamSP() != sp
}

// A seamReader reads words at addresses that may be wrong: the kernel looks
// first, and after the first failure every word is 0.
type seamReader struct{ ok bool }

func (r *seamReader) word(addr uintptr) uintptr {
	if !r.ok || addr%8 != 0 || !seamReadable(addr) {
		r.ok = false
		return 0
	}
	return seamLoad(addr)
}

// seamReadable asks the kernel by rt_sigprocmask with an operation that does
// not exist: it copies the new mask from addr and then fails, with EFAULT where
// it could not be read and EINVAL where it could.
func seamReadable(addr uintptr) bool {
	const minusEINVAL = -22
	return seamProbe(addr) == minusEINVAL
}

// seamProbe makes that system call and returns the kernel's answer.
//
//go:noescape
func seamProbe(addr uintptr) int

// seamLoad reads a word; seamG and seamSP return the current g's address and
// the caller's stack pointer.
//
//go:noescape
func seamLoad(addr uintptr) uintptr

//go:noescape
func seamG() uintptr

//go:noescape
func seamSP() uintptr
