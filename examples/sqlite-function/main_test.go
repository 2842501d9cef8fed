//go:build cgo && seam_servers

//seam:test native

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/coro"
)

func Example() {
	run(context.Background())
	// Output:
	// anna berlin
	// bob bern
}

func open(t testing.TB) *DB {
	t.Helper()
	db, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if db.statements() != 0 {
			t.Error("statements were left open")
		}
		db.Close()
	})
	return db
}

func define(t testing.TB, db *DB, name string, f Function) {
	t.Helper()
	if err := db.Define(name, f); err != nil {
		t.Fatal(err)
	}
}

// one returns the only value of a query.
func one(t *testing.T, db *DB, sql string) any {
	t.Helper()
	rows, err := db.Query(t.Context(), sql)
	if err != nil || len(rows) != 1 || len(rows[0]) != 1 {
		t.Fatalf("%s: %v, %v", sql, rows, err)
	}
	return rows[0][0]
}

func same(_ context.Context, args []any) (any, error) { return args[0], nil }

// Values of every type go to Go and back as they are.
func TestValues(t *testing.T) {
	db := open(t)
	define(t, db, "same", same)
	for sql, want := range map[string]any{
		"null":                     nil,
		"42":                       int64(42),
		"-9223372036854775808":     int64(-1 << 63),
		"0.5":                      0.5,
		"''":                       "",
		"'grüße'":                  "grüße",
		"'a' || char(0) || 'b'":    "a\x00b",
		"x'00ff'":                  []byte{0, 255},
		"x''":                      []byte{},
		"hex(zeroblob(100000))":    strings.Repeat("0", 200000),
		"(select same(1)+same(2))": int64(3),
	} {
		got := one(t, db, "select same("+sql+")")
		if b, ok := want.([]byte); ok && len(b) == 0 {
			// SQLite has no data for an empty blob.
			if got, ok := got.([]byte); !ok || len(got) != 0 {
				t.Errorf("same(%s) is %#v", sql, got)
			}
			continue
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("same(%s) is %#v, want %#v", sql, got, want)
		}
	}
}

// The arguments arrive in order, any number of them, once for each row.
func TestArguments(t *testing.T) {
	db := open(t)
	var calls [][]any
	define(t, db, "note", func(_ context.Context, args []any) (any, error) {
		calls = append(calls, args)
		return int64(len(args)), nil
	})
	rows, err := db.Query(t.Context(), `
		create table t (a, b); insert into t values (1, 'x'), (null, 2.5);
		select note(), note(a), note(a, b) from t`)
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]any{{int64(0), int64(1), int64(2)}, {int64(0), int64(1), int64(2)}}; !reflect.DeepEqual(rows, want) {
		t.Errorf("rows are %v, want %v", rows, want)
	}
	var got []string
	for _, c := range calls {
		if len(c) > 0 { // note() is the same for all rows: SQLite may call it once
			got = append(got, fmt.Sprint(c))
		}
	}
	if want := []string{"[1]", "[1 x]", "[<nil>]", "[<nil> 2.5]"}; !reflect.DeepEqual(got, want) {
		t.Errorf("called with %v, want %v", got, want)
	}
}

// An error in Go is one of SQL: the query ends with its text, a change is undone,
// and the caller can tell which error it was.
func TestErrors(t *testing.T) {
	db := open(t)
	refused := errors.New("no sevens, please")
	define(t, db, "check7", func(_ context.Context, args []any) (any, error) {
		if args[0] == int64(7) {
			return nil, refused
		}
		return args[0], nil
	})
	define(t, db, "odd", func(context.Context, []any) (any, error) { return struct{}{}, nil })
	if _, err := db.Query(t.Context(), "create table t (a)"); err != nil {
		t.Fatal(err)
	}
	_, err := db.Query(t.Context(), "insert into t select check7(value) from (select 6 as value union all select 7)")
	if !errors.Is(err, refused) || !strings.HasPrefix(err.Error(), "sqlite: no sevens, please") {
		t.Errorf("the error is %v", err)
	}
	if n := one(t, db, "select count(*) from t"); n != int64(0) {
		t.Errorf("%v rows were inserted by the statement that failed", n)
	}
	if _, err := db.Query(t.Context(), "select odd()"); err == nil || !strings.Contains(err.Error(), "returned struct {}") {
		t.Errorf("a result of no SQL type: %v", err)
	}
	if _, err := db.Query(t.Context(), "select nosuch()"); err == nil || !strings.Contains(err.Error(), "no such function") {
		t.Errorf("a function that is not defined: %v", err)
	}
	if err := db.Define(strings.Repeat("n", 300), same); err == nil {
		t.Error("a name of 300 bytes is taken")
	}
	if rows, err := db.Query(t.Context(), " ; ; select 1;;-- the end\n"); err != nil || len(rows) != 1 {
		t.Errorf("empty statements: %v, %v", rows, err)
	}
}

