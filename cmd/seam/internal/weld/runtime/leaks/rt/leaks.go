// Package rt is the Go side of a program that is searched for leaks. It becomes a
// part of package runtime/cgo: so it imports nothing that runtime/cgo does not,
// and all names begin with Seam or seam.
package rt

import (
	"sync"
	"sync/atomic"
	"unsafe"

	record "github.com/seamgo/seam/cmd/seam/internal/weld/runtime/record/rt"
)

//go:generate go run ../../../../.. layout --write --header ../c/seam_leaks_impl.h "--cflags=-I ../../record/c"

// A seamLeaksRequest is what Go tells C and asks of it.
//
//seam:layout struct seam_leaks_request
type seamLeaksRequest struct {
	op     int32
	stack  uint32
	p      unsafe.Pointer
	size   uint64
	text   unsafe.Pointer
	length uintptr
	off    int32
}

const (
	seamLeaksMade = iota
	seamLeaksFreeing
	seamLeaksNewStack
	seamLeaksNewText
)

// SeamLeaksText is the size of a block that holds a text: C looks how long.
const SeamLeaksText = ^uint64(0)

// seamLeaksState is what C has said of this process.
var seamLeaksState atomic.Int32

const (
	seamLeaksNew = iota
	seamLeaksOn
	seamLeaksOff
)

// SeamLeaksBegin begins the record, if there is none yet: packages do when they are initialised, so
// that a program that never asks for a block says so, and how large it became.
func SeamLeaksBegin(enter unsafe.Pointer) {
	if seamLeaksState.Load() == seamLeaksNew {
		seamLeaksSend(enter, seamLeaksNewText, []byte("go\x00"+record.SeamVersion+"\x00"))
		seamLeaksSend(enter, seamLeaksNewText, []byte("main\x00"+record.SeamMain+"\x00"))
	}
}

// SeamLeaksMade comes after C has given Go a block. Enter is the C function
// seam_leaks_go under a name of the package's own.
//
//go:noinline
func SeamLeaksMade(enter, p unsafe.Pointer, size uint64) {
	if p == nil || seamLeaksState.Load() == seamLeaksOff {
		return
	}
	var pcs [32]uintptr
	q := seamLeaksRequest{op: seamLeaksMade, p: p, size: size, stack: seamLeaksStack(enter, pcs[:])}
	record.SeamCgocall(enter, uintptr(unsafe.Pointer(&q)))
}

// SeamLeaksFreeing comes before C frees a block for Go.
//
//go:noinline
func SeamLeaksFreeing(enter, p unsafe.Pointer) {
	if p == nil || seamLeaksState.Load() == seamLeaksOff {
		return
	}
	var pcs [12]uintptr // few are asked for, and each takes time
	q := seamLeaksRequest{op: seamLeaksFreeing, p: p, stack: seamLeaksStack(enter, pcs[:])}
	record.SeamCgocall(enter, uintptr(unsafe.Pointer(&q)))
}

// seamLeaksHide is a pointer that escape analysis doesn't follow.
//
//go:nosplit
func seamLeaksHide(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return *(*unsafe.Pointer)(unsafe.Pointer(&x))
}

func seamLeaksSend(enter unsafe.Pointer, op int32, text []byte) uint32 {
	q := seamLeaksRequest{op: op, text: unsafe.Pointer(unsafe.SliceData(text)), length: uintptr(len(text))}
	record.SeamCgocall(enter, uintptr(unsafe.Pointer(&q)))
	state := int32(seamLeaksOn)
	if q.off != 0 {
		state = seamLeaksOff
	}
	seamLeaksState.Store(state)
	return q.stack
}

// seamLeaksKnown has the stacks that the record knows, by their hashes.
var seamLeaksKnown struct {
	sync.RWMutex
	stacks map[uint64]uint32
}

// C has room for some more, and for those of other programs' ways to come here.
const seamLeaksMaxStacks = 1<<14 - 64

// seamLeaksStack is the number of the stack above the exported functions, as
// much of it as pcs has room for; 0 if stacks can't be told.
//
//go:noinline
func seamLeaksStack(enter unsafe.Pointer, pcs []uintptr) uint32 {
	k := &seamLeaksKnown
	SeamLeaksBegin(enter)
	if record.SeamCallers == nil {
		return 0
	}
	// Callers keeps nothing, which the compiler can't see through a variable.
	hidden := unsafe.Slice((*uintptr)(seamLeaksHide(unsafe.Pointer(&pcs[0]))), len(pcs))
	pcs = pcs[:record.SeamCallers(3, hidden)] // without Callers and the two functions here
	hash := record.SeamHash(0, pcs)
	k.RLock()
	id, known := k.stacks[hash]
	full := len(k.stacks) >= seamLeaksMaxStacks
	k.RUnlock()
	if known {
		return id
	}
	k.Lock()
	defer k.Unlock()
	if id, known = k.stacks[hash]; known {
		return id
	}
	if k.stacks == nil {
		k.stacks = map[uint64]uint32{}
	}
	var text []byte
	if full {
		hash = 0
		if id, known = k.stacks[hash]; known {
			return id
		}
		text = []byte("[other stacks]\x00\x000\x00")
	} else {
		text = record.SeamFrames(append([]uintptr(nil), pcs...))
	}
	id = seamLeaksSend(enter, seamLeaksNewStack, text)
	k.stacks[hash] = id
	return id
}
