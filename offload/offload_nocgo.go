//go:build !cgo

package offload

import (
	"context"
	"unsafe"
)

var state = State{Path: PathNone, Reason: "built with CGO_ENABLED=0"}

// CGO_ENABLED_is_0_so_there_is_no_C_to_call has no implementation. It stands in
// the signatures below so that code which calls C through this package fails
// to compile with a message that says what to do: set CGO_ENABLED=1 and have a
// C compiler.
type CGO_ENABLED_is_0_so_there_is_no_C_to_call interface{ setCGO_ENABLED_to_1() }

// A Pool needs cgo. In this build none can be made.
type Pool struct{ _ [0]func() }

// New needs cgo. In this build it can't be used.
func New[O CGO_ENABLED_is_0_so_there_is_no_C_to_call](o O) (*Pool, error) { panic("unreachable") }

// Do needs cgo. In this build there is no Pool to call it of.
func (p *Pool) Do(ctx context.Context, fn, arg unsafe.Pointer) (int64, error) { panic("unreachable") }

// TryDo needs cgo. In this build there is no Pool to call it of.
func (p *Pool) TryDo(ctx context.Context, fn, arg unsafe.Pointer) (int64, error) {
	panic("unreachable")
}

// Close needs cgo. In this build there is no Pool to close.
func (p *Pool) Close(ctx context.Context) error { panic("unreachable") }

// Stats needs cgo. In this build there is no Pool to ask.
func (p *Pool) Stats() Stats { panic("unreachable") }

// A Func needs cgo. In this build none can be made.
type Func[A any] struct{ _ [0]A }

// Of needs cgo. In this build it can't be used.
func Of[A CGO_ENABLED_is_0_so_there_is_no_C_to_call](name string, fn unsafe.Pointer) Func[A] {
	panic("unreachable")
}

// Call needs cgo. In this build there is no Func to call.
func (f Func[A]) Call(ctx context.Context, p *Pool, args *A) (int64, error) { panic("unreachable") }

// TryCall needs cgo. In this build there is no Func to call.
func (f Func[A]) TryCall(ctx context.Context, p *Pool, args *A) (int64, error) {
	panic("unreachable")
}
