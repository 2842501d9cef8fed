//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package rt

//lint:file-ignore U1000 the assembly uses what seems unused

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// A leaf that calls Go
//
// C comes to Go through runtime/cgo's crosscall2, which expects that the goroutine
// has announced a system call. A leaf has not. So the build of a welded program puts
// a crosscall2 of its own in front (asm_GOARCH.s), which knows a leaf by the
// goroutine's saved pc, and announces late: it switches to the goroutine's stack,
// below the frame of SeamCallOpen, and runs seamLate there. That one locks the
// thread and makes a real cgo call, whose C side is the old crosscall2; then it goes
// back to the leaf. Why that is right:
//
// The goroutine is running all the time, on its own thread with its own P, so Go
// code may run on its stack. What lies there is a frame of
// seamWeldedFunctionCallsGo called by the caller of SeamCallOpen, which is how the
// runtime reads it.
//
// C's frames of the leaf stay on the system stack. While the saved stack pointer of
// g0 lies below them, whatever the runtime does on that stack, it does below them;
// cgocallback does the same with its own frame. In nested calls each frame
// remembers the stack pointer that was there before.
//
// The goroutine must not change threads before it is back in C, since the leaf's
// frames are on this one. So the assembly itself calls runtime.LockOSThread, before
// seamLate, and UnlockOSThread after it. Assembly can't be preempted, and neither can
// those two, which are nosplit and of package runtime. (LockOSThread calls more only to
// start the template thread, which programs with cgo have before the first init.)
// seamLate can: even in a nosplit function the compiler's wrapper for calls from assembly has
// places where a signal may stop it.
//
// The stack may move while Go runs. What C has of it is the address of the
// arguments, which cgo's own wrappers ask for again after the call
// (_cgo_topofstack; only they are welded so), and SeamCallOpen's stack pointer,
// which is taken from the goroutine's saved context, renewed by seamResume.
// Go values that C has addresses of are on the heap and alive, since stubs of these functions
// keep what makes cgo's arguments escape.
//
// A panic that leaves the callback abandons C's frames, as with cgo. The deferred
// function of seamCallback then puts g0's saved stack pointer back.

// seamLateCall is the frame of seamAnnounce on C's stack. Assembly knows it.
type seamLateCall struct {
	run    unsafe.Pointer // seamContinue
	fn     uintptr        // crosscall2's arguments
	a      unsafe.Pointer
	ctxt   uintptr
	g0sp   uintptr // g0's saved stack pointer before
	pc     uintptr // the goroutine's saved pc before
	entry  unsafe.Pointer
	by     uintptr        // by which entry C was called
	paused unsafe.Pointer // what seamPause returned
}

// The entries.
const (
	seamByCall = iota // SeamCall
	seamByOpen        // SeamCallOpen
	seamByCoro        // SeamCallCoro
)

// seamWelded is what callbacks look up.
var seamWelded struct {
	mu      sync.Mutex
	slots   []*SeamSlot
	cgocall SeamCgocall
}

// seamLayoutFits is set once leaves may run: only then crosscall2 looks at the
// runtime's data.
var seamLayoutFits uint8

func seamRemember(s *SeamSlot, cgocall SeamCgocall) {
	seamWelded.mu.Lock()
	defer seamWelded.mu.Unlock()
	seamWelded.cgocall = cgocall
	for _, known := range seamWelded.slots {
		if known == s {
			return
		}
	}
	seamWelded.slots = append(seamWelded.slots, s)
}

// seamSlotOf finds the function whose entry runs.
func seamSlotOf(entry unsafe.Pointer) (*SeamSlot, SeamCgocall) {
	seamWelded.mu.Lock()
	defer seamWelded.mu.Unlock()
	for _, s := range seamWelded.slots {
		if s.leaf == entry || s.probe == entry {
			return s, seamWelded.cgocall
		}
	}
	panic("seam: a C function that is not welded runs as a leaf") // a bug of ours
}

// seamLate is where a callback comes to Go. The thread is locked, unless seamLock is nil
// or C was called by SeamCall.
func seamLate() {
	c := seamLateFrame()
	if seamLock == nil || c.by == seamByCall {
		seamRefuse(c)
	}
	seamCallback(c)
	if seamLateFrame() != c {
		seamRefuse(c) // on another thread: who has unlocked it?
	}
}

// seamRefuse ends the program.
//
//go:noinline
func seamRefuse(c *seamLateCall) {
	s, _ := seamSlotOf(c.entry)
	SeamCalledBack(s)
}

// seamCallback demotes the function, which writes one line, and continues the
// callback.
//
//go:noinline
func seamCallback(c *seamLateCall) {
	s, cgocall := seamSlotOf(c.entry)
	atomic.StoreUint32(&s.state, seamCalled)
	atomic.StorePointer(&s.Entry, nil)
	cgocall(s.prepare, uintptr(unsafe.Pointer(s)))
	returned := false
	defer func() {
		if !returned {
			seamLeave(c)
		}
	}()
	cgocall(c.run, uintptr(unsafe.Pointer(c)))
	returned = true
}

// seamLeave is for callbacks that panic or end their goroutine: it drops C's frames.
func seamLeave(c *seamLateCall) {
	if seamLateFrame() == c { // else somebody has unlocked the thread: C's frames are on another one
		seamAbandon(c.g0sp)
	}
	seamUnlock()
}

// seamLateFrame is the innermost seamLateCall of this thread: g0's saved stack
// pointer.
//
//go:noescape
func seamLateFrame() *seamLateCall

// seamAbandon gives g0 the saved stack pointer that it had before the leaf.
//
//go:noescape
func seamAbandon(sp uintptr)

// SeamCallOpen is SeamCall for a function that may call Go: the stack may have moved
// when it returns.
//
//go:noescape
func SeamCallOpen(fn, arg unsafe.Pointer) int32

// seamWeldedFunctionCallsGo is what tracebacks show in place of the C function.
//
//go:noescape
func seamWeldedFunctionCallsGo(fn, arg unsafe.Pointer) uintptr
