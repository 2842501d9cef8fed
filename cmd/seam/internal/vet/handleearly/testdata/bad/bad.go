// Package bad deletes handles too early.
package bad

/*
#include <stdint.h>
typedef struct { uintptr_t user; int n; } conn;
static void conn_callback(conn *c, uintptr_t h) { c->user = h; }
static uintptr_t logger;
static int set_logger(uintptr_t h) { logger = h; return 0; }
static void *data;
static void set_data(void *p) { data = p; }
*/
import "C"

import (
	"errors"
	"runtime/cgo"
	"unsafe"
)

type conn struct{ c *C.conn }

func (c *conn) onEvent(f func()) {
	h := cgo.NewHandle(f)
	defer h.Delete()
	C.conn_callback(c.c, C.uintptr_t(h)) // want error "C.conn_callback keeps the handle, which is deleted when this function ends"
}

func logTo(f func(string)) error {
	h := cgo.NewHandle(f)
	rc := C.set_logger(C.uintptr_t(h)) // want error "C.set_logger keeps the handle"
	h.Delete()
	if rc != 0 {
		return errors.New("refused")
	}
	return nil
}

func number(v any) {
	h := cgo.NewHandle(v)
	defer h.Delete()
	C.set_data(unsafe.Pointer(uintptr(h))) // want error "C.set_data keeps the handle"
}
