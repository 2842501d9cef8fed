//go:build linux && (amd64 || arm64)

package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seamgo/seam/examples/dl-sqlite/dlsqlite"
	"github.com/seamgo/seam/examples/dl-sqlite/sqlite"
	"github.com/seamgo/seam/internal/testenv"
)

func open(t testing.TB) *sql.DB {
	t.Helper()
	if err := dlsqlite.Load(); err != nil {
		testenv.Missing(t, err)
	}
	db, err := sql.Open("dl-sqlite", filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func exec(t testing.TB, db interface {
	Exec(string, ...any) (sql.Result, error)
}, query string, args ...any) sql.Result {
	t.Helper()
	r, err := db.Exec(query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return r
}

func TestRun(t *testing.T) {
	if err := dlsqlite.Load(); err != nil {
		testenv.Missing(t, err)
	}
	var out strings.Builder
	if err := run(&out); err != nil || out.String() != "SEAM! 1\nDL! 2\n" {
		t.Errorf("%v, %q", err, out.String())
	}
}

// Every kind of value comes back as it was, from a statement that is used again.
func TestValues(t *testing.T) {
	db := open(t)
	exec(t, db, "create table v(a, at timestamp, yes boolean)")
	insert, err := db.Prepare("insert into v values (?, ?, ?)")
	if err != nil {
		t.Fatal(err)
	}
	defer insert.Close()
	now := time.Date(2026, 11, 27, 13, 0, 1, 123456789, time.UTC)
	values := []any{nil, int64(-1 << 63), int64(1<<63 - 1), 0.5, "", "text with \x00 in it", "é☃", []byte{}, []byte{0, 1, 2}, strings.Repeat("long ", 100_000)}
	for _, v := range values {
		if _, err := insert.Exec(v, now, true); err != nil {
			t.Fatalf("%.20v: %v", v, err)
		}
	}
	rows, err := db.Query("select a, at, yes from v order by rowid")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for _, want := range values {
		var got any
		var at time.Time
		var yes bool
		if !rows.Next() {
			t.Fatal(rows.Err())
		}
		if err := rows.Scan(&got, &at, &yes); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprintf("%T %v", got, got) != fmt.Sprintf("%T %v", want, want) || !at.Equal(now) || !yes {
			t.Errorf("%.50v, %v, %v; want %.50v", got, at, yes, want)
		}
	}
	if rows.Next() {
		t.Error("a row too much")
	}
}

// A statement that was prepared before a table changed has the columns of afterwards.
func TestColumnsChange(t *testing.T) {
	db := open(t)
	db.SetMaxOpenConns(1)
	exec(t, db, "create table t(a)")
	exec(t, db, "insert into t values (7)")
	all, err := db.Prepare("select * from t")
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	for _, c := range []struct{ change, want string }{
		{"", "[a] [7]"}, {"", "[a] [7]"},
		{"alter table t add column yes boolean default 1", "[a yes] [7 true]"},
		{"alter table t rename column yes to maybe", "[a maybe] [7 true]"},
		{"alter table t drop column a", "[maybe] [true]"},
		{"", "[maybe] [true]"},
	} {
		exec(t, db, c.change)
		rows, err := all.Query()
		if err != nil {
			t.Fatal(c.change, err)
		}
		names, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if !rows.Next() {
			t.Fatal(c.change, rows.Err())
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(names, values); got != c.want {
			t.Errorf("after %q: %s, want %s", c.change, got, c.want)
		}
		rows.Close()
	}
}

func TestResultsAndNames(t *testing.T) {
	db := open(t)
	r := exec(t, db, "create table t(id integer primary key, a); insert into t(a) values (?), (?); -- two rows", 1, 2)
	if id, _ := r.LastInsertId(); id != 2 {
		t.Errorf("id %d", id)
	}
	r = exec(t, db, "update t set a = :x where a < $most", sql.Named("most", 10), sql.Named("x", 5))
	if n, _ := r.RowsAffected(); n != 2 {
		t.Errorf("%d rows", n)
	}
	for query, want := range map[string]string{
		"selec 1":                     "near \"selec\": syntax error",
		"select ?":                    "the statement has 1 parameters, and was given 0",
		"select 1; select 2":          "a prepared statement is one statement; more follows",
		"select * from nowhere":       "no such table: nowhere",
		"select 1 \x00":               "the query has a zero byte at 9",
		"insert into t(id) values(1)": "UNIQUE constraint failed: t.id",
	} {
		rows, err := db.Query(query)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
			rows.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", query, err)
		}
	}
	_, err := db.Exec("insert into t(id) values(1)")
	var failure *sqlite.Error
	if !errors.As(err, &failure) || failure.Code != sqlite.SQLITE_CONSTRAINT_PRIMARYKEY {
		t.Errorf("%#v", err)
	}
	if _, err := db.Exec("select :x", sql.Named("y", 1)); err == nil || !strings.Contains(err.Error(), "no parameter y") {
		t.Error(err)
	}
}

func TestTransactions(t *testing.T) {
	db := open(t)
	exec(t, db, "create table t(a)")
	count := func() (n int) {
		if err := db.QueryRow("select count(*) from t").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, commit := range []bool{true, false} {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		exec(t, tx, "insert into t values (1)")
		if commit {
			err = tx.Commit()
		} else {
			err = tx.Rollback()
		}
		if err != nil || count() != 1 {
			t.Errorf("commit %v: %v, %d rows", commit, err, count())
		}
	}
	tx, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("insert into t values (2)"); err == nil || !strings.Contains(err.Error(), "readonly") {
		t.Error(err)
	}
	if err := tx.Rollback(); err != nil {
		t.Error(err)
	}
	exec(t, db, "insert into t values (3)")
	if _, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelReadUncommitted}); err == nil {
		t.Error("an isolation level that SQLite hasn't was taken")
	}
}

// A statement that would never end does when its context does, and the connection is as before.
func TestContext(t *testing.T) {
	db := open(t)
	db.SetMaxOpenConns(1)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var n int
	err := db.QueryRowContext(ctx, "with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) from r").Scan(&n)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := db.QueryRow("select 42").Scan(&n); err != nil || n != 42 {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := db.ExecContext(ctx, "create table never(a)"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestFunctions(t *testing.T) {
	db := open(t)
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for name, f := range map[string]dlsqlite.Function{
		"same":   func(args []driver.Value) (driver.Value, error) { runtime.GC(); return args[0], nil },
		"fails":  func([]driver.Value) (driver.Value, error) { return nil, errors.New("as it should") },
		"panics": func([]driver.Value) (driver.Value, error) { panic("in Go") },
		"odd":    func([]driver.Value) (driver.Value, error) { return struct{}{}, nil },
	} {
		if err := c.Raw(func(d any) error { return dlsqlite.RegisterFunc(d, name, -1, f) }); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []any{nil, int64(7), 1.5, "text", []byte("blob")} {
		var got any
		if err := c.QueryRowContext(t.Context(), "select same(?)", want).Scan(&got); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
	}
	for name, want := range map[string]string{"fails": "as it should", "panics": "panic: in Go", "odd": "the Go function returned a struct {}"} {
		if _, err := c.ExecContext(t.Context(), "select "+name+"()"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Many goroutines, each with its connection, while the garbage collector runs.
func TestGoroutines(t *testing.T) {
	db := open(t)
	exec(t, db, "pragma journal_mode = wal; create table t(a integer, b text)")
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 20 {
				if _, err := db.Exec("insert into t values (?, ?)", g*1000+i, fmt.Sprint(g, i)); err != nil {
					t.Error(err)
					return
				}
				var b string
				if err := db.QueryRow("select b from t where a = ?", g*1000+i).Scan(&b); err != nil || b != fmt.Sprint(g, i) {
					t.Errorf("%q, %v", b, err)
					return
				}
			}
			runtime.GC()
		})
	}
	wg.Wait()
	var n int
	if err := db.QueryRow("select count(*) from t").Scan(&n); err != nil || n != 160 {
		t.Errorf("%d rows, %v", n, err)
	}
}

func BenchmarkScan(b *testing.B) {
	db := open(b)
	exec(b, db, "create table t(a integer, b text); with recursive r(n) as (select 1 union all select n + 1 from r where n < 1000) insert into t select n, 'row ' || n from r")
	b.ReportAllocs()
	for b.Loop() {
		rows, err := db.Query("select a, b from t")
		if err != nil {
			b.Fatal(err)
		}
		var n int
		var s string
		for rows.Next() {
			if err := rows.Scan(&n, &s); err != nil {
				b.Fatal(err)
			}
		}
		rows.Close()
	}
}

// A statement that is used again has nothing of the call before, nor do long texts differ from short ones.
func TestUsedAgain(t *testing.T) {
	db := open(t)
	defer db.Close()
	s, err := db.Prepare("select :a || length(:b)")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		args []any
		want string
	}{
		{[]any{sql.Named("a", "x"), sql.Named("b", strings.Repeat("y", 10_000))}, "x10000"},
		{[]any{sql.Named("a", "x"), sql.Named("a", "z")}, ""}, // b is NULL
		{[]any{strings.Repeat("z", 4096), ""}, strings.Repeat("z", 4096) + "0"},
		{[]any{strings.Repeat("z", 4097), "a\x00b"}, strings.Repeat("z", 4097) + "1"}, // SQLite's length ends there
	} {
		var got sql.NullString
		if err := s.QueryRow(c.args...).Scan(&got); err != nil || got.String != c.want {
			t.Errorf("%.40q: %.20q, %v, want %.20q", c.args, got.String, err, c.want)
		}
	}
}
