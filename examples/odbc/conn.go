//go:build cgo && linux && seam_servers

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/seamgo/seam/examples/internal/clients"
	"github.com/seamgo/seam/examples/odbc/odbc"
)

// environment is the process's; unixODBC reads its settings once.
var environment struct {
	sync.Mutex
	handle unsafe.Pointer
}

// theEnvironment returns it, unless there is no memory for it now.
func theEnvironment() (unsafe.Pointer, error) {
	environment.Lock()
	defer environment.Unlock()
	if environment.handle != nil {
		return environment.handle, nil
	}
	env, err := odbc.AllocHandle(odbc.SQL_HANDLE_ENV, nil)
	if err == nil {
		err = odbc.SetEnvAttr(env, odbc.SQL_ATTR_ODBC_VERSION, odbc.SQL_OV_ODBC3, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("odbc: no environment: %w", err)
	}
	environment.handle = env
	return env, nil
}

// A Conn is a connection to a database. It may be used in many goroutines, which
// take turns.
type Conn struct {
	call clients.Caller
	turn chan struct{} // holds a token while a call is made
	dbc  unsafe.Pointer
	lost error // why it is of no use any more
}

// Connect connects by an ODBC connection string.
func Connect(ctx context.Context, m clients.Mode, connection string) (*Conn, error) {
	env, err := theEnvironment()
	if err != nil {
		return nil, err
	}
	dbc, err := odbc.AllocHandle(odbc.SQL_HANDLE_DBC, env)
	if err != nil {
		return nil, explain(odbc.SQL_HANDLE_ENV, env, err)
	}
	if err := odbc.DriverConnect(odbc.WithRunner(ctx, m.Call), dbc, connection); err != nil {
		err = explain(odbc.SQL_HANDLE_DBC, dbc, err)
		odbc.FreeHandle(odbc.SQL_HANDLE_DBC, dbc)
		return nil, err
	}
	return &Conn{call: m.Call, turn: make(chan struct{}, 1), dbc: dbc}, nil
}

// explain returns what the driver says of an error of its own, and others as they are.
func explain(kind int16, handle unsafe.Pointer, err error) error {
	if failed := (*odbc.Error)(nil); !errors.As(err, &failed) {
		return err
	}
	var state [6]byte
	var text [400]byte
	if _, _, err := odbc.GetDiagRec(kind, handle, 1, &state[0], text[:]); err != nil {
		return errors.New("odbc: no reason was given")
	}
	return fmt.Errorf("odbc: %s: %s", state[:5], cut(text[:]))
}

// cut returns a string of C's.
func cut(text []byte) string {
	before, _, _ := bytes.Cut(text, []byte{0})
	return string(before)
}

// Close ends the connection. It must not be used in another goroutine.
func (c *Conn) Close() {
	if c.dbc != nil {
		odbc.Disconnect(c.dbc)
		odbc.FreeHandle(odbc.SQL_HANDLE_DBC, c.dbc)
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
	stmt, err := odbc.AllocHandle(odbc.SQL_HANDLE_STMT, c.dbc)
	if err != nil {
		return "", explain(odbc.SQL_HANDLE_DBC, c.dbc, err)
	}
	var value [256]byte
	var length int64
	call := odbc.WithRunner(ctx, c.call)
	if err = odbc.ExecDirect(call, stmt, sql); err == nil {
		err = odbc.Fetch(call, stmt)
	}
	if err == nil {
		length, err = odbc.GetData(call, stmt, 1, odbc.SQL_C_CHAR, value[:])
	}
	if failed := (*odbc.Error)(nil); err != nil && !errors.As(err, &failed) {
		c.lost = err // with the statement, which ends with the connection
		return "", err
	}
	defer odbc.FreeHandle(odbc.SQL_HANDLE_STMT, stmt)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w\n\tin %s", explain(odbc.SQL_HANDLE_STMT, stmt, err), sql)
	case length >= int64(len(value)):
		return "", fmt.Errorf("odbc: a value of %d bytes, there is room for %d\n\tin %s", length, len(value)-1, sql)
	case length == odbc.SQL_NULL_DATA:
		return "", nil
	}
	return cut(value[:]), nil
}
