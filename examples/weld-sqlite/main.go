// Command weld-sqlite is a program that keeps its data in an embedded SQLite and
// pays for it: reading a table takes several C calls a row. It knows nothing of Seam.
// Three commands make it faster without changing a line of it:
//
//	seam trace -- go test -bench .     which C calls there are, and what they cost
//	seam plan                          which of them can be fast: seam.plan, to read and commit
//	seam weld -- go run .              the same program, built with the plan
//
// To see what was gained, from the root of Seam's repository:
//
//	go run ./bench/cmd/weldbench -pkg ./examples/weld-sqlite
package main

import (
	"database/sql"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"

	_ "github.com/mattn/go-sqlite3"
)

const (
	stations = 12
	readings = 5000
)

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	db, err := fill()
	if err != nil {
		return err
	}
	defer db.Close()
	all, err := summarise(db)
	if err != nil {
		return err
	}
	for _, s := range all {
		fmt.Fprintf(w, "%-8s %4d readings  %5.1f ± %3.1f °C  %+.3f °C a day\n", s.name, s.n, s.mean(), s.deviation(), s.trend())
	}
	return nil
}

// fill returns a database in memory with the readings of some weather stations,
// the same ones every time.
func fill() (*sql.DB, error) {
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // every connection has a memory of its own
	if _, err := db.Exec(`CREATE TABLE reading (id INTEGER PRIMARY KEY, station TEXT, day INTEGER, celsius REAL)`); err != nil {
		return nil, err
	}
	tx, err := db.Begin()
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() // does nothing after Commit
	insert, err := tx.Prepare(`INSERT INTO reading (station, day, celsius) VALUES (?, ?, ?)`)
	if err != nil {
		return nil, err
	}
	defer insert.Close()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range readings {
		station, day := i%stations, i/stations
		celsius := 8 + float64(station) - 10*math.Cos(2*math.Pi*float64(day)/365) + random.NormFloat64()
		if _, err := insert.Exec(fmt.Sprintf("north-%02d", station), day, celsius); err != nil {
			return nil, err
		}
	}
	return db, tx.Commit()
}

// A summary collects the readings of a station.
type summary struct {
	name                                string
	n                                   int
	days, days2, celsius, celsius2, mix float64 // sums, of squares and of products
}

func (s *summary) add(day, celsius float64) {
	s.n++
	s.days += day
	s.days2 += day * day
	s.celsius += celsius
	s.celsius2 += celsius * celsius
	s.mix += day * celsius
}

func (s *summary) mean() float64 { return s.celsius / float64(s.n) }

func (s *summary) deviation() float64 {
	return math.Sqrt(s.celsius2/float64(s.n) - s.mean()*s.mean())
}

// trend is the slope of the line through the readings.
func (s *summary) trend() float64 {
	n := float64(s.n)
	return (n*s.mix - s.days*s.celsius) / (n*s.days2 - s.days*s.days)
}

// summarise reads the whole table.
func summarise(db *sql.DB) ([]summary, error) {
	rows, err := db.Query(`SELECT station, day, celsius FROM reading`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []summary
	index := map[string]int{}
	for rows.Next() {
		var station string
		var day, celsius float64
		if err := rows.Scan(&station, &day, &celsius); err != nil {
			return nil, err
		}
		i, ok := index[station]
		if !ok {
			i = len(all)
			index[station] = i
			all = append(all, summary{name: station})
		}
		all[i].add(day, celsius)
	}
	return all, rows.Err()
}

// warmest returns the warmest reading of a day. It asks by primary key, a row a
// query, as programs do that think in objects.
func warmest(one *sql.Stmt, day int) (station string, celsius float64, err error) {
	celsius = math.Inf(-1)
	for i := range stations {
		var s string
		var c float64
		if err := one.QueryRow(day*stations+i+1).Scan(&s, &c); err != nil {
			return "", 0, err
		}
		if c > celsius {
			station, celsius = s, c
		}
	}
	return station, celsius, nil
}
