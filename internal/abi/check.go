//go:build linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28

package abi

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

// Check compares the layout with the running program. Call it from ordinary Go code. It
// takes some microseconds.
func Check() error { return Current.check() }

func (l Layout) check() error {
	// The goroutine must not change threads between the reads.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	var r reader
	g, sp := currentG(), stackPointer()
	lo, hi := r.word("g.stack.lo", g+l.GStackLo), r.word("g.stack.hi", g+l.GStackHi)
	if now := stackPointer(); now != sp { // the stack has grown, and won't again
		sp = now
		lo, hi = r.word("g.stack.lo", g+l.GStackLo), r.word("g.stack.hi", g+l.GStackHi)
	}
	m := r.word("g.m", g+l.GM)
	locked, entry := r.word("g.lockedm", g+l.GLockedM), r.word("g.startpc", g+l.GStartPC)
	g0, curg := r.word("m.g0", m+l.MG0), r.word("m.curg", m+l.MCurg)
	g0lo, g0hi := r.word("g0.stack.lo", g0+l.GStackLo), r.word("g0.stack.hi", g0+l.GStackHi)
	g0m := r.word("g0.m", g0+l.GM)
	g0sp := r.word("g0.sched.sp", g0+l.GSchedSP)
	g0g := r.word("g0.sched.g", g0+l.GSchedG)
	p := r.word("m.p", m+l.MP)
	id := int32(r.word("p.id", p+l.PID))
	if r.err != nil {
		return r.err
	}
	for _, fact := range []struct {
		holds bool
		what  string
	}{
		{lo < sp && sp < hi, "the goroutine's stack bounds do not contain its stack pointer"},
		{g0 != g, "the system goroutine is the current goroutine"},
		{curg == g, "the thread runs another goroutine"},
		{g0m == m, "the system goroutine belongs to another thread"},
		{g0g == g0, "the system goroutine's saved context belongs to another goroutine"},
		{g0lo < g0sp && g0sp <= g0hi, "the system stack's bounds do not contain its saved stack pointer"},
		{locked == m, "the goroutine is locked to its thread and its data names another"},
		{isFunc(entry), "the goroutine did not start with a function"},
		{p != m && 0 <= id && id < maxProcessors, "the processor's number is none"},
		{g0sp < lo || g0sp >= hi, "the system stack lies inside the goroutine's"},
	} {
		if !fact.holds {
			return fmt.Errorf("the runtime's data in %s is not laid out as expected: %s", runtime.Version(), fact.what)
		}
	}
	return nil
}

// maxProcessors is more than GOMAXPROCS can be.
const maxProcessors = 1 << 20

func isFunc(pc uintptr) bool {
	f := runtime.FuncForPC(pc)
	return f != nil && f.Entry() == pc
}

// A reader reads words at addresses that may be wrong. After the first error every read
// returns 0.
type reader struct{ err error }

// word returns the word at addr. The kernel accesses it first: asked to change the signal
// mask in a way that does not exist, rt_sigprocmask copies the new mask from addr and then
// fails, with EFAULT if addr could not be read and EINVAL if it could.
func (r *reader) word(name string, addr uintptr) uintptr {
	const noSuchHow = ^uintptr(0)
	if r.err != nil {
		return 0
	}
	if addr%8 != 0 {
		r.err = fmt.Errorf("the runtime's data in %s is not laid out as expected: %s is not aligned", runtime.Version(), name)
		return 0
	}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, noSuchHow, addr, 0, 8, 0, 0)
	if errno != syscall.EINVAL {
		r.err = fmt.Errorf("the runtime's data in %s is not laid out as expected: %s can't be read (%v)", runtime.Version(), name, errno)
		return 0
	}
	// Go's checkptr (on under -race) does not know such a pointer, so the bytes are copied
	// by load.
	return uintptr(binary.NativeEndian.Uint64(load(addr)))
}

// Entry returns where the function is with which the goroutine started. Call it only where
// [Check] has passed.
func Entry() uintptr { return field(GStartPC) }

// Locked reports whether the goroutine is locked to its thread, by runtime.LockOSThread or
// as a cgo callback is. Call it only where [Check] has passed.
func Locked() bool { return field(GLockedM) != 0 }

// G returns the address of the goroutine's own g, which stays where it is, and whose memory
// the runtime never gives back. Call it only where [Check] has passed.
func G() uintptr { return currentG() }

// field returns a word of the goroutine's own g, which only the goroutine changes and which
// stays where it is.
func field(offset uintptr) uintptr {
	return uintptr(binary.NativeEndian.Uint64(load(currentG() + offset)))
}

// load views the eight bytes at addr, which the caller knows to be readable.
//
//go:nocheckptr
func load(addr uintptr) []byte {
	p := *(*unsafe.Pointer)(unsafe.Pointer(&addr))
	return unsafe.Slice((*byte)(p), 8)
}

// currentG returns the address of the current goroutine's g.
//
//go:noescape
func currentG() uintptr

// stackPointer returns the caller's stack pointer.
//
//go:noescape
func stackPointer() uintptr
