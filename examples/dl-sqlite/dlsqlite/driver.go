// Package dlsqlite is a database/sql driver, "dl-sqlite", over the system's SQLite, without cgo.
package dlsqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/seamgo/seam/dl"
	"github.com/seamgo/seam/examples/dl-sqlite/sqlite"
)

// Driver is a database/sql driver over the system's SQLite. A data source is a file's name,
// or ":memory:", which is another database for each connection.
type Driver struct{}

func init() { sql.Register("dl-sqlite", Driver{}) }

// Load loads the library, which the first connection does, too.
var Load = sync.OnceValue(func() error { return sqlite.Load() })

// Open opens a connection.
func (Driver) Open(name string) (driver.Conn, error) {
	if err := Load(); err != nil {
		return nil, err
	}
	// A connection is used by one goroutine at a time: database/sql sees to that.
	db, err := sqlite.Open(name, sqlite.SQLITE_OPEN_READWRITE|sqlite.SQLITE_OPEN_CREATE|sqlite.SQLITE_OPEN_NOMUTEX|sqlite.SQLITE_OPEN_URI, "")
	if err != nil {
		return nil, err
	}
	for _, err := range []error{db.ExtendedResultCodes(true), db.BusyTimeout(5000)} {
		if err != nil {
			db.Close()
			return nil, err
		}
	}
	return &conn{db: db}, nil
}

type conn struct{ db *sqlite.DB }

func (c *conn) Close() error { return c.db.Close() }
func (c *conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}
func (c *conn) Begin() (driver.Tx, error)          { return c.BeginTx(context.Background(), driver.TxOptions{}) }
func (c *conn) ResetSession(context.Context) error { return nil }

// CheckNamedValue knows what needs no conversion, which the one of database/sql finds by reflection.
func (c *conn) CheckNamedValue(v *driver.NamedValue) error {
	switch n := v.Value.(type) {
	case nil, int64, float64, bool, string, []byte, time.Time:
	case int:
		v.Value = int64(n)
	default:
		return driver.ErrSkip
	}
	return nil
}

// BeginTx starts a transaction. SQLite's are serializable.
func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	switch sql.IsolationLevel(o.Isolation) {
	case sql.LevelDefault, sql.LevelSerializable:
	default:
		return nil, fmt.Errorf("SQLite has no isolation level %s: its transactions are serializable", sql.IsolationLevel(o.Isolation))
	}
	if o.ReadOnly {
		if err := c.exec(ctx, "PRAGMA query_only = 1"); err != nil {
			return nil, err
		}
	}
	if err := c.exec(ctx, "BEGIN"); err != nil {
		return nil, err
	}
	return &tx{c, o.ReadOnly}, nil
}

type tx struct {
	c        *conn
	readOnly bool
}

func (t *tx) Commit() error {
	err := t.end("COMMIT")
	if err != nil && !t.c.db.Autocommit() { // as by a deferred foreign key: the transaction is still open
		err = errors.Join(err, t.c.exec(context.Background(), "ROLLBACK"))
	}
	return err
}

func (t *tx) Rollback() error {
	if t.c.db.Autocommit() { // SQLite has rolled it back itself
		return t.end("")
	}
	return t.end("ROLLBACK")
}

func (t *tx) end(how string) error {
	err := t.c.exec(context.Background(), how)
	if t.readOnly {
		err = errors.Join(err, t.c.exec(context.Background(), "PRAGMA query_only = 0"))
	}
	return err
}

func (c *conn) exec(ctx context.Context, query string) error {
	_, err := c.ExecContext(ctx, query, nil)
	return err
}

// interrupted has SQLite stop when the context ends, until stop is called. It returns the
// context's error in place of SQLite's.
func (c *conn) interrupted(ctx context.Context) (stop func(error) error) {
	if ctx.Done() == nil {
		return func(err error) error { return err }
	}
	done := make(chan struct{})
	end := context.AfterFunc(ctx, func() {
		defer close(done)
		c.db.Interrupt()
	})
	return func(err error) error {
		if !end() {
			<-done // so that it doesn't hit the next statement
			var failure *sqlite.Error
			if errors.As(err, &failure) && failure.Code&0xff == sqlite.SQLITE_INTERRUPT {
				return ctx.Err()
			}
		}
		return err
	}
}

