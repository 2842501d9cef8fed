// Package good keeps what leaf and coro ask.
package good

/*
#cgo CFLAGS: -fstack-clash-protection
#include <stdint.h>
#include <unistd.h>
typedef struct { int64_t n; } args;
static void quick(args *a) { a->n++; }
static void slow(args *a) { sleep(1); }
static int64_t counts(void *co, void *arg) { return 1; }
*/
import "C"

import (
	"context"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/leaf"
)

var quick = leaf.Of[C.args]("quick", unsafe.Pointer(C.quick))

func plain() { C.slow(nil) }

func inCoroutine(ctx context.Context) {
	_, _ = coro.Call(ctx, unsafe.Pointer(C.counts), nil)
}
