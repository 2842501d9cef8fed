package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seamgo/seam/bench/internal/paired"
	"github.com/seamgo/seam/bench/internal/table"
	"github.com/seamgo/seam/internal/results"
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

// results are what documents say of the measurement: OPERATION/MESSAGE/LIBRARY is a time,
// and with /ratio that to the best peer's.
func (m *measurement) results(command string) results.Result {
	r := results.Here(command)
	r.Set("rounds", strconv.Itoa(m.rounds))
	for _, s := range m.series {
		name := fmt.Sprintf("%s/%s/%s", s.Op, s.Msg, s.Lib)
		if len(m.heaps) > 1 {
			name += fmt.Sprintf("/heap=%d", s.heap)
		}
		t := s.median(func(r sample) float64 { return r.Time })
		r.Add(name, "ns", t, t, t)
		a := s.median(func(r sample) float64 { return r.Allocs })
		r.Add(name+"/allocs", "", a, a, a)
		if best := m.best(s.Op, s.Msg, s.heap); best != nil && best != s {
			q := s.ratio(best)
			r.Add(name+"/ratio", "×", q.Ratio, q.Lo, q.Hi)
		} else if best == s {
			r.Add(fmt.Sprintf("%s/%s/best", s.Op, s.Msg)+strings.TrimPrefix(name, fmt.Sprintf("%s/%s/%s", s.Op, s.Msg, s.Lib)), "ns", t, t, t)
		}
	}
	return r
}
