//go:build cgo && linux

package clients

import (
	"context"
	"fmt"
	"strings"
	"unsafe"

	"github.com/seamgo/seam/coro"
	_ "github.com/seamgo/seam/coro/netio" // makes the waits of C inside coroutines Go's
)

// A Caller runs a C function. It is a Runner of the packages that seam bind has written.
type Caller func(ctx context.Context, fn, arg unsafe.Pointer) (int64, error)

// Call runs one.
func (c Caller) Call(ctx context.Context, fn, arg unsafe.Pointer) (int64, error) {
	return c(ctx, fn, arg)
}

// A Mode is how the functions of a library are run.
type Mode struct {
	Call  Caller
	Close func()
}

// Modes are the names of all, the default first.
var Modes = []string{"executor", "locked", "cgo"}

// NewMode returns the mode of a name. plain makes the cgo call that coroutines stand in
// for; it can't be cancelled.
func NewMode(name string, o coro.Options, plain interface {
	Call(ctx context.Context, fn, arg unsafe.Pointer) (int64, error)
}) (Mode, error) {
	nothing := func() {}
	switch name {
	case "executor":
		e, err := coro.NewExecutor(coro.ExecutorOptions{})
		if err != nil {
			return Mode{}, err
		}
		return Mode{e.Runner().With(o).Call, func() { e.Close() }}, nil
	case "locked":
		return Mode{coro.Locked.With(o).Call, nothing}, nil
	case "cgo":
		return Mode{plain.Call, nothing}, nil
	}
	return Mode{}, fmt.Errorf("no mode %q: want %s", name, strings.Join(Modes, ", "))
}
