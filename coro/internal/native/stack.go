//go:build cgo && linux && !android && (amd64 || arm64)

package native

// #cgo nocallback seam_stack_chunk
// #cgo nocallback seam_stack_commit
// #cgo nocallback seam_stack_trim
// #cgo nocallback seam_stack_touched
// #cgo nocallback seam_fault_watch
// #include "native.h"
import "C"

import (
	"syscall"
	"unsafe"
)

// ChunkBytes is the address space that one chunk of stacks takes.
const ChunkBytes = 1 << C.SEAM_CHUNK_BITS_

// Canary XOR its address is the canary of a control block.
const Canary = C.SEAM_CANARY_

// Entry is where a new coroutine begins.
var Entry = unsafe.Pointer(C.seam_coro_entry)

// Keep is what a coroutine's keep points to if there are keepers, and ErrorAt is its error_at.
var (
	Keep    = uint64(uintptr(unsafe.Pointer(C.seam_coro_move)))
	ErrorAt = uint64(C.seam_error_at())
)

// NewChunk reserves a chunk for slots of 1<<bits bytes.
func NewChunk(bits uint) (uintptr, error) {
	p, err := C.seam_stack_chunk(C.unsigned(bits))
	if p == nil {
		return 0, err
	}
	return uintptr(unsafe.Pointer(p)), nil
}

// Commit makes the last 1<<stackBits bytes of a slot a stack and returns its control block.
// If guard is set, the rest is made inaccessible by MADV_GUARD_INSTALL where that works, and
// guarded says so. Otherwise the stack takes two mappings.
func Commit(slot uintptr, bits, stackBits uint, guard bool) (co unsafe.Pointer, guarded bool, err error) {
	var want, done C.int
	if guard {
		want = 1
	}
	c, err := C.seam_stack_commit((*C.char)(*(*unsafe.Pointer)(unsafe.Pointer(&slot))), C.unsigned(bits), C.unsigned(stackBits), want, &done)
	if c == nil {
		return nil, false, err
	}
	return unsafe.Pointer(c), done != 0, nil
}

// Guards says when to make guards by MADV_GUARD_INSTALL. Tests change it.
var Guards = GuardsForMany

const (
	GuardsForMany = iota // when there are many stacks
	GuardsAlways
	GuardsNever // as on kernels before 6.13
)

// Trim gives the memory of a free stack back to the kernel.
func Trim(co unsafe.Pointer) { C.seam_stack_trim((*C.seam_coro)(co)) }

// Touched returns how many bytes of the stack have ever been used, in whole pages.
func Touched(co unsafe.Pointer) int { return int(C.seam_stack_touched((*C.seam_coro)(co))) }

// GuardsWork says whether MADV_GUARD_INSTALL works. It is known once one was wanted.
func GuardsWork() bool { return C.seam_stack_guards_work() != 0 }

// A Runtime says how to find the goroutine of a thread.
type Runtime struct {
	ThisG                                                            uintptr // function that returns the thread's g
	GID, MProcID                                                     uintptr
	GM, MG0, MCurg, GStackLo, GStackHi, GSchedSP, GSchedPC, InC, Arg uintptr
}

// Tell tells profiles of the entry into C between low and high: inC is what the goroutine's
// saved context says while C runs. It is called once, before any coroutine is resumed.
func Tell(inC, low, high uintptr, frame bool) {
	to := &C.seamcoro_standins_v1[0]
	to.low, to.high = C.uintptr_t(low), C.uintptr_t(high)
	if frame {
		to.frame = 1
	}
	to.pc = C.uintptr_t(inC)
}

// Watch makes signals that end the program in a coroutine end it with a message about it.
func Watch(r Runtime) error {
	rt := C.seam_runtime{
		g_id: C.uintptr_t(r.GID), m_procid: C.uintptr_t(r.MProcID),
		g_m: C.uintptr_t(r.GM), m_g0: C.uintptr_t(r.MG0), m_curg: C.uintptr_t(r.MCurg), g_stack_lo: C.uintptr_t(r.GStackLo), g_stack_hi: C.uintptr_t(r.GStackHi),
		g_sched_sp: C.uintptr_t(r.GSchedSP), g_sched_pc: C.uintptr_t(r.GSchedPC),
		in_c: C.uintptr_t(r.InC), resume_arg: C.uintptr_t(r.Arg),
	}
	*(*uintptr)(unsafe.Pointer(&rt.this_g)) = r.ThisG
	if errno := C.seam_fault_watch(&rt); errno != 0 {
		return syscall.Errno(errno)
	}
	return nil
}