// PrepareContext compiles the first statement of a query, which must be the only one.
func (c *conn) PrepareContext(_ context.Context, query string) (driver.Stmt, error) {
	s, rest, err := c.prepare(query)
	if err == nil && strings.TrimSpace(rest) != "" {
		s.Close()
		return nil, fmt.Errorf("a prepared statement is one statement; more follows: %.40q", rest)
	}
	return s, err
}

func (c *conn) prepare(query string) (*stmt, string, error) {
	if i := strings.IndexByte(query, 0); i >= 0 {
		return nil, "", fmt.Errorf("the query has a zero byte at %d", i)
	}
	text := dl.CString(query)
	var tail *byte
	s, err := c.db.Prepare(text, int32(len(query)+1), 0, &tail)
	if err != nil {
		return nil, "", err
	}
	rest := query[uintptr(unsafe.Pointer(tail))-uintptr(unsafe.Pointer(text)):]
	runtime.KeepAlive(text)
	if s == nil { // a comment, or nothing
		return &stmt{c: c}, rest, nil
	}
	return &stmt{c: c, s: s, inputs: int(s.BindParameterCount())}, rest, nil
}

// ExecContext runs all statements of a query.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	var last driver.Result = result{}
	for strings.TrimSpace(query) != "" {
		s, rest, err := c.prepare(query)
		if err != nil {
			return nil, err
		}
		if s.s == nil { // a comment
			query = rest
			continue
		}
		n := min(s.inputs, len(args))
		if strings.TrimSpace(rest) == "" {
			n = len(args) // what is too much is told
		}
		r, err := s.ExecContext(ctx, args[:n])
		s.Close()
		if err != nil {
			return nil, err
		}
		last, query, args = r, rest, args[n:]
	}
	return last, nil
}

// QueryContext runs a query of one statement.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	r, err := s.(*stmt).QueryContext(ctx, args)
	if err != nil {
		s.Close()
		return nil, err
	}
	r.(*rows).once = true
	return r, nil
}

type result struct{ id, changed int64 }

func (r result) LastInsertId() (int64, error) { return r.id, nil }
func (r result) RowsAffected() (int64, error) { return r.changed, nil }

type stmt struct {
	c      *conn
	s      *sqlite.Stmt // nil for a statement that does nothing
	inputs int

	columns   []column // of the last query
	names     []string // theirs
	reprepare int32    // how often SQLite had compiled the statement anew when they were read
}

// A column is one of a result.
type column struct {
	declared string // its type, in lower case; "" for an expression
	as       kind
}

// A kind is what a declared type makes of values.
type kind int

const (
	plain kind = iota
	boolean
	instant
)

// result reads what columns the statement returns, unless they are those of the last query. SQLite compiles
// a statement anew when a table has changed.
func (s *stmt) result() {
	again := s.s.Status(sqlite.SQLITE_STMTSTATUS_REPREPARE, false)
	if s.names != nil && s.reprepare == again {
		return
	}
	// Not the memory of before, which rows may still have.
	s.columns, s.names, s.reprepare = nil, []string{}, again
	for i := range s.s.ColumnCount() {
		c := column{declared: strings.ToLower(s.s.ColumnDecltype(i))}
		switch c.declared {
		case "boolean", "bool":
			c.as = boolean
		case "timestamp", "datetime", "date":
			c.as = instant
		}
		s.columns, s.names = append(s.columns, c), append(s.names, s.s.ColumnName(i))
	}
}

func (s *stmt) NumInput() int { return -1 } // bind tells

func (s *stmt) Close() error {
	if s.s == nil {
		return nil
	}
	s.s.Close() // what it returns is the error of the last step, which was told
	return nil
}

func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), named(args))
}

func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), named(args))
}

