//go:build cgo && linux && seam_servers

package main

// #cgo CFLAGS: -O2 -Wall -Wextra -fstack-clash-protection -I${SRCDIR}/../../include -I/usr/include/postgresql
// #cgo LDFLAGS: -lpq
// #include <stdlib.h>
// #include "pg.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/seamgo/seam/examples/internal/clients"
)

// A Conn is a connection to PostgreSQL. It serves one call at a time.
type Conn struct {
	call clients.Caller
	conn *C.PGconn
	lost error // why it is of no use any more
}

// Connect connects by a connection string of libpq.
func Connect(ctx context.Context, m clients.Mode, conninfo string) (*Conn, error) {
	a := (*C.struct_pg_connect)(C.calloc(1, C.sizeof_struct_pg_connect))
	defer C.free(unsafe.Pointer(a))
	a.conninfo = C.CString(conninfo)
	defer C.free(unsafe.Pointer(a.conninfo))
	_, err := m.Call(ctx, unsafe.Pointer(C.pg_connect), unsafe.Pointer(a))
	c := &Conn{call: m.Call, conn: a.conn}
	if err == nil && C.PQstatus(c.conn) != C.CONNECTION_OK {
		err = c.failure()
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// failure is what libpq says has gone wrong.
func (c *Conn) failure() error {
	if c.conn == nil {
		return errors.New("libpq: out of memory")
	}
	return errors.New("libpq: " + strings.TrimSpace(C.GoString(C.PQerrorMessage(c.conn))))
}

// Close ends the connection. It must not be used in another goroutine.
func (c *Conn) Close() {
	if c.conn != nil {
		C.PQfinish(c.conn)
		c.conn = nil
	}
}

// Query runs SQL and returns the rows, NULL as an empty string. After ctx has
// ended the connection is of no use: libpq would take another query, but then the
// rows of this one for the answer. The server finds out when it has something to
// send.
func (c *Conn) Query(ctx context.Context, sql string) ([][]string, error) {
	if c.lost != nil {
		return nil, fmt.Errorf("the connection was given up: %w", c.lost)
	}
	a := (*C.struct_pg_exec)(C.calloc(1, C.sizeof_struct_pg_exec))
	defer C.free(unsafe.Pointer(a))
	a.conn, a.sql = c.conn, C.CString(sql)
	defer C.free(unsafe.Pointer(a.sql))
	_, err := c.call(ctx, unsafe.Pointer(C.pg_exec), unsafe.Pointer(a))
	defer C.PQclear(a.result)
	if err != nil {
		c.lost = err
		return nil, err
	}
	switch C.PQresultStatus(a.result) {
	case C.PGRES_TUPLES_OK, C.PGRES_COMMAND_OK:
		return rows(a.result), nil
	}
	return nil, fmt.Errorf("%w\n\tin %s", c.failure(), sql)
}

func rows(r *C.PGresult) [][]string {
	all := make([][]string, C.PQntuples(r))
	for i := range all {
		all[i] = make([]string, C.PQnfields(r))
		for j := range all[i] {
			row, column := C.int(i), C.int(j)
			all[i][j] = C.GoStringN(C.PQgetvalue(r, row, column), C.PQgetlength(r, row, column))
		}
	}
	return all
}
