//go:build linux

package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"

	"github.com/seamgo/seam/bench/internal/paired"
	"github.com/seamgo/seam/bench/internal/table"
	"github.com/seamgo/seam/internal/results"
)

// results are what documents say of the measurement: PROGRAM/TOOL/time is how many times as long the program
// takes, sites/TOOL/SITE the bytes that are found (the mean of all runs, the least and the most), and
// sites/TOOL/go how many sites have their caller in Go.
func (m *measurement) results(command string) results.Result {
	r := results.Here(command)
	r.Set("rounds", strconv.Itoa(m.rounds))
	if m.loaded() {
		r.Set("loaded", fmt.Sprintf("%.1f before it began: other work ran beside it", m.before))
	}
	for _, t := range tools(m.seam) {
		if err := m.missing[t.name]; err != nil {
			r.Set(t.name, err.Error())
		}
	}
	for _, x := range m.rows {
		s := x.overhead()
		r.Add(x.program+"/"+x.tool+"/time", "×", s.Ratio, s.Lo, s.Hi)
	}
	r.Add("sites/truth", "B", held, held, held)
	for _, t := range tools(m.seam) {
		if m.missing[t.name] != nil {
			continue
		}
		for _, s := range sites {
			runs := m.live[t.name][s.name]
			r.Add("sites/"+t.name+"/"+s.name, "B", mean(runs), slices.Min(runs), slices.Max(runs))
		}
		n := float64(len(m.callers[t.name]))
		r.Add("sites/"+t.name+"/go", "", n, n, n)
	}
	return r
}

// loaded says whether the machine was busy before this began.
func (m *measurement) loaded() bool { return m.before > 0.5*float64(runtime.NumCPU()) }

func (m *measurement) report(w io.Writer) error {
	fmt.Fprintf(w, "%d rounds of 2 × 2 processes, intervals of %.0f %%", m.rounds, paired.Confidence*100)
	if m.loaded() {
		fmt.Fprintf(w, "; load %.1f before they began: other work ran beside them", m.before)
	}
	fmt.Fprint(w, "\n\n")
	columns := []table.Column{{Head: "profiler"}}
	for _, p := range programs {
		columns = append(columns, table.Column{Head: p, Right: true}, table.Column{Head: "interval", Right: true})
	}
	for _, s := range sites {
		columns = append(columns, table.Column{Head: s.name, Right: true})
	}
	columns = append(columns, table.Column{Head: "Go's callers", Right: true})
	var rows [][]table.Cell
	for _, t := range tools(m.seam) {
		row := []table.Cell{{Text: t.name}}
		if err := m.missing[t.name]; err != nil {
			row = append(row, table.Cell{Text: err.Error(), Tone: table.Faint})
			for len(row) < len(columns) {
				row = append(row, table.Cell{})
			}
			rows = append(rows, row)
			continue
		}
		for _, x := range m.rows {
			if x.tool == t.name {
				s := x.overhead()
				row = append(row, table.Cell{Text: s.String(), Tone: table.Bold}, table.Cell{Text: s.Interval(), Tone: table.Faint})
			}
		}
		for _, s := range sites {
			row = append(row, table.Cell{Text: fmt.Sprintf("%.1f MB", mean(m.live[t.name][s.name])/1e6)})
		}
		rows = append(rows, append(row, table.Cell{Text: fmt.Sprintf("%d of %d", len(m.callers[t.name]), len(sites))}))
	}
	if err := table.Write(w, columns, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nEach site holds %.1f MB.\n", held/1e6)
	return err
}
