//go:build !cgo

package coro

import (
	"context"
	"iter"
	"unsafe"
)

// CGO_ENABLED_is_0_so_there_is_no_C_to_call has no implementation. It stands in
// the signatures below so that code which runs C through this package fails to
// compile with a message that says what to do: set CGO_ENABLED=1 and have a C
// compiler.
type CGO_ENABLED_is_0_so_there_is_no_C_to_call interface{ setCGO_ENABLED_to_1() }

// Call needs cgo. In this build it can't be used.
func Call[P CGO_ENABLED_is_0_so_there_is_no_C_to_call](ctx context.Context, fn, arg P) (int64, error) {
	panic("unreachable")
}

// A Runner needs cgo. In this build it can't be used.
type Runner struct{}

// Locked and Floating need cgo.
var Locked, Floating Runner

// Options are those of a Runner, which needs cgo.
type Options struct {
	Name      string
	StackSize int
}

// With needs cgo.
func (r Runner) With(Options) Runner { return r }

// A Func needs cgo. In this build none can be made.
type Func[A any] struct{ _ [0]A }

// Of needs cgo. In this build it can't be used.
func Of[A CGO_ENABLED_is_0_so_there_is_no_C_to_call](name string, fn unsafe.Pointer) Func[A] {
	panic("unreachable")
}

// On needs cgo.
func (f Func[A]) On(Runner) Func[A] { return f }

// Call needs cgo. In this build there is no Func to call.
func (f Func[A]) Call(ctx context.Context, args *A) (int64, error) { panic("unreachable") }

// A Registered needs cgo. In this build none can be made.
type Registered struct{ _ byte }

// Register needs cgo. In this build it can't be used.
func Register[A CGO_ENABLED_is_0_so_there_is_no_C_to_call](f func(*A)) *Registered {
	panic("unreachable")
}

// RegisterContext needs cgo. In this build it can't be used.
func RegisterContext[A CGO_ENABLED_is_0_so_there_is_no_C_to_call](f func(context.Context, *A) error) *Registered {
	panic("unreachable")
}

// A Generator needs cgo. In this build none can be made.
type Generator[T any] struct{ _ [0]T }

// Generate needs cgo. In this build it can't be used.
func Generate[T CGO_ENABLED_is_0_so_there_is_no_C_to_call](r Runner, fn, arg unsafe.Pointer) *Generator[T] {
	panic("unreachable")
}

// Values needs cgo. In this build there is no Generator.
func (g *Generator[T]) Values(ctx context.Context) iter.Seq[T] { panic("unreachable") }

// ReadStats returns nothing: without cgo there are no coroutines.
func ReadStats() Stats { return Stats{} }

// A Session needs cgo. In this build none can be made.
type Session struct{ _ byte }

// NewSession needs cgo. In this build it can't be used.
func NewSession[P CGO_ENABLED_is_0_so_there_is_no_C_to_call]() *Session { panic("unreachable") }

// Runner needs cgo. In this build there is no Session.
func (s *Session) Runner() Runner { panic("unreachable") }

// Do needs cgo. In this build there is no Session.
func (s *Session) Do(ctx context.Context, f func()) error { panic("unreachable") }

// Close needs cgo. In this build there is no Session.
func (s *Session) Close() error { panic("unreachable") }
