//go:build linux && (amd64 || arm64)

// Package dlsqlite compares the driver of examples/dl-sqlite, over the system's SQLite and without cgo, with
// three others: what they do, and how fast.
//
//	bench/dlsqlite/run -v -run Behaviours                  a table of behaviours
//	bench/dlsqlite/run -run NONE -bench . -count 6         for benchstat -col /driver; with -tags libsqlite3 mattn's
//	                                                       driver uses the system's SQLite, too
package dlsqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"
	_ "github.com/ncruces/go-sqlite3/driver"
	_ "github.com/seamgo/seam/examples/dl-sqlite/dlsqlite"
	_ "modernc.org/sqlite"
)

// A driver is one of those compared.
type driver struct {
	module, name string
	source       func(file string) string
}

var drivers = []driver{
	{"dl-sqlite", "dl-sqlite", func(file string) string { return file }},
	{"mattn", "sqlite3", func(file string) string { return file }},
	{"modernc", "sqlite", func(file string) string { return file }},
	{"ncruces", "ncruces", func(file string) string { return "file:" + file }},
}

func open(t testing.TB, d driver) *sql.DB {
	t.Helper()
	db, err := sql.Open(d.name, d.source(filepath.Join(t.TempDir(), "test.db")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := db.Ping(); err != nil {
		t.Fatal(err)
	}
	return db
}

// one is the value of a query, or its error without what differs by driver.
func one(db *sql.DB, query string, args ...any) string {
	var v any
	if err := db.QueryRow(query, args...).Scan(&v); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return "no rows"
		}
		return "error"
	}
	if b, ok := v.([]byte); ok {
		return fmt.Sprintf("[]byte %q", b)
	}
	return fmt.Sprintf("%T %v", v, v)
}

func exec(db *sql.DB, query string, args ...any) string {
	if _, err := db.Exec(query, args...); err != nil {
		return "error"
	}
	return "done"
}

var behaviours = []struct {
	name string
	run  func(db *sql.DB) string
}{
	{"integer", func(db *sql.DB) string { return one(db, "select 42") }},
	{"largest integer", func(db *sql.DB) string { return one(db, "select ?", int64(1<<63-1)) }},
	{"float", func(db *sql.DB) string { return one(db, "select 1.5") }},
	{"text", func(db *sql.DB) string { return one(db, "select 'grün'") }},
	{"text with a zero byte", func(db *sql.DB) string { return one(db, "select length(cast(? as blob))", "a\x00b") }},
	{"NULL", func(db *sql.DB) string { return one(db, "select null") }},
	{"blob", func(db *sql.DB) string { return one(db, "select x'0102'") }},
	{"empty blob", func(db *sql.DB) string { return one(db, "select typeof(?)", []byte{}) }},
	{"nil blob", func(db *sql.DB) string { return one(db, "select typeof(?)", []byte(nil)) }},
	{"bool", func(db *sql.DB) string { return one(db, "select typeof(?) || ?", true, true) }},
	{"time as a parameter", func(db *sql.DB) string {
		return one(db, "select typeof(?)", time.Date(2026, 11, 28, 1, 2, 3, 0, time.UTC))
	}},
	{"time in a column datetime", func(db *sql.DB) string {
		exec(db, "create table t(at datetime)")
		exec(db, "insert into t values (?)", time.Date(2026, 11, 28, 1, 2, 3, 456e6, time.UTC))
		var at time.Time
		if err := db.QueryRow("select at from t").Scan(&at); err != nil {
			return "error"
		}
		return at.UTC().Format(time.RFC3339Nano)
	}},
	{"parameter with a name", func(db *sql.DB) string { return one(db, "select :a + @b", sql.Named("a", 1), sql.Named("b", 2)) }},
	{"parameters with numbers", func(db *sql.DB) string { return one(db, "select ?2 - ?1", 1, 3) }},
	{"too few parameters", func(db *sql.DB) string { return one(db, "select ?, ?", 1) }},
	{"too many parameters", func(db *sql.DB) string { return one(db, "select ?", 1, 2) }},
	{"several statements", func(db *sql.DB) string {
		return exec(db, "create table t(a); insert into t values (1); insert into t values (2)") + ", " + one(db, "select count(*) from t")
	}},
	{"no statement", func(db *sql.DB) string { return exec(db, "-- nothing") }},
	{"syntax error", func(db *sql.DB) string { return exec(db, "selec 1") }},
	{"no rows", func(db *sql.DB) string { return one(db, "select 1 where 0") }},
	{"last id and rows", func(db *sql.DB) string {
		exec(db, "create table t(a integer primary key, b)")
		r, err := db.Exec("insert into t(b) values (1), (2), (3)")
		if err != nil {
			return "error"
		}
		id, _ := r.LastInsertId()
		n, _ := r.RowsAffected()
		return fmt.Sprint(id, " ", n)
	}},
	{"insert returning", func(db *sql.DB) string {
		exec(db, "create table t(a integer primary key, b)")
		return one(db, "insert into t(b) values (7) returning b + a")
	}},
	{"constraint", func(db *sql.DB) string {
		exec(db, "create table t(a unique)")
		return exec(db, "insert into t values (1)") + ", " + exec(db, "insert into t values (1)")
	}},
	{"rollback", func(db *sql.DB) string {
		exec(db, "create table t(a)")
		tx, err := db.Begin()
		if err != nil {
			return "error"
		}
		tx.Exec("insert into t values (1)")
		tx.Rollback()
		return one(db, "select count(*) from t")
	}},
	{"transaction for reading only", func(db *sql.DB) string {
		exec(db, "create table t(a)")
		tx, err := db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return "refused"
		}
		defer tx.Rollback()
		if _, err := tx.Exec("insert into t values (1)"); err != nil {
			return "writing fails"
		}
		return "writes"
	}},
	{"context that has ended", func(db *sql.DB) string {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := db.ExecContext(ctx, "create table t(a)")
		return fmt.Sprint(errors.Is(err, context.Canceled))
	}},
	{"context that ends a query", func(db *sql.DB) string {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		_, err := db.ExecContext(ctx, "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n")
		return fmt.Sprint(err != nil)
	}},
	{"two connections", func(db *sql.DB) string {
		exec(db, "create table t(a); insert into t values (1), (2)")
		rows, err := db.Query("select a from t")
		if err != nil {
			return "error"
		}
		defer rows.Close()
		sum := ""
		for rows.Next() { // the query inside takes a connection of its own
			var a int
			rows.Scan(&a)
			sum += one(db, "select ?", a) + ";"
		}
		return sum
	}},
	{"type of a column", func(db *sql.DB) string {
		exec(db, "create table t(a varchar(10) not null)")
		rows, err := db.Query("select a from t")
		if err != nil {
			return "error"
		}
		defer rows.Close()
		types, err := rows.ColumnTypes()
		if err != nil || len(types) != 1 {
			return "error"
		}
		return strings.ToUpper(types[0].DatabaseTypeName())
	}},
}

