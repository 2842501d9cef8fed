package main

import (
	"database/sql"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if want := "north-00  417 readings    7.0 ± 7.3 °C  -0.013 °C a day"; len(lines) != stations || lines[0] != want {
		t.Errorf("%d lines, the first one\n%s\nwant %d and\n%s", len(lines), lines[0], stations, want)
	}
}

func TestWarmest(t *testing.T) {
	one := lookup(t)
	if station, celsius, err := warmest(one, 180); err != nil || station != "north-11" || int(celsius) != 28 {
		t.Errorf("%s with %v (%v), want north-11 with 28.6", station, celsius, err)
	}
}

// Reading a table: four C calls a row and more.
func BenchmarkSummarise(b *testing.B) {
	db := open(b)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		all, err := summarise(db)
		if err != nil || len(all) != stations || all[0].n != (readings+stations-1)/stations {
			b.Fatalf("%d stations (%v), want %d", len(all), err, stations)
		}
	}
}

// Looking up rows by their key: a statement is bound, run and reset for each.
func BenchmarkWarmest(b *testing.B) {
	one := lookup(b)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if _, celsius, err := warmest(one, i%(readings/stations)); err != nil || celsius < -10 || celsius > 40 {
			b.Fatalf("%v °C (%v)", celsius, err)
		}
	}
}

func open(t testing.TB) *sql.DB {
	db, err := fill()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func lookup(t testing.TB) *sql.Stmt {
	one, err := open(t).Prepare(`SELECT station, celsius FROM reading WHERE id = ?`)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { one.Close() })
	return one
}
