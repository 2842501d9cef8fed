package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A panel is bars that share a linear scale.
type panel struct {
	title string
	rows  []row
}

// A row is a bar. Its figure stands in the README, in the table row that begins with
// from, in the column that is the n-th after it.
type row struct {
	label string
	from  string
	n     int
	seam  bool // it is Seam's way

	words string  // "2.4 ns"
	value float64 // in nanoseconds
}

var panels = []panel{
	{"Go calls C", []row{
		{label: "a call of Go, for comparison", from: "Go call, not inlined", n: 1},
		{label: "leaf", from: "C call through `leaf`", n: 1, seam: true},
		{label: "cgo, integers", from: "C call through cgo, integers", n: 1},
		{label: "cgo, pointer that escapes", from: "C call through cgo, pointer that escapes", n: 1},
	}},
	{"C calls Go", []row{
		{label: "coro", from: "C calls a Go function", n: 2, seam: true},
		{label: "cgo", from: "C calls a Go function", n: 1},
	}},
	{"An unmodified module, rebuilt: h3-go, Resolution", []row{
		{label: "welded", from: "h3-go v4.1.0: Resolution", n: 2, seam: true},
		{label: "cgo", from: "h3-go v4.1.0: Resolution", n: 1},
	}},
	{"go-sqlite3 v1.14.39, scan of 1000 rows", []row{
		{label: "welded", from: "go-sqlite3 v1.14.39: scan of 1000 rows", n: 2, seam: true},
		{label: "cgo", from: "go-sqlite3 v1.14.39: scan of 1000 rows", n: 1},
	}},
}

// find fills in the figures.
func find(readme string) ([]panel, error) {
	var found []panel
	for _, p := range panels {
		q := panel{title: p.title}
		for _, r := range p.rows {
			cell, err := cellOf(readme, r.from, r.n)
			if err != nil {
				return nil, err
			}
			if r.words, r.value, err = figure(cell); err != nil {
				return nil, fmt.Errorf("README.md, row %q: %w", r.from, err)
			}
			q.rows = append(q.rows, r)
		}
		found = append(found, q)
	}
	return found, nil
}

// cellOf is the n-th cell after the one that says what the row is of.
func cellOf(text, from string, n int) (string, error) {
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) > n+2 && strings.TrimSpace(cells[1]) == from {
			return cells[1+n], nil
		}
	}
	return "", fmt.Errorf("README.md has no row of a table that begins with %q and has %d more cells", from, n)
}

var number = regexp.MustCompile(`(\d[\d.]*)(?: or [\d.]+)? (ns|µs|ms)`)

// figure is the first time in a cell, in words and in nanoseconds.
func figure(cell string) (string, float64, error) {
	m := number.FindStringSubmatch(cell)
	if m == nil {
		return "", 0, fmt.Errorf("%q begins with no time", strings.TrimSpace(cell))
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return "", 0, err
	}
	return m[1] + " " + m[2], v * map[string]float64{"ns": 1, "µs": 1e3, "ms": 1e6}[m[2]], nil
}
