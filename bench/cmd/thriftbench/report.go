package main

import (
	"fmt"
	"strconv"

	"github.com/seamgo/seam/bench/internal/paired"
	"github.com/seamgo/seam/bench/internal/table"
)

func (m *measurement) report() error {
	how := "a process each"
	if m.together {
		how = "one process in which the libraries take turns, processor time"
	}
	fmt.Fprintf(m.stdout, "codec: %d rounds of %s, medians, ratios of times to the best peer, intervals of %.0f %%\n\n",
		m.rounds, how, paired.Confidence*100)
	columns := []table.Column{{Head: "operation"}, {Head: "message"}, {Head: "library"}, {Head: "allocs", Right: true}, {Head: "bytes", Right: true}}
	for _, heap := range m.heaps {
		columns = append(columns, table.Column{Head: fmt.Sprintf("heap %d MB", heap), Right: true}, table.Column{Head: "ratio", Right: true}, table.Column{Head: "interval", Right: true})
	}
	var rows [][]table.Cell
	for _, s := range m.series {
		if s.heap != m.heaps[0] {
			continue
		}
		row := []table.Cell{{Text: s.Op}, {Text: s.Msg}, {Text: s.Lib},
			{Text: strconv.FormatFloat(s.median(func(r sample) float64 { return r.Allocs }), 'f', 0, 64)},
			{Text: table.Size(s.median(func(r sample) float64 { return r.Bytes }))}}
		for _, heap := range m.heaps {
			row = append(row, m.against(m.find(s.Op, s.Msg, s.Lib, heap))...)
		}
		rows = append(rows, row)
	}
	if err := table.Write(m.stdout, columns, rows); err != nil {
		return err
	}
	return m.reportGoals()
}

// against is the time of a series, its ratio to the best peer's, and the interval.
func (m *measurement) against(s *series) []table.Cell {
	cells := []table.Cell{{Text: table.Duration(s.median(func(r sample) float64 { return r.Time }))}, {}, {}}
	switch best := m.best(s.Op, s.Msg, s.heap); best {
	case nil:
	case s:
		cells[1] = table.Cell{Text: "best peer", Tone: table.Faint}
	default:
		r := s.ratio(best)
		tone := table.Plain
		switch {
		case r.Hi < 1:
			tone = table.Good
		case r.Lo > 1:
			tone = table.Bad
		}
		cells[1], cells[2] = table.Cell{Text: ratio(r.Ratio), Tone: tone}, table.Cell{Text: interval(r), Tone: table.Faint}
	}
	return cells
}
