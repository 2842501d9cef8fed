//go:build cgo && linux && seam_servers

package main

// #cgo CFLAGS: -O2 -Wall -Wextra -fstack-clash-protection -I${SRCDIR}/../../include
// #cgo LDFLAGS: -lodbc
// #include <stdlib.h>
// #include "odbc.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/seamgo/seam/examples/internal/clients"
)

// environment is the process's; unixODBC reads its settings once.
var environment struct {
	sync.Mutex
	handle C.SQLHENV
}

// theEnvironment returns it, or nil if there is no memory for it now.
func theEnvironment() C.SQLHENV {
	environment.Lock()
	defer environment.Unlock()
	if environment.handle == nil {
		environment.handle = C.odbc_start()
	}
	return environment.handle
}

// A Conn is a connection to a database. It may be used in many goroutines, which
// take turns.
type Conn struct {
	call clients.Caller
	turn chan struct{} // holds a token while a call is made
	dbc  C.SQLHDBC
	lost error // why it is of no use any more
}

// Connect connects by an ODBC connection string.
func Connect(ctx context.Context, m clients.Mode, connection string) (*Conn, error) {
	a := (*C.struct_odbc_connect)(C.calloc(1, C.sizeof_struct_odbc_connect))
	defer C.free(unsafe.Pointer(a))
	if a.env = theEnvironment(); a.env == nil {
		return nil, errors.New("odbc: no environment: out of memory")
	}
	a.string = C.CString(connection)
	defer C.free(unsafe.Pointer(a.string))
	_, err := m.Call(ctx, unsafe.Pointer(C.odbc_connect), unsafe.Pointer(a))
	c := &Conn{call: m.Call, turn: make(chan struct{}, 1), dbc: a.dbc}
	if err == nil {
		err = failure(&a.error[0])
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func failure(text *C.char) error {
	if s := C.GoString(text); s != "" {
		return errors.New("odbc: " + s)
	}
	return nil
}

// Close ends the connection. It must not be used in another goroutine.
func (c *Conn) Close() {
	if c.dbc != nil {
		C.odbc_disconnect(c.dbc)
		c.dbc = nil
	}
}

// Value runs SQL and returns the first column of the first row, NULL as an empty
// string. After ctx has ended the connection is of no use.
func (c *Conn) Value(ctx context.Context, sql string) (string, error) {
	// The driver's own lock is of no help, see the package comment.
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	if c.lost != nil {
		return "", fmt.Errorf("the connection was given up: %w", c.lost)
	}
	a := (*C.struct_odbc_query)(C.calloc(1, C.sizeof_struct_odbc_query))
	defer C.free(unsafe.Pointer(a))
	a.dbc, a.sql = c.dbc, C.CString(sql)
	defer C.free(unsafe.Pointer(a.sql))
	if _, err := c.call(ctx, unsafe.Pointer(C.odbc_query), unsafe.Pointer(a)); err != nil {
		c.lost = err
		return "", err
	}
	if err := failure(&a.error[0]); err != nil {
		return "", fmt.Errorf("%w\n\tin %s", err, sql)
	}
	if a.is_null != 0 {
		return "", nil
	}
	return C.GoString(&a.value[0]), nil
}
