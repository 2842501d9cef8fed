//go:build linux && !android && cgo && (amd64 || arm64)

package unwind

// #cgo nocallback seam_walk_copy
// #cgo noescape seam_walk_copy
// #include "unwind.h"
import "C"

import (
	"encoding/binary"
	"math"
	"runtime"
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

	room   [64 << 10]byte // C's
	copied int
	goes   [64 << 10]byte // Go's

	list    []coroutine
	servers map[uintptr]bool
}

// NewReader returns a reader. layout is where the runtime keeps what joins C with its
// callers; nil if that isn't known.
func NewReader(layout *abi.Layout) *Reader {
	return &Reader{layout: layout, ms: map[int]uintptr{}, servers: map[uintptr]bool{}}
}

// Begin opens the process's memory for some stacks, which End closes: programs close
// descriptors that they don't know.
func (r *Reader) Begin() (err error) {
	r.memory, err = syscall.Open("/proc/self/mem", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	return err
}

// End is called after Begin has succeeded.
func (r *Reader) End() { syscall.Close(r.memory) }

// stack returns the stack of a thread that waits in C, called by Go: C first, then the Go
// functions that called it, as in a profile. It returns nil for one that Go didn't call, and
// where the thread has gone on while its stack was read. announced says that the scheduler
// knows of the call.
func (r *Reader) stack(t Thread) (stack []uintptr, announced bool) {
	called := false
	ok := r.still(t, func() bool {
		const fp = 1 // not known
		pcs, end, ok := r.walk(t.PC, t.sp, fp, math.MaxInt64)
		if !ok {
			return false
		}
		var callers []uintptr
		callers, called, announced = r.callers(t, r.room[:r.copied], end, pcs[len(pcs)-1])
		stack = append(pcs, callers...)
		return called
	})
	if !ok {
		return nil, false
	}
	return stack, announced
}

// still reports what read does, and whether the thread has waited at the same place all the time.
func (r *Reader) still(t Thread, read func() bool) bool {
	before := turns(t.ID)
	if !t.unmoved() || !read() {
		return false
	}
	// One that returns and comes again to the same place has had a turn in between.
	return turns(t.ID) == before && t.unmoved()
}

func (t Thread) unmoved() bool {
	now, err := state(t.ID)
	return err == nil && now == t.text
}

// callers are the Go functions below a call. called says that there is one, announced that
// the scheduler knows of it.
func (r *Reader) callers(t Thread, stack []byte, end C.seam_regs, last uintptr) (pcs []uintptr, called, announced bool) {
	if r.layout == nil {
		return nil, inGo(uintptr(end.pc)), true
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
	at := r.goroutine(t, stack, uintptr(end.sp), words)
	if at == 0 {
		return nil, false, false
	}
	g, ok := r.readG(at)
	if !ok {
		return nil, true, true
	}
	if g.syscallSP == 0 || !inGo(g.syscallPC) { // a leaf, a welded call
		return r.unannounced(g, uintptr(end.fp)), true, false
	}
	return r.chain(g, []uintptr{g.syscallPC}, g.syscallFrame), true, true
}

// unannounced are the Go functions below a call that the scheduler doesn't know of. fp is the frame
// pointer that C has found, which it leaves as it is.
func (r *Reader) unannounced(g goroutine, fp uintptr) []uintptr {
	if !inGo(g.schedPC) || g.schedSP < g.low || g.schedSP >= g.high {
		return nil
	}
	pcs := []uintptr{g.schedPC}
	if runtime.GOARCH == "arm64" { // frames lie above the pair
		return r.chain(g, pcs, g.schedSP-8)
	}
	pc, ok := r.word(g.schedSP)
	if !ok || !inGo(pc) { // a frame that has the frame pointer alone
		return r.chain(g, pcs, g.schedSP)
	}
	return r.chain(g, append(pcs, pc), fp)
}

// chain follows frame pointers: each points at the caller's, and the return address behind it.
func (r *Reader) chain(g goroutine, pcs []uintptr, fp uintptr) []uintptr {
	low := g.low
	if g.schedSP > low && g.schedSP < g.high && g.syscallSP == 0 {
		low = g.schedSP - 8
	}
	if fp < low || fp >= g.high || fp&7 != 0 {
		return pcs
	}
	n, err := syscall.Pread(r.memory, r.goes[:min(uintptr(len(r.goes)), g.high-fp)], int64(fp))
	if err != nil {
		return pcs
	}
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
	return pcs
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