// A panic of the function comes out of Query, after SQLite has cleaned up: no
// statement is left open (see open) and the change is undone.
func TestPanic(t *testing.T) {
	db := open(t)
	define(t, db, "explode", func(_ context.Context, args []any) (any, error) {
		if args[0] == int64(3) {
			panic(fmt.Sprintf("at %v", args[0]))
		}
		return args[0], nil
	})
	if _, err := db.Query(t.Context(), "create table t (a)"); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		func() {
			defer func() {
				if got := recover(); got != "at 3" {
					t.Fatalf("recovered %v", got)
				}
			}()
			db.Query(t.Context(), "insert into t select explode(value) from (select 1 as value union all select 2 union all select 3 union all select 4)")
			t.Error("Query returned")
		}()
		if n := one(t, db, "select count(*) from t"); n != int64(0) {
			t.Fatalf("%v rows were inserted by the statement that panicked", n)
		}
		if n := db.statements(); n != 0 {
			t.Fatalf("%d statements are open after a panic", n)
		}
	}
}

// A function may ask the database that calls it.
func TestNestedQuery(t *testing.T) {
	if s := coro.Status(); s.Path != coro.PathAssembly {
		t.Skip("the inner query would wait for the lock that the outer one holds on another thread: ", s)
	}
	db := open(t)
	define(t, db, "fib", func(ctx context.Context, args []any) (any, error) {
		n := args[0].(int64)
		if n < 2 {
			return n, nil
		}
		rows, err := db.Query(ctx, fmt.Sprintf("select fib(%d)+fib(%d)", n-1, n-2))
		if err != nil {
			return nil, err
		}
		return rows[0][0], nil
	})
	if got := one(t, db, "select fib(10)"); got != int64(55) {
		t.Errorf("fib(10) is %v, want 55", got)
	}
}

// A query that would not end does so when its context ends, in the middle of C.
func TestCancel(t *testing.T) {
	db := open(t)
	started := make(chan struct{})
	define(t, db, "started", func(context.Context, []any) (any, error) {
		close(started)
		return nil, nil
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	why := errors.New("enough")
	go func() {
		<-started
		stop(why)
	}()
	_, err := db.Query(ctx, "with recursive n(i) as (select started() union all select i+1 from n) select count(*) from n")
	if !errors.Is(err, why) {
		t.Errorf("the error is %v, want %v", err, why)
	}
	if got := one(t, db, "select 1"); got != int64(1) {
		t.Errorf("afterwards select 1 is %v", got)
	}
}

// Outside of a coroutine there is no Go to call.
func TestNotACoroutine(t *testing.T) {
	db := open(t)
	define(t, db, "same", same)
	if err := db.plainly("select same(1)"); err == nil || !strings.Contains(err.Error(), "does not run as a coroutine") {
		t.Errorf("the error is %v", err)
	}
}

// SQLite walks expressions by recursion, as deep as 1000: the stack must have room.
func TestDeepExpressions(t *testing.T) {
	db := open(t)
	if got := one(t, db, "select 1"+strings.Repeat("+1", 990)); got != int64(991) {
		t.Errorf("991 ones sum up to %v", got)
	}
	if got := one(t, db, strings.Repeat("select (", 10)+"select 7"+strings.Repeat(")", 10)); got != int64(7) {
		t.Errorf("the innermost of 11 queries returns %v", got)
	}
	if _, err := db.Query(t.Context(), "select 1"+strings.Repeat("+1", 2000)); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("deeper than SQLite admits: %v", err)
	}
}

func TestManyDatabases(t *testing.T) {
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			db := open(t)
			define(t, db, "twice", func(_ context.Context, args []any) (any, error) {
				return append(bytes.Clone(args[0].([]byte)), args[0].([]byte)...), nil
			})
			for range 200 {
				if got := one(t, db, fmt.Sprintf("select hex(twice(x'0%d'))", i)); got != fmt.Sprintf("0%d0%d", i, i) {
					t.Fatalf("got %v", got)
				}
			}
		})
	}
}

func BenchmarkFunction(b *testing.B) {
	db := open(b)
	calls := 0
	define(b, db, "none", func(context.Context, []any) (any, error) {
		calls++
		return nil, nil
	})
	for b.Loop() {
		if _, err := db.Query(b.Context(), "with recursive n(i) as (select 1 union all select i+1 from n where i < 100000) select count(none(i)) from n"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(calls), "ns/row")
}
