// Package good has near misses.
package good

/*
#include <stdint.h>
typedef struct { uintptr_t user; int n; } conn;
static void conn_callback(conn *c, uintptr_t h) { c->user = h; }
static void conn_run(conn *c) { c->n++; }
static uintptr_t logger;
static int set_logger(uintptr_t h) { if (!h) return -1; logger = h; return 0; }
static uintptr_t walk(uintptr_t h) { return h + 1; }
void unseen(uintptr_t h);
*/
import "C"

import (
	"errors"
	"runtime/cgo"
)

type conn struct {
	c    *C.conn
	h    cgo.Handle
	done chan bool
}

// C only has it for the call.
func during(f func()) {
	h := cgo.NewHandle(f)
	defer h.Delete()
	C.walk(C.uintptr_t(h))
	C.unseen(C.uintptr_t(h))
}

// C uses it in another call.
func (c *conn) run(f func()) {
	h := cgo.NewHandle(f)
	defer h.Delete()
	C.conn_callback(c.c, C.uintptr_t(h))
	C.conn_run(c.c)
}

// C forgets it before.
func (c *conn) forget(f func()) {
	h := cgo.NewHandle(f)
	defer h.Delete()
	defer C.conn_callback(c.c, 0)
	C.conn_callback(c.c, C.uintptr_t(h))
	c.wait()
}

// It waits for C.
func (c *conn) once(f func()) {
	h := cgo.NewHandle(f)
	defer h.Delete()
	C.conn_callback(c.c, C.uintptr_t(h))
	<-c.done
}

func (c *conn) wait() { <-c.done }

// It is deleted later.
func (c *conn) keep(f func()) {
	c.h = cgo.NewHandle(f)
	C.conn_callback(c.c, C.uintptr_t(c.h))
}

// It is deleted as C hasn't taken it.
func logTo(f func(string)) error {
	h := cgo.NewHandle(f)
	if C.set_logger(C.uintptr_t(h)) != 0 {
		h.Delete()
		return errors.New("refused")
	}
	return nil
}
