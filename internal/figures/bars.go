package main

import "github.com/seamgo/seam/internal/results"

// A panel is bars that share a linear scale.
type panel struct {
	title string
	rows  []bar
}

// A bar shows a figure.
type bar struct {
	label, key string
	seam       bool // it is Seam's way

	words string  // "2.4 ns"
	value float64 // in nanoseconds
}

var panels = []panel{
	{"Go calls C", []bar{
		{label: "a call of Go, for comparison", key: "lab:Call/via=go"},
		{label: "leaf", key: "lab:Call/via=leaf", seam: true},
		{label: "cgo, integers", key: "lab:Call/via=cgo"},
		{label: "cgo, pointer that escapes", key: "lab:Call/via=cgo-ptr"},
	}},
	{"C calls Go", []bar{
		{label: "coro", key: "lab:Callback/via=coro", seam: true},
		{label: "cgo", key: "lab:Callback/via=cgo"},
	}},
	{"An unmodified module, rebuilt: h3-go v4.1.0, Resolution", []bar{
		{label: "welded", key: "weld:h3/Resolution/welded", seam: true},
		{label: "cgo", key: "weld:h3/Resolution/cgo"},
	}},
	{"go-sqlite3 v1.14.39, scan of 1000 rows", []bar{
		{label: "welded", key: "weld:sqlite/scan1000/welded", seam: true},
		{label: "cgo", key: "weld:sqlite/scan1000/cgo"},
	}},
}

// bars fills in the figures.
func bars(all results.All) ([]panel, error) {
	var found []panel
	for _, p := range panels {
		q := panel{title: p.title}
		for _, b := range p.rows {
			f, err := all.Find(b.key)
			if err != nil {
				return nil, err
			}
			f.Low, f.High = f.Value, f.Value
			b.words, b.value = f.Words(), f.Value
			q.rows = append(q.rows, b)
		}
		found = append(found, q)
	}
	return found, nil
}
