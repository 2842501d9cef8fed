//go:build cgo && seam_servers

package main

// #cgo CFLAGS: -O2 -Wall -Wextra -fstack-clash-protection -I${SRCDIR}/../../include
// #cgo LDFLAGS: -lsqlite3
// #include <stdlib.h>
// #include "query.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/seamgo/seam/coro"
)

// runQuery is run by coro.Locked: SQLite holds the lock of its connection, which
// belongs to a thread, while it calls a function.
var runQuery = coro.Of[C.struct_query]("query", unsafe.Pointer(C.query)).On(coro.Locked.With(coro.Options{StackSize: stackSize}))

// stackSize has room for the deepest expression that SQLite accepts: 1000 levels,
// measured to take 400 KB. An ordinary query takes 8 KB.
const stackSize = 1 << 20

// A DB is a database in memory. One goroutine uses it at a time, and the functions
// that it calls meanwhile.
type DB struct {
	db        *C.sqlite3
	functions []*coro.Registered
}

// Open returns an empty database.
func Open() (*DB, error) {
	name := C.CString(":memory:")
	defer C.free(unsafe.Pointer(name))
	var d DB
	if rc := C.sqlite3_open(name, &d.db); rc != C.SQLITE_OK {
		d.Close()
		return nil, fmt.Errorf("sqlite: %s", C.GoString(C.sqlite3_errstr(rc)))
	}
	C.watch(d.db)
	return &d, nil
}

// Close frees the database and the functions that were given to it.
func (d *DB) Close() {
	C.sqlite3_close_v2(d.db)
	for _, f := range d.functions {
		f.Free()
	}
}

// A Function is one that SQL can call. Values are nil, int64, float64, string and
// []byte. It may use the database itself, where coroutines have stacks of their own
// (coro.Status): in the fallback that query runs on another thread, and waits
// forever for the lock of the first. Its error ends the query and is what the
// query returns.
type Function func(ctx context.Context, args []any) (any, error)

// Define gives SQL a function.
func (d *DB) Define(name string, f Function) error {
	r := coro.RegisterContext(func(ctx context.Context, c *C.struct_function_call) error {
		result, err := f(ctx, values(c.argc, c.argv))
		if err == nil {
			c.result, err = toC(result)
		}
		if err != nil {
			c.error = C.CString(err.Error())
		}
		return err
	})
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	if rc := C.create_function(d.db, cname, C.seam_func(r.ID())); rc != C.SQLITE_OK {
		r.Free()
		return fmt.Errorf("sqlite: function %q: %s", name, C.GoString(C.sqlite3_errstr(rc)))
	}
	d.functions = append(d.functions, r)
	return nil
}

// Query runs the statements of sql and returns the rows of all.
func (d *DB) Query(ctx context.Context, sql string) ([][]any, error) {
	var rows [][]any
	onRow := coro.Register(func(r *C.struct_row) { rows = append(rows, values(r.columns, r.values)) })
	defer onRow.Free()
	q := &C.struct_query{db: d.db, sql: C.CString(sql), on_row: C.seam_func(onRow.ID())}
	defer func() { // also when a function has panicked
		C.free(unsafe.Pointer(q.sql))
		C.sqlite3_free(unsafe.Pointer(q.error))
	}()
	_, err := runQuery.Call(ctx, q)
	if q.error == nil {
		return rows, err
	}
	// SQLite's message, and the error that made it one.
	text := "sqlite: " + C.GoString(q.error)
	if err != nil {
		return nil, fmt.Errorf("%s (%w)", text, err)
	}
	return nil, errors.New(text)
}

// values copies what C has for so long as a call takes.
func values(n C.int, v *C.struct_value) []any {
	out := make([]any, n)
	for i, v := range unsafe.Slice(v, n) {
		switch v._type {
		case C.SQLITE_INTEGER:
			out[i] = int64(v.integer)
		case C.SQLITE_FLOAT:
			out[i] = float64(v.real)
		case C.SQLITE_TEXT:
			out[i] = C.GoStringN((*C.char)(v.data), v.bytes)
		case C.SQLITE_BLOB:
			out[i] = C.GoBytes(v.data, v.bytes)
		}
	}
	return out
}

// toC returns a value that C frees.
func toC(v any) (C.struct_value, error) {
	switch v := v.(type) {
	case nil:
		return C.struct_value{_type: C.SQLITE_NULL}, nil
	case int64:
		return C.struct_value{_type: C.SQLITE_INTEGER, integer: C.sqlite3_int64(v)}, nil
	case float64:
		return C.struct_value{_type: C.SQLITE_FLOAT, real: C.double(v)}, nil
	case string:
		return C.struct_value{_type: C.SQLITE_TEXT, data: unsafe.Pointer(C.CString(v)), bytes: C.int(len(v))}, nil
	case []byte:
		return C.struct_value{_type: C.SQLITE_BLOB, data: C.CBytes(v), bytes: C.int(len(v))}, nil
	}
	return C.struct_value{}, fmt.Errorf("a function returned %T: want nil, int64, float64, string or []byte", v)
}