func named(args []driver.Value) (list []driver.NamedValue) {
	for i, v := range args {
		list = append(list, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return list
}

// shortText is how many bytes C copies in a leaf.
const shortText = 4 << 10

// bind gives the statement all of its parameters, in place of those of the call before.
func (s *stmt) bind(args []driver.NamedValue) error {
	if len(args) != s.inputs {
		return fmt.Errorf("the statement has %d parameters, and was given %d", s.inputs, len(args))
	}
	if slices.ContainsFunc(args, func(a driver.NamedValue) bool { return a.Name != "" }) {
		s.s.ClearBindings() // one may be given twice, and another not at all
	}
	for _, a := range args {
		at := int32(a.Ordinal)
		if a.Name != "" {
			at = 0
			for i := range int32(s.inputs) {
				if n := s.s.BindParameterName(i + 1); n != "" && n[1:] == a.Name {
					at = i + 1
				}
			}
			if at == 0 {
				return fmt.Errorf("the statement has no parameter %s", a.Name)
			}
		}
		var err error
		switch v := a.Value.(type) {
		case nil:
			err = s.s.BindNull(at)
		case int64:
			err = s.s.BindInt64(at, v)
		case float64:
			err = s.s.BindDouble(at, v)
		case bool:
			n := int64(0)
			if v {
				n = 1
			}
			err = s.s.BindInt64(at, n)
		case string:
			if len(v) > shortText {
				err = s.s.BindText(at, v)
			} else {
				err = s.s.BindShortText(at, v)
			}
		case []byte:
			switch {
			case v == nil:
				err = s.s.BindNull(at)
			case len(v) == 0:
				err = s.s.BindZeroblob(at, 0)
			default:
				err = s.s.BindBlob(at, v)
			}
		case time.Time:
			err = s.s.BindText(at, v.Format(timeFormats[0]))
		default:
			err = fmt.Errorf("parameter %d is a %T", a.Ordinal, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if s.s == nil {
		return result{}, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.bind(args); err != nil {
		return nil, err
	}
	stop := s.c.interrupted(ctx)
	code, err := int32(sqlite.SQLITE_ROW), error(nil)
	for code == sqlite.SQLITE_ROW && err == nil {
		code, err = s.s.Step()
	}
	r := result{s.c.db.LastInsertRowid(), s.c.db.Changes()}
	s.s.Reset() // it returns the error of the step
	return r, stop(err)
}

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	if s.s == nil {
		return &rows{s: s}, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.bind(args); err != nil {
		return nil, err
	}
	r := &rows{s: s, stop: s.c.interrupted(ctx)}
	// Its columns are known by the first step: it compiles the statement anew if a table has changed.
	var err error
	if r.first, err = s.s.Step(); err != nil {
		err = r.stop(err)
		s.s.Reset()
		return nil, err
	}
	s.result()
	r.names, r.columns = s.names, s.columns
	return r, nil
}

// rows are what a statement returns.
type rows struct {
	s       *stmt
	names   []string
	columns []column
	stop    func(error) error
	once    bool  // the statement ends with them
	first   int32 // what the first step has returned, until it is asked for
}

func (r *rows) Columns() []string { return r.names }

// ColumnTypeDatabaseTypeName is the type with which the column was declared.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string {
	return strings.ToUpper(r.columns[i].declared)
}

func (r *rows) Close() error {
	if r.stop != nil {
		r.stop(nil)
		r.stop = nil
		r.s.s.Reset()
	}
	if r.once {
		return r.s.Close()
	}
	return nil
}

// timeFormats are how times are written in columns that are declared as such.
var timeFormats = []string{"2006-01-02 15:04:05.999999999-07:00", "2006-01-02T15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", "2006-01-02"}

func (r *rows) Next(dest []driver.Value) error {
	if r.s.s == nil {
		return io.EOF
	}
	code := r.first
	if r.first = 0; code == 0 {
		var err error
		if code, err = r.s.s.Step(); err != nil {
			return r.stop(err)
		}
	}
	if code == sqlite.SQLITE_DONE {
		return io.EOF
	}
	s := r.s.s
	for i := range dest {
		at := int32(i)
		switch s.ColumnType(at) {
		case sqlite.SQLITE_INTEGER:
			if n := s.ColumnInt64(at); r.columns[i].as == boolean {
				dest[i] = n != 0
			} else {
				dest[i] = n
			}
		case sqlite.SQLITE_FLOAT:
			dest[i] = s.ColumnDouble(at)
		case sqlite.SQLITE_TEXT:
			if text := s.ColumnText(at); r.columns[i].as == instant {
				dest[i] = textOrTime(text)
			} else {
				dest[i] = text
			}
		case sqlite.SQLITE_BLOB:
			if dest[i] = s.ColumnBlob(at); dest[i].([]byte) == nil {
				dest[i] = []byte{}
			}
		default:
			dest[i] = nil
		}
	}
	return nil
}

// textOrTime is the time that a text is, or the text.
func textOrTime(text string) driver.Value {
	for _, format := range timeFormats {
		if t, err := time.Parse(format, text); err == nil {
			return t
		}
	}
	return text
}
