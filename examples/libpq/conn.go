//go:build cgo && linux && seam_servers

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seamgo/seam/examples/internal/clients"
	"github.com/seamgo/seam/examples/libpq/libpq"
)

// A Conn is a connection to PostgreSQL. It serves one call at a time.
type Conn struct {
	call clients.Caller
	conn *libpq.Conn
	lost error // why it is of no use any more
}

// Connect connects by a connection string of libpq.
func Connect(ctx context.Context, m clients.Mode, conninfo string) (*Conn, error) {
	conn, err := libpq.Connectdb(libpq.WithRunner(ctx, m.Call), conninfo)
	c := &Conn{call: m.Call, conn: conn}
	if err == nil {
		conn.Quiet()
		if conn.Status() != libpq.CONNECTION_OK {
			err = c.failure()
		}
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// failure is what libpq says has gone wrong.
func (c *Conn) failure() error {
	return errors.New("libpq: " + strings.TrimSpace(c.conn.ErrorMessage()))
}

// Close ends the connection. It must not be used in another goroutine.
func (c *Conn) Close() {
	if c.conn != nil {
		c.conn.Close()
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
	r, err := c.conn.Query(libpq.WithRunner(ctx, c.call), sql)
	if err != nil {
		if failed := (*libpq.Error)(nil); !errors.As(err, &failed) {
			c.lost = err
		}
		return nil, err
	}
	defer r.Close()
	switch r.ResultStatus() {
	case libpq.PGRES_TUPLES_OK, libpq.PGRES_COMMAND_OK:
		return rows(r), nil
	}
	return nil, fmt.Errorf("%w\n\tin %s", c.failure(), sql)
}

func rows(r *libpq.Result) [][]string {
	all := make([][]string, r.Ntuples())
	for i := range all {
		all[i] = make([]string, r.Nfields())
		for j := range all[i] {
			all[i][j] = r.Getvalue(int32(i), int32(j))
		}
	}
	return all
}
