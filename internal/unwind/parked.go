//go:build linux && !android && cgo && (amd64 || arm64)

package unwind

// #cgo nocallback seam_coroutines
// #cgo noescape seam_coroutines
// #include "unwind.h"
import "C"

import (
	"encoding/binary"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unsafe"
)

// Coroutines are C that runs on a stack of its own, see packages coro and weld. Where one
// doesn't run, its goroutine waits in Go, in a function that serves it, and C's stack is
// where it was left. Or another goroutine or thread has it, whose stack says nothing of who
// waits.
//
// Everything is read while it may go on. So a coroutine counts only if neither it nor its
// goroutines have changed in between, and the words that lead from one to the other are
// there: the function that serves it has the coroutine's address in its frame.

// A Parked is a goroutine that waits in Go for C on a coroutine.
type Parked struct {
	C []uintptr // where C is; nil: on a processor

	// Go are the return addresses of the goroutine's physical frames, as a profile of
	// goroutines has them, among those of what is inlined. The one at Serves is in the
	// function that serves the coroutine: C has called what comes before it, if Calls, and
	// otherwise it is how the wait is done.
	Go     []uintptr
	Serves int
	Calls  bool
}

// A Look is what there is to see at one time.
type Look struct {
	Stacks [][]uintptr // of threads that wait in C which Go has called
	Parked []Parked

	// Unannounced says that one of the threads waits in C that the scheduler knows nothing of,
	// as in a leaf: what stops the world would have to wait until it returns.
	Unannounced bool
}

// Look looks at threads that wait and at coroutines. It is called between Begin and End.
func (r *Reader) Look(threads []Thread) (l Look) {
	list := r.coroutines()
	taken := map[uintptr]bool{} // coroutines on whose stacks threads are
	for _, t := range threads {
		if t.InGo() {
			continue
		}
		if at, ok := slices.BinarySearchFunc(list, t.sp, func(c coroutine, sp uintptr) int {
			switch {
			case uintptr(c.high) <= sp:
				return -1
			case uintptr(c.low) > sp:
				return 1
			}
			return 0
		}); ok {
			r.onCoroutine(t, list[at], &l)
			taken[uintptr(list[at].block)] = true
			continue
		}
		if stack, announced := r.stack(t); stack != nil {
			l.Stacks = append(l.Stacks, stack)
			l.Unannounced = l.Unannounced || !announced
		}
	}
	for _, c := range list {
		if taken[uintptr(c.block)] {
			continue
		}
		if p, ok := r.parked(c); ok {
			l.Parked = append(l.Parked, p)
		}
	}
	return l
}

type coroutine = C.seam_coroutine

// coroutines are in the order of their stacks.
func (r *Reader) coroutines() []coroutine {
	if r.layout == nil {
		return nil
	}
	for {
		var first *coroutine
		if len(r.list) > 0 {
			first = &r.list[0]
		}
		n := int(C.seam_coroutines(first, C.int(len(r.list))))
		if n <= len(r.list) {
			list := r.list[:n]
			slices.SortFunc(list, func(a, b coroutine) int {
				if a.low < b.low {
					return -1
				}
				return 1
			})
			return list
		}
		r.list = make([]coroutine, n+n/4+8)
	}
}

// onCoroutine adds a coroutine whose C has called the kernel itself, and waits there.
func (r *Reader) onCoroutine(t Thread, c coroutine, l *Look) {
	var pcs []uintptr
	stack := r.still(t, func() (ok bool) {
		pcs, _, ok = r.walk(t.PC, t.sp, 1, uintptr(c.high))
		return ok
	})
	if !stack {
		return
	}
	l.Unannounced = l.Unannounced || c.resumer != 0
	if c.owner != 0 {
		if p, ok := r.serving(c, uintptr(c.owner)); ok {
			p.C = pcs
			l.Parked = append(l.Parked, p)
		}
		return
	}
	g, ok := r.readG(uintptr(c.resumer))
	if !ok {
		return
	}
	if number, ok := r.word(g.m + r.layout.MProcID); !ok || number != uintptr(t.ID) {
		return
	}
	callers := r.unannounced(g, uintptr(c.go_fp))
	if r.unchanged(g) {
		l.Stacks = append(l.Stacks, append(pcs, callers...))
	}
}