// TestBehaviours prints what each driver does. Ours may not stand alone: what it does, another one does, too.
func TestBehaviours(t *testing.T) {
	var table strings.Builder
	fmt.Fprint(&table, "| |")
	for _, d := range drivers {
		fmt.Fprintf(&table, " %s |", d.module)
	}
	fmt.Fprint(&table, "\n|---|---|---|---|---|\n")
	for _, b := range behaviours {
		fmt.Fprintf(&table, "| %s |", b.name)
		var got []string
		for _, d := range drivers {
			got = append(got, b.run(open(t, d)))
			fmt.Fprintf(&table, " %s |", strings.ReplaceAll(got[len(got)-1], "|", `\|`))
		}
		table.WriteString("\n")
		alone := true
		for _, other := range got[1:] {
			alone = alone && other != got[0]
		}
		if alone {
			t.Errorf("%s: dl-sqlite: %s, and no other does so: %q", b.name, got[0], got[1:])
		}
	}
	t.Log("\n" + table.String())
}

const rowCount = 1000

func check(b *testing.B, err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}

func BenchmarkSQLite(b *testing.B) {
	for _, op := range []struct {
		name string
		run  func(b *testing.B, db *sql.DB)
	}{{"scan1000", scan}, {"point", point}, {"insert1000", insert}} {
		for _, d := range drivers {
			b.Run("op="+op.name+"/driver="+d.module, func(b *testing.B) {
				db := open(b, d)
				db.SetMaxOpenConns(1)
				_, err := db.Exec("pragma journal_mode = wal; pragma synchronous = off; create table reading(id integer primary key, value real, name text)")
				check(b, err)
				fill(b, db)
				b.ReportAllocs()
				b.ResetTimer()
				op.run(b, db)
			})
		}
	}
}

// fill inserts the rows in a transaction.
func fill(b *testing.B, db *sql.DB) {
	tx, err := db.Begin()
	check(b, err)
	into, err := tx.Prepare("insert into reading values (?, ?, ?)")
	check(b, err)
	for i := range rowCount {
		_, err := into.Exec(i+1, float64(i)*0.25, fmt.Sprintf("sensor-%05d", i%97))
		check(b, err)
	}
	check(b, into.Close())
	check(b, tx.Commit())
}

func scan(b *testing.B, db *sql.DB) {
	all, err := db.Prepare("select id, value, name from reading")
	check(b, err)
	defer all.Close()
	for range b.N {
		rows, err := all.Query()
		check(b, err)
		var ids int64
		for rows.Next() {
			var id int64
			var value float64
			var name string
			check(b, rows.Scan(&id, &value, &name))
			ids += id
		}
		check(b, rows.Err())
		check(b, rows.Close())
		if ids != rowCount*(rowCount+1)/2 {
			b.Fatalf("the ids add up to %d", ids)
		}
	}
}

func point(b *testing.B, db *sql.DB) {
	by, err := db.Prepare("select value, name from reading where id = ?")
	check(b, err)
	defer by.Close()
	for i := range b.N {
		var value float64
		var name string
		id := i%rowCount + 1
		check(b, by.QueryRow(id).Scan(&value, &name))
		if value != float64(id-1)*0.25 {
			b.Fatalf("row %d has %v", id, value)
		}
	}
}

func insert(b *testing.B, db *sql.DB) {
	for range b.N {
		_, err := db.Exec("delete from reading")
		check(b, err)
		fill(b, db)
	}
}
