//go:build cgo

package leaf

import (
	"unsafe"

	"github.com/seamgo/seam/internal/crossing"
)

// Call runs the C function fn(arg) on the thread's system stack and returns its int result
// (whatever the register holds if fn is void).
//
// fn is the address of a C function of one pointer argument that keeps the contract of a
// leaf function, in cgo unsafe.Pointer(C.fn). arg is passed as it is and may be nil; see the
// package comment for the memory that C may use through it. Nothing is kept after the
// return.
func Call(fn, arg unsafe.Pointer) int32 { return call(fn, arg) }

// A Func is a C function void f(A *args): a leaf function that takes its arguments from a
// struct and leaves its results there. Make one with [Of]; the zero Func can't be called.
type Func[A any] struct{ fn unsafe.Pointer }

// Of returns the C function at fn as a Func. Guard mode reports it by name. A must have the
// layout of C's struct: use the C struct's own type (C.add_args) or one proven to match.
//
// Of panics when fn is nil, as a weak C symbol without a definition is.
func Of[A any](name string, fn unsafe.Pointer) Func[A] {
	crossing.MustExist("leaf", name, fn)
	register(fn, name)
	return Func[A]{fn}
}

// Call calls the C function. C may use args, and what it leads to, until the call returns.
// args does not escape.
func (f Func[A]) Call(args *A) { call(f.fn, unsafe.Pointer(args)) }
