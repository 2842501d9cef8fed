//go:build !cgo

package leaf

import "unsafe"

// CGO_ENABLED_is_0_so_there_is_no_C_to_call has no implementation. It stands in
// the signatures below so that code which calls C through this package fails
// to compile with a message that says what to do: set CGO_ENABLED=1 and have a
// C compiler.
type CGO_ENABLED_is_0_so_there_is_no_C_to_call interface{ setCGO_ENABLED_to_1() }

// Call needs cgo. In this build it can't be used.
func Call[P CGO_ENABLED_is_0_so_there_is_no_C_to_call](fn, arg P) int32 { panic("unreachable") }

// A Func needs cgo. In this build none can be made.
type Func[A any] struct{ _ [0]A }

// Of needs cgo. In this build it can't be used.
func Of[A CGO_ENABLED_is_0_so_there_is_no_C_to_call](name string, fn unsafe.Pointer) Func[A] {
	panic("unreachable")
}

// Call needs cgo. In this build there is no Func to call.
func (f Func[A]) Call(args *A) { panic("unreachable") }
