//go:build cgo

// Package sqlite measures github.com/mattn/go-sqlite3 as a program uses it:
// through database/sql.
package sqlite

import (
	"database/sql"
	"fmt"
	"testing"

	_ "github.com/mattn/go-sqlite3"
)

// rowCount is how many rows the table has that is read.
const rowCount = 1000

// A reading is a row: a whole number, a float and a text.
type reading struct {
	id    int64
	value float64
	name  string
}

// readingOf is row id of the table.
func readingOf(id int64) reading {
	return reading{id, float64(id) * 0.25, fmt.Sprintf("sensor-%05d", id%97)}
}

// sum adds up rows, so that a wrong one shows.
type sum struct {
	rows, ids, chars int64
	values           float64
}

func (s *sum) add(r reading) {
	s.rows++
	s.ids += r.id
	s.chars += int64(len(r.name))
	s.values += r.value
}

// whole is the sum of the table.
func whole() sum {
	var s sum
	for id := range int64(rowCount) {
		s.add(readingOf(id + 1))
	}
	return s
}

func BenchmarkWeld(b *testing.B) {
	for _, op := range []struct {
		name string
		run  func(*testing.B, *sql.DB)
	}{
		{"scan1000", scan},
		{"point", point},
		{"insert1000", insert},
	} {
		b.Run("mod=sqlite/op="+op.name, func(b *testing.B) {
			db := open(b)
			b.ReportAllocs()
			b.ResetTimer()
			op.run(b, db)
		})
	}
}

// scan reads the whole table once an iteration.
func scan(b *testing.B, db *sql.DB) {
	all := prepare(b, db, `SELECT id, value, name FROM reading`)
	want := whole()
	b.ResetTimer()
	for range b.N {
		rows, err := all.Query()
		check(b, err)
		var got sum
		for rows.Next() {
			var r reading
			check(b, rows.Scan(&r.id, &r.value, &r.name))
			got.add(r)
		}
		check(b, rows.Err())
		check(b, rows.Close())
		if got != want {
			b.Fatalf("the rows add up to %+v, want %+v", got, want)
		}
	}
}

// point reads one row by its primary key an iteration.
func point(b *testing.B, db *sql.DB) {
	one := prepare(b, db, `SELECT value, name FROM reading WHERE id = ?`)
	b.ResetTimer()
	for i := range b.N {
		// 389 has no factor in common with the number of rows: all are visited.
		got := reading{id: int64(i*389%rowCount) + 1}
		check(b, one.QueryRow(got.id).Scan(&got.value, &got.name))
		if got.value != float64(got.id)*0.25 || len(got.name) != len("sensor-00000") {
			b.Fatalf("row %d is %+v, want %+v", got.id, got, readingOf(got.id))
		}
	}
}

// insert writes rowCount rows in one transaction an iteration.
func insert(b *testing.B, db *sql.DB) {
	exec(b, db, `CREATE TABLE copy (id INTEGER PRIMARY KEY, value REAL, name TEXT)`)
	var rows []reading
	for id := range int64(rowCount) {
		rows = append(rows, readingOf(id+1))
	}
	b.ResetTimer()
	for range b.N {
		tx, err := db.Begin()
		check(b, err)
		one, err := tx.Prepare(`INSERT INTO copy (id, value, name) VALUES (?, ?, ?)`)
		check(b, err)
		for i := range rows {
			r := &rows[i]
			done, err := one.Exec(r.id, r.value, r.name)
			check(b, err)
			if id, err := done.LastInsertId(); err != nil || id != r.id {
				b.Fatalf("inserted row %d (%v), want %d", id, err, r.id)
			}
		}
		check(b, one.Close())
		check(b, tx.Commit())

		b.StopTimer()
		done, err := db.Exec(`DELETE FROM copy`)
		check(b, err)
		if n, err := done.RowsAffected(); err != nil || n != rowCount {
			b.Fatalf("%d rows were inserted (%v), want %d", n, err, rowCount)
		}
		b.StartTimer()
	}
}

// open returns a database in memory with the table that is read.
func open(b *testing.B) *sql.DB {
	db, err := sql.Open("sqlite3", ":memory:")
	check(b, err)
	b.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1) // every connection has a memory of its own
	exec(b, db, `CREATE TABLE reading (id INTEGER PRIMARY KEY, value REAL, name TEXT)`)
	tx, err := db.Begin()
	check(b, err)
	for id := range int64(rowCount) {
		r := readingOf(id + 1)
		_, err := tx.Exec(`INSERT INTO reading (id, value, name) VALUES (?, ?, ?)`, r.id, r.value, r.name)
		check(b, err)
	}
	check(b, tx.Commit())
	return db
}

func prepare(b *testing.B, db *sql.DB, query string) *sql.Stmt {
	s, err := db.Prepare(query)
	check(b, err)
	b.Cleanup(func() { s.Close() })
	return s
}

func exec(b *testing.B, db *sql.DB, query string) {
	_, err := db.Exec(query)
	check(b, err)
}

func check(b *testing.B, err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}
