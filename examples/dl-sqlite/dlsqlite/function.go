package dlsqlite

import (
	"database/sql/driver"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"github.com/seamgo/seam/dl"
	"github.com/seamgo/seam/examples/dl-sqlite/sqlite"
)

// A Function is a Go function that SQL calls. Its arguments are nil, int64, float64, string
// or []byte, and so is its result.
type Function func(args []driver.Value) (driver.Value, error)

// RegisterFunc gives a connection, as sql.Conn.Raw has it, an SQL function of so many arguments; -1 for any
// number. A panic in it is an error of the statement.
func RegisterFunc(driverConn any, name string, args int, f Function) error {
	c, ok := driverConn.(*conn)
	if !ok {
		return fmt.Errorf("%T is no connection of this driver", driverConn)
	}
	h := dl.NewHandle(f)
	n, call := *(*unsafe.Pointer)(unsafe.Pointer(&h)), callbacks()
	// SQLite deletes the handle, also if this fails.
	code := sqlite.CreateFunctionV2(c.db.Raw(), dl.CString(name), int32(args), sqlite.SQLITE_UTF8, n, call.function, 0, 0, call.destroy)
	if code != sqlite.SQLITE_OK {
		return &sqlite.Error{Func: "sqlite3_create_function_v2", Code: int64(code), Text: dl.GoString(sqlite.Errmsg(c.db.Raw()))}
	}
	return nil
}

// callbacks are two C functions for all Go functions, which SQLite tells apart by their handles.
var callbacks = sync.OnceValue(func() (c struct{ function, destroy uintptr }) {
	type functionArgs struct {
		Context *sqlite.Context_
		N       int32
		Values  **sqlite.Value_
	}
	function, err := dl.NewCallback("an SQL function", func(a *functionArgs) {
		called(sqlite.BorrowContext(a.Context), dl.Handle(sqlite.UserData(a.Context)), unsafe.Slice(a.Values, a.N))
	})
	if err != nil {
		panic(err)
	}
	type destroyArgs struct{ Data dl.Handle }
	destroy, err := dl.NewCallback("the end of an SQL function", func(a *destroyArgs) { a.Data.Delete() })
	if err != nil {
		panic(err)
	}
	c.function, c.destroy = function.Pointer(), destroy.Pointer()
	return c
})

func called(c *sqlite.Context, h dl.Handle, values []*sqlite.Value_) {
	defer func() {
		if r := recover(); r != nil {
			c.ResultError(fmt.Sprint("panic: ", r))
		}
	}()
	args := make([]driver.Value, len(values))
	for i, raw := range values {
		v := sqlite.BorrowValue(raw)
		switch v.ValueType() {
		case sqlite.SQLITE_INTEGER:
			args[i] = v.ValueInt64()
		case sqlite.SQLITE_FLOAT:
			args[i] = v.ValueDouble()
		case sqlite.SQLITE_TEXT:
			args[i] = string(v.ValueText())
		case sqlite.SQLITE_BLOB:
			args[i] = v.ValueBlob()
		}
	}
	result, err := h.Value().(Function)(args)
	switch v := result.(type) {
	case nil:
		c.ResultNull()
	case int64:
		c.ResultInt64(v)
	case float64:
		c.ResultDouble(v)
	case string:
		c.ResultText(v)
	case []byte:
		c.ResultBlob(v)
	default:
		err = fmt.Errorf("the Go function returned a %T", v)
	}
	if err != nil {
		text := err.Error()
		c.ResultError(text[:min(len(text), math.MaxInt32)])
	}
}
