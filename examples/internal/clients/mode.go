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

// A Caller runs a C function.
type Caller func(ctx context.Context, fn, arg unsafe.Pointer) (int64, error)

// A Mode is how the functions of a library are run.
type Mode struct {
	Call  Caller
	Close func()
}

// Modes are the names of all, the default first.
var Modes = []string{"executor", "locked", "cgo"}

// NewMode returns the mode of a name. cgo makes the cgo call that coroutines stand in
// for; it can't be cancelled.
func NewMode(name string, o coro.Options, cgo func(fn, arg unsafe.Pointer) int64) (Mode, error) {
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
		return Mode{func(ctx context.Context, fn, arg unsafe.Pointer) (int64, error) {
			if ctx.Err() != nil {
				return 0, context.Cause(ctx)
			}
			return cgo(fn, arg), nil
		}, nothing}, nil
	}
	return Mode{}, fmt.Errorf("no mode %q: want %s", name, strings.Join(Modes, ", "))
}