// parked looks at a coroutine that no thread waits on.
func (r *Reader) parked(c coroutine) (p Parked, ok bool) {
	if c.what == C.SEAM_COROUTINE_NEW && c.owner == 0 {
		return p, false
	}
	g := uintptr(c.owner)
	if g == 0 {
		g = uintptr(c.resumer) // which doesn't run, or it wouldn't be parked: so C doesn't either
	}
	if p, ok = r.serving(c, g); !ok {
		return p, false
	}
	var resumer goroutine
	if c.owner != 0 && c.resumer != 0 {
		if resumer, ok = r.readG(uintptr(c.resumer)); !ok {
			return p, false
		}
		// Another goroutine resumes it, which may have done so just now.
		if !resumer.waits() && r.resumes(resumer, c) {
			return p, r.as(c)
		}
	}
	switch c.what {
	case C.SEAM_COROUTINE_RUNS:
		return p, r.as(c)
	case C.SEAM_COROUTINE_NEW:
		return p, false
	}
	pcs, _, ok := r.walk(uintptr(c.pc), uintptr(c.sp), uintptr(c.fp), uintptr(c.high))
	if !ok || !r.as(c) || resumer.at != 0 && !r.unchanged(resumer) {
		return p, false
	}
	p.C, p.Calls = pcs, c.what == C.SEAM_COROUTINE_CALLS
	return p, true
}

// resumes says that what the goroutine did last was to resume this coroutine: it is the
// argument of coro.resume, at whose call its context was saved.
func (r *Reader) resumes(g goroutine, c coroutine) bool {
	block, ok := r.word(g.schedSP + 8)
	return ok && block == uintptr(c.block)
}

// as says that a coroutine is as it was listed.
func (r *Reader) as(c coroutine) bool {
	sp, ok1 := r.word(uintptr(c.sp_at))
	state, ok2 := r.word(uintptr(c.state_at) &^ 7)
	if c.state_at&4 != 0 {
		state >>= 32
	}
	return ok1 && ok2 && sp == uintptr(c.sp_was) && uint32(state) == uint32(c.state)
}

// walk walks C's stack from registers on. The stack is copied twice: what has changed
// meanwhile was no stack that there was.
func (r *Reader) walk(pc, sp, fp, high uintptr) (pcs []uintptr, end C.seam_regs, ok bool) {
	if sp >= high {
		return nil, end, false
	}
	n, err := syscall.Pread(r.memory, r.room[:min(uintptr(len(r.room)), high-sp)], int64(sp))
	if n &^= 7; err != nil || n < 8 {
		return nil, end, false
	}
	r.copied = n
	const most = 64
	var found [most]C.uintptr_t
	regs := C.seam_regs{pc: C.uintptr_t(pc), sp: C.uintptr_t(sp), fp: C.uintptr_t(fp)}
	count := int(C.seam_walk_copy(regs, (*C.char)(unsafe.Pointer(&r.room)), C.size_t(n), &found[0], most, &end))
	if count == 0 {
		return nil, end, false
	}
	used := n
	if uintptr(end.sp) > sp && uintptr(end.sp)-sp < uintptr(n) {
		used = int(uintptr(end.sp) - sp)
	}
	again, err := syscall.Pread(r.memory, r.goes[:min(used, len(r.goes))], int64(sp))
	if err != nil || again <= 0 || string(r.goes[:again]) != string(r.room[:again]) {
		return nil, end, false
	}
	pcs = make([]uintptr, 0, 2*count)
	for _, pc := range found[:count] {
		pcs = append(pcs, uintptr(pc))
	}
	return pcs, end, true
}

// A goroutine is what is read of a g.
type goroutine struct {
	at                                 uintptr
	low, high, m                       uintptr
	schedSP, schedPC, schedBP          uintptr
	syscallSP, syscallPC, syscallFrame uintptr
	status                             uint32
}

// The runtime's names of what goroutines do, which are the same in all versions.
const (
	gSyscall = 3
	gWaiting = 4
	gScan    = 0x1000
)

func (g goroutine) waits() bool {
	s := g.status &^ gScan
	return s == gWaiting || s == gSyscall
}

