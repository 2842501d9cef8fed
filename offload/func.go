//go:build cgo

package offload

import (
	"context"
	"sync"
	"unsafe"

	"github.com/seamgo/seam/internal/crossing"
)

// A Func is a C function int64_t f(const seam_token *t, A *args), which may block.
// Make one with [Of]; calls of the zero Func fail with [ErrNoFunction].
type Func[A any] struct{ fn unsafe.Pointer }

// Of returns the C function at fn, in cgo unsafe.Pointer(C.f), as a Func. Stats shows it by
// name. A must have the layout of C's struct: use the C struct's own type (C.fetch_args) or
// one proven to match.
//
// Of panics when fn is nil, as a weak C symbol without a definition is.
func Of[A any](name string, fn unsafe.Pointer) Func[A] {
	crossing.MustExist("offload", name, fn)
	if name != "" {
		names.Store(uintptr(fn), name)
	}
	return Func[A]{fn}
}

// Call runs the function on a thread of the pool p, as [Pool.Do] does. args escapes to the
// heap and is C's until Call returns.
func (f Func[A]) Call(ctx context.Context, p *Pool, args *A) (int64, error) {
	return p.Do(ctx, f.fn, unsafe.Pointer(args))
}

// TryCall is [Func.Call], except that it returns [ErrFull] at once instead of waiting for
// room in the queue.
func (f Func[A]) TryCall(ctx context.Context, p *Pool, args *A) (int64, error) {
	return p.TryDo(ctx, f.fn, unsafe.Pointer(args))
}

var names sync.Map // address of a C function → the name given to Of

func nameOf(fn uintptr) string {
	name, _ := names.Load(fn)
	text, _ := name.(string)
	return text
}
