//go:build cgo

// Package sqlite measures the latest github.com/mattn/go-sqlite3: what a program does with
// it most, and Go functions that SQLite calls.
package sqlite

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/mattn/go-sqlite3"
)

// A total is an aggregate of a whole number.
type total struct{ n int64 }

func (s *total) Step(x int64) { s.n += x }
func (s *total) Done() int64  { return s.n }

func init() {
	sql.Register("sqlite3_with_go", &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		if err := c.RegisterFunc("gofunc", func(x int64) int64 { return x + 1 }, true); err != nil {
			return err
		}
		if err := c.RegisterAggregator("gosum", func() *total { return &total{} }, true); err != nil {
			return err
		}
		return c.RegisterCollation("gocoll", strings.Compare)
	}})
}

// rowCount is how many rows the table has.
const rowCount = 1000

// open returns a database in memory with a table of rows.
func open(b *testing.B, rows int) *sql.DB {
	db, err := sql.Open("sqlite3_with_go", ":memory:")
	check(b, err)
	b.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1) // every connection has a memory of its own
	_, err = db.Exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, x INTEGER, value REAL, name TEXT)`)
	check(b, err)
	tx, err := db.Begin()
	check(b, err)
	for i := range rows {
		_, err := tx.Exec(`INSERT INTO t (id, x, value, name) VALUES (?, ?, ?, ?)`, i+1, i, float64(i)/4, fmt.Sprintf("%08d", i*7919%rows))
		check(b, err)
	}
	check(b, tx.Commit())
	return db
}

func check(b *testing.B, err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}

// number runs a query with one number as its answer.
func number(b *testing.B, db *sql.DB, query string, want int64) {
	b.ResetTimer()
	for range b.N {
		var n int64
		if err := db.QueryRow(query).Scan(&n); err != nil || n != want {
			b.Fatalf("%s: %d, %v, want %d", query, n, err, want)
		}
	}
}

// BenchmarkFunc100000 calls a Go function for each of 1e5 rows, and reads each.
func BenchmarkFunc100000(b *testing.B) {
	const rows = 100_000
	db := open(b, rows)
	b.ResetTimer()
	for range b.N {
		all, err := db.Query(`SELECT gofunc(x) FROM t`)
		check(b, err)
		var n, sum, x int64
		for all.Next() {
			check(b, all.Scan(&x))
			n, sum = n+1, sum+x
		}
		check(b, all.Err())
		check(b, all.Close())
		if n != rows || sum != rows*(rows+1)/2 {
			b.Fatalf("%d rows, sum %d", n, sum)
		}
	}
}

// BenchmarkFuncInC is the same where the rows stay in C.
func BenchmarkFuncInC(b *testing.B) {
	number(b, open(b, rowCount), `SELECT sum(gofunc(x)) FROM t`, rowCount*(rowCount+1)/2)
}

func BenchmarkAggregate(b *testing.B) {
	number(b, open(b, rowCount), `SELECT gosum(x) FROM t`, rowCount*(rowCount-1)/2)
}

// BenchmarkCollation sorts by a Go function, some 9000 comparisons.
func BenchmarkCollation(b *testing.B) {
	number(b, open(b, rowCount), `SELECT count(*) FROM (SELECT x FROM t ORDER BY name COLLATE gocoll LIMIT 1000)`, rowCount)
}

func BenchmarkScan(b *testing.B) {
	db := open(b, rowCount)
	s, err := db.Prepare(`SELECT id, value, name FROM t`)
	check(b, err)
	defer s.Close()
	b.ResetTimer()
	for range b.N {
		all, err := s.Query()
		check(b, err)
		n := 0
		for all.Next() {
			var id int64
			var value float64
			var name string
			check(b, all.Scan(&id, &value, &name))
			n++
		}
		check(b, all.Err())
		check(b, all.Close())
		if n != rowCount {
			b.Fatalf("%d rows", n)
		}
	}
}

func BenchmarkKey(b *testing.B) {
	db := open(b, rowCount)
	s, err := db.Prepare(`SELECT value, name FROM t WHERE id = ?`)
	check(b, err)
	defer s.Close()
	b.ResetTimer()
	for i := range b.N {
		var value float64
		var name string
		id := i*389%rowCount + 1
		if check(b, s.QueryRow(id).Scan(&value, &name)); value != float64(id-1)/4 {
			b.Fatalf("row %d is %v", id, value)
		}
	}
}

func BenchmarkInsert(b *testing.B) {
	db := open(b, 1)
	_, err := db.Exec(`CREATE TABLE copy (id INTEGER PRIMARY KEY, value REAL, name TEXT)`)
	check(b, err)
	s, err := db.Prepare(`INSERT INTO copy (value, name) VALUES (?, ?)`)
	check(b, err)
	defer s.Close()
	b.ResetTimer()
	for i := range b.N {
		_, err := s.Exec(float64(i), "sensor-00000")
		check(b, err)
	}
}
