//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package coro

//lint:file-ignore U1000 the assembly uses what seems unused

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
	"github.com/seamgo/seam/internal/abi"
)

// The assembly reads these as const_gM and so on.
const (
	gM       = abi.GM
	mG0      = abi.MG0
	gSchedSP = abi.GSchedSP
	gSchedPC = abi.GSchedPC

	belowThread     = int(unsafe.Offsetof(below{}.thread)) - int(unsafe.Sizeof(below{})) // from the control block
	sharesThreadBit = 0
)

// hot is what the assembly reads on every switch. It is written once, at start.
var hot hotState

type hotState struct {
	_     [128]byte
	gSlot uintptr // arm64: where a thread keeps g, relative to the thread pointer
	inC   uintptr // the address that stands for C in tracebacks
	entry uintptr // C's function in which coroutines begin
	begin uintptr // where they begin
	_     [128]byte
}

// resume continues a coroutine until it switches out.
//
//go:noescape
func resume(c *control)

// mustNotCallGo is what tracebacks show in place of the coroutine.
//
//go:noescape
func mustNotCallGo(c *control) uintptr

// fpControl returns the thread's floating-point settings and, on amd64, the flags of mxcsr.
func fpControl() uint32

// backPC returns where C jumps to when it switches out.
func backPC() uintptr

// beginPC returns where a coroutine begins.
func beginPC() uintptr

// resumePC returns where resume begins.
func resumePC() uintptr

// argumentAt returns where resume's argument is from the stack pointer that resume saves.
func argumentAt() uintptr

// leftThread is where resume ends if C must stay on its thread and the goroutine is on another one.
func leftThread(c *control) {
	c.check() // or C has written here
	native.Die("seam: coro: C function " + native.Name(unsafe.Pointer(c)) + " began on a thread that its goroutine has left: a Go function that it called has called" +
		" runtime.UnlockOSThread without LockOSThread before. What it has there is not on this thread: leave the thread locked, or run it by Floating\n")
}

// prepare finds what the assembly and the fault handler need in addition to the layout.
func prepare() error {
	hot.inC = mustNotCallGo(nil)
	hot.entry = uintptr(native.Entry)
	hot.begin = beginPC()
	if runtime.GOARCH == "arm64" {
		slot, err := gSlot()
		if err != nil {
			return err
		}
		hot.gSlot = slot
	}
	thisG, err := abi.ThisG()
	if err != nil {
		return err
	}
	native.Tell(hot.inC, resumePC(), abi.End(resumePC()), runtime.GOARCH == "arm64") // where resume has a frame
	return native.Watch(native.Runtime{
		ThisG: thisG, GID: abi.GID, MProcID: abi.MProcID, GM: gM, MG0: mG0, MCurg: abi.MCurg, GStackLo: abi.GStackLo, GStackHi: abi.GStackHi,
		GSchedSP: gSchedSP, GSchedPC: gSchedPC, InC: hot.inC, Arg: argumentAt(),
	})
}

// overwritten ends the program because the control block of a coroutine has been changed by
// others.
func overwritten(c *control) {
	native.Die(fmt.Sprintf("seam: coro: a coroutine's control block, at %p, was overwritten: by C that writes out of bounds, or whose frames "+
		"are larger than its stack and that was compiled without -fstack-clash-protection\n", c))
}

const canary = native.Canary

// enter makes a coroutine whose first resume calls its function.
func (c *control) enter() {
	c.goFPControl = fpControl()
	c.fpControl = c.goFPControl
	c.goPC = backPC()
	c.fakeStack = 0 // that of the stack's last coroutine is gone
	c.pc, c.fp = hot.begin, 0
	c.sp = c.stackHigh - unsafe.Sizeof(below{})
	*c.below() = below{mailbox: uint64(uintptr(unsafe.Pointer(sharedMailbox)))}
	if runtime.GOARCH == "amd64" {
		// As if called: a return address, to which nothing returns.
		c.sp -= 8
		*(*uintptr)(unsafe.Add(unsafe.Pointer(c.below()), -8)) = 0
	}
}

// owned says that the goroutine waits for C, and that another one resumes it.
func (c *control) owned() { c.below().owner = uint64(abi.G()) }

func ownG() uintptr { return abi.G() }

// hasThread says that nothing else runs on the coroutine's thread until it ends.
func (c *control) hasThread() { c.flags, c.keep = 0, 0 }

// sharesThread says that others may.
func (c *control) sharesThread() {
	c.flags, c.errorAt = sharesThread, native.ErrorAt
	if native.Keeps() {
		c.keep = native.Keep
	}
}
