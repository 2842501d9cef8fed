// Package bad breaks what leaf and coro ask.
package bad

/*
#include <stdint.h>
#include <poll.h>
#include <unistd.h>
typedef struct { int64_t n; char path[64]; } args;
void badCallback(void);
static void slow(args *a) { sleep(1); a->n++; }
static void back(args *a) { badCallback(); a->n++; }
static void deep(args *a) { slow(a); }
static int64_t exported(void *co, void *arg) { badCallback(); return 0; }
static int64_t waits(void *co, void *arg) { return poll(0, 0, -1); }
*/
import "C"

import (
	"context"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/leaf"
)

var (
	slow = leaf.Of[C.args]("slow", unsafe.Pointer(C.slow)) // want error "C.slow is called as a leaf and waits (slow → sleep)"
	back = leaf.Of[C.args]("back", unsafe.Pointer(C.back)) // want error "C.back is called as a leaf and calls Go (back → badCallback)"
)

//export badCallback
func badCallback() {}

func direct() { leaf.Call(unsafe.Pointer(C.deep), nil) } // want error "waits (deep → slow → sleep)"

func inCoroutine(ctx context.Context) {
	_, _ = coro.Call(ctx, unsafe.Pointer(C.exported), nil) // want error "calls Go (exported → badCallback)" // want warning "without -fstack-clash-protection"
	_, _ = coro.Call(ctx, unsafe.Pointer(C.waits), nil)    // want warning "C.waits is called as a coroutine and waits (waits → poll)"
}
