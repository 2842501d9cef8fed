// Package engine scores orders in C++, in the server's own process: a call costs some ten
// nanoseconds, so it is made through package leaf.
package engine

// #include "engine.h"
import "C"

import (
	"errors"
	"hash/maphash"
	"sync"
	"unsafe"

	"github.com/seamgo/seam/leaf"
)

var score = leaf.Of[C.engine_score_args]("engine_score", unsafe.Pointer(C.engine_score))

// An Engine knows what users have ordered so far. Close it.
type Engine struct {
	seed  maphash.Seed
	bytes uint64

	mu sync.Mutex // the C++ object has no lock of its own: a leaf must not wait
	e  *C.engine  // nil when closed
	n  uint64
}

// New makes an engine for about so many users. It forgets the one whom it has not seen
// for longest.
func New(users int) (*Engine, error) {
	e := C.engine_new(C.uint64_t(users))
	if e == nil {
		return nil, errors.New("engine: no memory")
	}
	return &Engine{seed: maphash.MakeSeed(), e: e, bytes: uint64(C.engine_bytes(e))}, nil
}

// Score says how unusual an amount is for a user, and remembers it. A closed engine
// gives 0.
func (e *Engine) Score(user string, amount float64) float64 {
	args := C.engine_score_args{user: C.uint64_t(maphash.String(e.seed, user)), amount: C.double(amount)}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.e == nil {
		return 0
	}
	args.engine = e.e
	e.n++
	score.Call(&args)
	return float64(args.score)
}

// Stats are figures for those who watch over a server.
type Stats struct {
	Calls uint64 // of C++
	Bytes uint64 // of C memory
	Path  string // how calls are made: see [leaf.State]
}

// Stats returns them.
func (e *Engine) Stats() Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := Stats{Calls: e.n, Path: leaf.Status().Path}
	if e.e != nil {
		s.Bytes = e.bytes
	}
	return s
}

// HeapBytes is what C and C++ have from malloc in this process, engines and all; 0 where the
// C library does not tell.
func HeapBytes() uint64 { return uint64(C.engine_heap_bytes()) }

// Close gives the memory back. It may be called again.
func (e *Engine) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.e != nil {
		C.engine_free(e.e)
		e.e = nil
	}
}
