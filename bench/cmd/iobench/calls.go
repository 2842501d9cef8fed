//go:build cgo && linux && seam_servers

package main

// #cgo CFLAGS: -O2 -Wall -Wextra -fstack-clash-protection -I${SRCDIR}/../../../include
// #cgo LDFLAGS: -lhiredis
// #include <stdlib.h>
// #include "calls.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/seamgo/seam/coro"
	_ "github.com/seamgo/seam/coro/netio" // makes the waits of C inside coroutines Go's
)

// The modes, as the names of results say them. Ratios are to the first.
var modes = []string{"cgo", "locked", "floating", "executor"}

// A caller runs a C function of calls.h.
type caller func(ctx context.Context, fn, arg unsafe.Pointer) (int64, error)

// newCaller returns how a mode runs C. What it takes is the process's until the end.
func newCaller(mode string) (caller, error) {
	options := coro.Options{Name: "hiredis"}
	switch mode {
	case "cgo":
		return func(_ context.Context, fn, arg unsafe.Pointer) (int64, error) {
			return int64(C.iobench_plainly(fn, arg)), nil
		}, nil
	case "locked":
		return coro.Locked.With(options).Call, nil
	case "floating":
		return coro.Floating.With(options).Call, nil
	case "executor":
		e, err := coro.NewExecutor(coro.ExecutorOptions{})
		if err != nil {
			return nil, err
		}
		return e.Runner().With(options).Call, nil
	}
	return nil, fmt.Errorf("no mode %q: want %s", mode, strings.Join(modes, ", "))
}

// A client is a connection to Redis, on which one call is made at a time.
type client struct{ conn *C.redisContext }

// dial connects through cgo, whatever the mode: that is not what is measured, and
// some of hiredis's functions for it are not for Floating.
func dial(host string, port int) (client, error) {
	h := C.CString(host)
	defer C.free(unsafe.Pointer(h))
	c := client{C.redisConnect(h, C.int(port))}
	if c.conn == nil {
		return c, errors.New("hiredis: out of memory")
	}
	if c.conn.err != 0 {
		defer c.close()
		return c, fmt.Errorf("connecting to %s:%d: %s", host, port, C.GoString(&c.conn.errstr[0]))
	}
	return c, nil
}

// dialAll makes n connections, one after another, so that no threads are left of it.
func dialAll(host string, port, n int) ([]client, error) {
	clients := make([]client, n)
	for i := range clients {
		var err error
		if clients[i], err = dial(host, port); err != nil {
			return nil, err
		}
	}
	return clients, nil
}

func (c client) close() { C.redisFree(c.conn) }

func (c client) get(ctx context.Context, call caller) error {
	return c.run(ctx, call, unsafe.Pointer(C.iobench_get))
}

func (c client) blpop(ctx context.Context, call caller) error {
	return c.run(ctx, call, unsafe.Pointer(C.iobench_blpop))
}

func (c client) run(ctx context.Context, call caller, fn unsafe.Pointer) error {
	failed, err := call(ctx, fn, unsafe.Pointer(c.conn))
	if err == nil && failed != 0 {
		return c.failure()
	}
	return err
}

func (c client) failure() error {
	if c.conn.err != 0 {
		return errors.New("hiredis: " + C.GoString(&c.conn.errstr[0]))
	}
	return errors.New("redis answers something else than was asked for")
}

// set puts the value there that get wants.
func (c client) set() error {
	if C.iobench_set(c.conn) != 0 {
		return c.failure()
	}
	return nil
}

// push gives n calls of blpop what they wait for.
func (c client) push(n int) error {
	if C.iobench_push(c.conn, C.int(n)) != 0 {
		return c.failure()
	}
	return nil
}

// blocked returns how many clients the server has in BLPOP.
func (c client) blocked() (int, error) {
	n := C.iobench_blocked(c.conn)
	if n < 0 {
		return 0, c.failure()
	}
	return int(n), nil
}
