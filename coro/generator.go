//go:build cgo

package coro

import (
	"context"
	"iter"
	"unsafe"
)

// A Generator is a C function that yields values of type T by seam_yield. Make one with
// [Generate].
type Generator[T any] struct {
	runner  Runner
	fn, arg unsafe.Pointer
	result  int64
	err     error
}

// Generate returns a generator that runs the C function fn as a coroutine of r. T must have
// the layout of the values that C yields: use C's own type. See [Runner.Call] for fn and
// arg.
func Generate[T any](r Runner, fn, arg unsafe.Pointer) *Generator[T] {
	return &Generator[T]{runner: r, fn: fn, arg: arg}
}

// Values returns an iterator over copies of the values. Every loop runs the C function from
// the start. Leaving a loop ends the function: seam_yield returns SEAM_ESTOPPED and C
// returns. Err and Result then say how the loop ended; after a panic they are nil and 0.
//
// A generator serves one loop at a time. It may be used with iter.Pull; see the package
// comment for what that costs with Locked.
func (g *Generator[T]) Values(ctx context.Context) iter.Seq[T] {
	return func(yield func(T) bool) {
		g.result, g.err = 0, nil // in case of a panic
		g.result, g.err = g.runner.call(ctx, g.fn, g.arg, func(p unsafe.Pointer) bool {
			var v T
			if p != nil {
				v = *(*T)(p)
			}
			return yield(v)
		})
	}
}

// Err returns the error of the last loop, as Call would. It is nil if the loop was left or C
// had no more values.
func (g *Generator[T]) Err() error { return g.err }

// Result returns what the C function returned in the last loop.
func (g *Generator[T]) Result() int64 { return g.result }
