//go:build linux && !android && cgo && (amd64 || arm64)

package unwind

// #cgo nocallback seam_walk_copy
// #cgo noescape seam_walk_copy
// #include "unwind.h"
import "C"

import (
	"encoding/binary"
	"syscall"
	"unsafe"

	"github.com/seamgo/seam/internal/abi"
)

// InGo says whether the thread waits in code of Go's.
func (t Thread) InGo() bool {
	return inGo(t.PC)
}

// A Reader reads stacks of other threads. All that it reads is copied by the kernel, so
// nothing faults, whatever they do meanwhile.
type Reader struct {
	layout *abi.Layout // nil: not known
	ms     map[int]uintptr
	memory int

	stack [64 << 10]byte
	goes  [32 << 10]byte
}

// NewReader returns a reader. layout is where the runtime keeps what joins C with its
// callers; nil if that isn't known.
func NewReader(layout *abi.Layout) *Reader { return &Reader{layout: layout, ms: map[int]uintptr{}} }

// Begin opens the process's memory for some stacks, which End closes: programs close
// descriptors that they don't know.
func (r *Reader) Begin() (err error) {
	r.memory, err = syscall.Open("/proc/self/mem", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	return err
}

// End is called after Begin has succeeded.
func (r *Reader) End() { syscall.Close(r.memory) }

// Stack returns the stack of a thread that waits in C, called by Go: C first, then the Go
// functions that called it, as in a profile. It returns nil for one that Go didn't call, and
// where the thread has gone on while its stack was read.
func (r *Reader) Stack(t Thread) []uintptr {
	before := turns(t.ID)
	if !t.unmoved() {
		return nil
	}
	n, err := syscall.Pread(r.memory, r.stack[:], int64(t.sp))
	if err != nil || n < 8 {
		return nil
	}
	n &^= 7
	const most = 64
	var pcs [most]C.uintptr_t
	var end C.seam_regs
	regs := C.seam_regs{pc: C.uintptr_t(t.PC), sp: C.uintptr_t(t.sp), fp: 1} // 1: not known
	count := int(C.seam_walk_copy(regs, (*C.char)(unsafe.Pointer(&r.stack)), C.size_t(n), &pcs[0], most, &end))
	stack := make([]uintptr, 0, 2*count)
	for _, pc := range pcs[:count] {
		stack = append(stack, uintptr(pc))
	}
	if count == 0 {
		return nil
	}
	callers, called := r.callers(t, r.stack[:n], end, stack[count-1])
	if !called {
		return nil
	}
	// One that returns and comes again to the same place has had a turn in between.
	if turns(t.ID) != before || !t.unmoved() {
		return nil
	}
	return append(stack, callers...)
}

func (t Thread) unmoved() bool {
	now, err := state(t.ID)
	return err == nil && now == t.text
}

// callers are the Go functions below an announced call. called says that there is one.
func (r *Reader) callers(t Thread, stack []byte, end C.seam_regs, last uintptr) (pcs []uintptr, called bool) {
	if r.layout == nil {
		return nil, inGo(uintptr(end.pc))
	}
	// Where the walk has come to Go code, the goroutine is next to it. A thread that C made
	// ends otherwise, and need not be searched.
	words := uintptr(0)
	switch {
	case inGo(uintptr(end.pc)):
		words = 64
	case last == uintptr(unsafe.Pointer(C.seam_truncated)):
		words = 2048
	}
	l := r.layout
	g := r.goroutine(t, stack, uintptr(end.sp), words)
	if g == 0 {
		return nil, false
	}
	var low, high, sp, pc, fp uintptr
	for at, v := range map[uintptr]*uintptr{l.GStackLo: &low, l.GStackHi: &high, l.GSyscallSP: &sp, l.GSyscallPC: &pc, l.GSyscallBP: &fp} {
		var ok bool
		if *v, ok = r.word(g + at); !ok {
			return nil, true
		}
	}
	if sp == 0 || !inGo(pc) { // a leaf, a welded call, a coroutine
		return nil, true
	}
	pcs = append(pcs, pc)
	if fp < low || fp >= high || fp&7 != 0 {
		return pcs, true
	}
	n, err := syscall.Pread(r.memory, r.goes[:min(uintptr(len(r.goes)), high-fp)], int64(fp))
	if err != nil {
		return pcs, true
	}
	// A frame pointer points at the caller's, and the return address behind it.
	for at := fp; at >= fp && at-fp+16 <= uintptr(n) && len(pcs) < 128; {
		next := binary.LittleEndian.Uint64(r.goes[at-fp:])
		pc := uintptr(binary.LittleEndian.Uint64(r.goes[at-fp+8:]))
		if !inGo(pc) {
			break
		}
		pcs = append(pcs, pc)
		if uintptr(next) <= at || next&7 != 0 {
			break
		}
		at = uintptr(next)
	}
	return pcs, true
}

// goroutine finds the one for which a thread runs C: 0 if there is none. Each thread's m stays
// where it is as long as the thread lives, and is found once: asmcgocall keeps the goroutine's
// g on the stack that C runs on, and of all words there only that leads to an m with this
// thread's number.
func (r *Reader) goroutine(t Thread, stack []byte, end, words uintptr) uintptr {
	if m := r.ms[t.ID]; m != 0 {
		if g, ok := r.curg(t.ID, m); ok {
			return g
		}
		delete(r.ms, t.ID)
	}
	from := min(end-t.sp, uintptr(len(stack))) &^ 7
	for i := from; i+8 <= uintptr(len(stack)) && i < from+words*8; i += 8 {
		g := uintptr(binary.LittleEndian.Uint64(stack[i:]))
		if g < 1<<16 || g&7 != 0 || g>>48 != 0 {
			continue
		}
		m, ok := r.word(g + r.layout.GM)
		if !ok {
			continue
		}
		if found, ok := r.curg(t.ID, m); ok && found == g {
			r.ms[t.ID] = m
			return g
		}
	}
	return 0
}

// curg is the goroutine of a thread's m; ok says that it is this thread's.
func (r *Reader) curg(id int, m uintptr) (g uintptr, ok bool) {
	l := r.layout
	if m < 1<<16 || m&7 != 0 || m>>48 != 0 {
		return 0, false
	}
	number, ok := r.word(m + l.MProcID)
	if !ok || number != uintptr(id) {
		return 0, false
	}
	if g, ok = r.word(m + l.MCurg); !ok || g == 0 {
		return 0, false
	}
	back, ok := r.word(g + l.GM)
	return g, ok && back == m
}

func (r *Reader) word(at uintptr) (uintptr, bool) {
	var b [8]byte
	n, err := syscall.Pread(r.memory, b[:], int64(at))
	return uintptr(binary.LittleEndian.Uint64(b[:])), err == nil && n == len(b)
}

func inGo(pc uintptr) bool { return pc >= uintptr(C.seam_go_low) && pc < uintptr(C.seam_go_high) }
