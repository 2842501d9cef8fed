//go:build cgo && linux && seam_servers

package main

// #include "pg.h"
import "C"

import (
	"context"
	"fmt"
	"strings"
	"unsafe"

	"github.com/seamgo/seam/coro"
	_ "github.com/seamgo/seam/coro/netio" // makes the waits of C inside coroutines Go's
)

// A caller runs a C function of pg.h.
type caller func(ctx context.Context, fn, arg unsafe.Pointer) (int64, error)

// A mode is how the functions of libpq are run.
type mode struct {
	call  caller
	close func()
}

// modes are the names of all, the default first.
var modes = []string{"executor", "locked", "cgo"}

// stackSize has room for what was measured: 20 KB without and 12 KB with TLS, as
// coro.ReadStats has it (HighWater).
const stackSize = 64 << 10

var options = coro.Options{Name: "libpq", StackSize: stackSize}

func newMode(name string) (mode, error) {
	nothing := func() {}
	switch name {
	case "executor":
		e, err := coro.NewExecutor(coro.ExecutorOptions{})
		if err != nil {
			return mode{}, err
		}
		return mode{e.Runner().With(options).Call, func() { e.Close() }}, nil
	case "locked":
		return mode{coro.Locked.With(options).Call, nothing}, nil
	case "cgo":
		return mode{plainly, nothing}, nil
	}
	return mode{}, fmt.Errorf("no mode %q: want %s", name, strings.Join(modes, ", "))
}

// plainly makes the cgo call that coroutines stand in for. It can't be cancelled.
func plainly(ctx context.Context, fn, arg unsafe.Pointer) (int64, error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	return int64(C.pg_plainly(fn, arg)), nil
}
