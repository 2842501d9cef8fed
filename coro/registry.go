//go:build cgo

package coro

import (
	"context"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Registered is a Go function that C can call by its ID, from any coroutine, until it is
// freed. There may be as many as memory allows.
type Registered struct{ id uint64 }

// Register makes f callable from C: seam_upcall(co, id, arg) calls f with arg, in place. A
// must have the layout of C's struct: use the C struct's own type (C.item_args) or one
// proven to match. The memory is C's: f must not keep a pointer to it for longer than C
// keeps the memory.
//
// f must not be nil. It runs as ordinary Go code on the goroutine that made the call: it may
// block, call C, start coroutines of its own and panic. A panic ends the call: C is told
// (SEAM_EPANIC) and returns, and then the panic goes on.
func Register[A any](f func(*A)) *Registered {
	// A pointer is passed the same way whatever it points to.
	return register(&function{plain: *(*func(unsafe.Pointer))(unsafe.Pointer(&f))})
}

// RegisterContext is Register for a function that gets the context of the call and may
// fail. If it fails C gets SEAM_EFAILED, and the call returns the first such error unless a
// graver one follows.
func RegisterContext[A any](f func(context.Context, *A) error) *Registered {
	return register(&function{failing: *(*func(context.Context, unsafe.Pointer) error)(unsafe.Pointer(&f))})
}

// ID returns the number by which C calls the function, its seam_func. It is never 0.
func (r *Registered) ID() uint64 { return r.id }

// Free unregisters the function. From now on upcalls with its ID return SEAM_ENOFUNC; one
// that is running ends as usual. No other function gets the same ID. Free may be called
// again.
func (r *Registered) Free() {
	functions.Lock()
	defer functions.Unlock()
	table := *functions.table.Load()
	i := uint32(r.id)
	if uint64(i) >= uint64(len(table)) {
		return // the zero Registered
	}
	if f := table[i].Load(); f != nil && f.id == r.id {
		table[i].Store(nil)
		functions.free = append(functions.free, i)
		functions.generation[i]++
	}
}

// A function is a registered one.
type function struct {
	id      uint64 // generation << 32 | place in the table
	plain   func(unsafe.Pointer)
	failing func(context.Context, unsafe.Pointer) error
}

// functions are the registered ones. Upcalls read the table without a lock; a full table is
// replaced by a larger one.
var functions struct {
	sync.Mutex
	table      atomic.Pointer[[]atomic.Pointer[function]]
	generation []uint32
	free       []uint32
}

func init() { functions.table.Store(new([]atomic.Pointer[function])) }

func register(f *function) *Registered {
	functions.Lock()
	defer functions.Unlock()
	if len(functions.free) == 0 {
		old := *functions.table.Load()
		table := make([]atomic.Pointer[function], max(64, 2*len(old)))
		for i := range old {
			table[i].Store(old[i].Load())
		}
		for i := len(table) - 1; i >= len(old); i-- {
			functions.free = append(functions.free, uint32(i))
			functions.generation = append(functions.generation, 1)
		}
		functions.table.Store(&table)
	}
	last := len(functions.free) - 1
	i := functions.free[last]
	functions.free = functions.free[:last]
	f.id = uint64(functions.generation[i])<<32 | uint64(i)
	(*functions.table.Load())[i].Store(f)
	return &Registered{f.id}
}

// lookup returns the function with this id, or nil.
func lookup(id uint64) *function {
	table := *functions.table.Load()
	i := uint32(id)
	if uint64(i) >= uint64(len(table)) {
		return nil
	}
	if f := table[i].Load(); f != nil && f.id == id {
		return f
	}
	return nil
}
