//go:build cgo

package offload

import (
	"context"
	"fmt"
	"sync"
	"unsafe"
)

// A Func is a C function int64_t f(const seam_token *t, A *args) that may block.
// Make one with [Of].
type Func[A any] struct {
	fn   unsafe.Pointer
	name string
}

// Of returns the C function at fn, in cgo's terms unsafe.Pointer(C.f), as a Func.
// The name is what errors and Stats show. A must be laid out as C sees it: use the
// C struct's own type (C.fetch_args) or one proven to match.
func Of[A any](name string, fn unsafe.Pointer) Func[A] {
	if fn != nil && name != "" {
		names.Store(uintptr(fn), name)
	}
	return Func[A]{fn, name}
}

// Call runs the function on a thread of the pool p, as [Pool.Do] does. args
// escapes to the heap. It is C's until Call returns.
func (f Func[A]) Call(ctx context.Context, p *Pool, args *A) (int64, error) {
	if f.fn == nil {
		return 0, f.noAddress()
	}
	return p.Do(ctx, f.fn, unsafe.Pointer(args))
}

// TryCall is [Func.Call], but where Call would wait for room in the queue it
// returns [ErrFull] at once.
func (f Func[A]) TryCall(ctx context.Context, p *Pool, args *A) (int64, error) {
	if f.fn == nil {
		return 0, f.noAddress()
	}
	return p.TryDo(ctx, f.fn, unsafe.Pointer(args))
}

func (f Func[A]) noAddress() error {
	return fmt.Errorf("offload: the C function %q has no address: is it a weak symbol without a definition, or the Func not made by Of?", f.name)
}

var names sync.Map // address of a C function → the name given to Of

func nameOf(fn uintptr) string {
	name, _ := names.Load(fn)
	text, _ := name.(string)
	return text
}