func (r *Reader) readG(at uintptr) (g goroutine, ok bool) {
	l := r.layout
	var b [256]byte
	size := max(l.GStatus, l.GSyscallBP, l.GSchedBP, l.GM) + 8
	if at < 1<<16 || at&7 != 0 || size > uintptr(len(b)) {
		return g, false
	}
	if n, err := syscall.Pread(r.memory, b[:size], int64(at)); err != nil || n < int(size) {
		return g, false
	}
	word := func(at uintptr) uintptr { return uintptr(binary.LittleEndian.Uint64(b[at:])) }
	return goroutine{
		at: at, low: word(l.GStackLo), high: word(l.GStackHi), m: word(l.GM),
		schedSP: word(l.GSchedSP), schedPC: word(l.GSchedPC), schedBP: word(l.GSchedBP),
		syscallSP: word(l.GSyscallSP), syscallPC: word(l.GSyscallPC), syscallFrame: word(l.GSyscallBP),
		status: binary.LittleEndian.Uint32(b[l.GStatus:]) &^ gScan,
	}, true
}

func (r *Reader) unchanged(g goroutine) bool {
	now, ok := r.readG(g.at)
	return ok && now == g
}

// serving is the goroutine that waits for a coroutine: its stack, and where it serves it.
func (r *Reader) serving(c coroutine, at uintptr) (p Parked, ok bool) {
	g, ok := r.readG(at)
	if !ok || !g.waits() {
		return p, false
	}
	sp, pc, fp := g.schedSP, g.schedPC, g.schedBP
	if g.status == gSyscall {
		sp, pc, fp = g.syscallSP, g.syscallPC, g.syscallFrame
	}
	if sp < g.low || sp >= g.high || sp&7 != 0 || !inGo(pc) {
		return p, false
	}
	n, err := syscall.Pread(r.memory, r.goes[:min(uintptr(len(r.goes)), g.high-sp)], int64(sp))
	if err != nil {
		return p, false
	}
	stack := r.goes[:n&^7]
	p.Go, p.Serves = []uintptr{pc}, -1
	for from := sp; ; {
		// The frame of the function that pc is in is between its callee's and its own saved
		// frame pointer; on arm64 that is below.
		end := fp
		if runtime.GOARCH == "arm64" {
			from = fp
			if end = 0; fp >= sp && fp-sp+8 <= uintptr(len(stack)) {
				end = uintptr(binary.LittleEndian.Uint64(stack[fp-sp:]))
			}
		}
		if p.Serves < 0 && from >= sp && end > from && r.serves(pc) && r.has(stack, from-sp, end-sp, uintptr(c.block)) {
			p.Serves = len(p.Go) - 1
		}
		if fp < sp || fp&7 != 0 || fp-sp+16 > uintptr(len(stack)) || len(p.Go) == 128 {
			break
		}
		next := uintptr(binary.LittleEndian.Uint64(stack[fp-sp:]))
		pc = uintptr(binary.LittleEndian.Uint64(stack[fp-sp+8:]))
		if !inGo(pc) {
			break
		}
		p.Go = append(p.Go, pc)
		from = fp + 16
		if next <= fp {
			break
		}
		fp = next
	}
	return p, p.Serves >= 0 && r.unchanged(g)
}

// has says whether a frame has the address of a coroutine's control block, or of what begins with
// it. Arguments of the function may be kept in the first words behind its frame.
func (r *Reader) has(stack []byte, from, end, block uintptr) bool {
	const behind = 16 + 5*8
	words := stack[from:min(end+behind, uintptr(len(stack)))]
	word := func(i int) uintptr { return uintptr(binary.LittleEndian.Uint64(words[i:])) }
	for i := 0; i+8 <= len(words); i += 8 {
		if word(i) == block {
			return true
		}
	}
	for i := 0; i+8 <= len(words); i += 8 {
		if at := word(i); at >= 1<<16 && at&7 == 0 && at>>48 == 0 {
			if v, ok := r.word(at); ok && v == block {
				return true
			}
		}
	}
	return false
}

// serves recognises the functions that serve coroutines: of package coro, and of what seam weld
// puts into programs.
func (r *Reader) serves(pc uintptr) bool {
	is, known := r.servers[pc]
	if !known {
		if f := runtime.FuncForPC(pc - 1); f != nil {
			name := runtime.FuncForPC(f.Entry()).Name() // not that of what is inlined there
			is = strings.HasSuffix(name, "/coro.(*call).serve") || strings.HasSuffix(name, "/coro.(*call).serveFrom") ||
				strings.HasSuffix(name, "/coro.(*Coroutine).Serve") || name == "runtime/cgo.SeamPark"
		}
		r.servers[pc] = is
	}
	return is
}
