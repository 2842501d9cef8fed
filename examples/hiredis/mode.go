//go:build cgo && linux && seam_servers

package main

// #include "redis.h"
import "C"

import (
	"context"
	"fmt"
	"strings"
	"unsafe"

	"github.com/seamgo/seam/coro"
	_ "github.com/seamgo/seam/coro/netio" // makes the waits of C inside coroutines Go's
)

// A caller runs a C function of redis.h.
type caller func(ctx context.Context, fn, arg unsafe.Pointer) (int64, error)

// A mode is how the functions of hiredis are run.
type mode struct {
	dial, command caller
	close         func()
}

// modes are the names of all, the default first.
var modes = []string{"executor", "floating", "locked", "cgo"}

func newMode(name string) (mode, error) {
	nothing := func() {}
	switch name {
	case "executor":
		e, err := coro.NewExecutor(coro.ExecutorOptions{})
		if err != nil {
			return mode{}, err
		}
		call := e.Runner().With(options).Call
		return mode{call, call, func() { e.Close() }}, nil
	case "floating":
		// See the package comment for why connections are not made so.
		return mode{coro.Locked.With(options).Call, coro.Floating.With(options).Call, nothing}, nil
	case "locked":
		call := coro.Locked.With(options).Call
		return mode{call, call, nothing}, nil
	case "cgo":
		return mode{plainly, plainly, nothing}, nil
	}
	return mode{}, fmt.Errorf("no mode %q: want %s", name, strings.Join(modes, ", "))
}

var options = coro.Options{Name: "hiredis"}

// plainly makes the cgo call that coroutines stand in for. It can't be cancelled.
func plainly(ctx context.Context, fn, arg unsafe.Pointer) (int64, error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	return int64(C.redis_plainly(fn, arg)), nil
}
