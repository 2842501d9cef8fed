package main

import (
	"fmt"
	"strconv"

	"github.com/seamgo/seam/bench/internal/paired"
	"github.com/seamgo/seam/bench/internal/table"
)

func (m *measurement) report() error {
	fmt.Fprintf(m.stdout, "codec: %d rounds of a process each, medians, ratios of times to the best peer, intervals of %.0f %%\n\n",
		m.rounds, paired.Confidence*100)
	columns := []table.Column{{Head: "operation"}, {Head: "message"}, {Head: "library"}, {Head: "time", Right: true},
		{Head: "allocs", Right: true}, {Head: "bytes", Right: true}, {Head: "ratio", Right: true}, {Head: "interval", Right: true}}
	var rows [][]table.Cell
	for _, s := range m.series {
		row := []table.Cell{{Text: s.Op}, {Text: s.Msg}, {Text: s.Lib},
			{Text: table.Duration(s.median(func(r sample) float64 { return r.Time }))},
			{Text: strconv.FormatFloat(s.median(func(r sample) float64 { return r.Allocs }), 'f', 0, 64)},
			{Text: table.Size(s.median(func(r sample) float64 { return r.Bytes }))}, {}, {}}
		switch best := m.best(s.Op, s.Msg); best {
		case nil:
		case s:
			row[6] = table.Cell{Text: "best peer", Tone: table.Faint}
		default:
			r := s.ratio(best)
			tone := table.Plain
			switch {
			case r.Hi < 1:
				tone = table.Good
			case r.Lo > 1:
				tone = table.Bad
			}
			row[6], row[7] = table.Cell{Text: ratio(r.Ratio), Tone: tone}, table.Cell{Text: interval(r), Tone: table.Faint}
		}
		rows = append(rows, row)
	}
	if err := table.Write(m.stdout, columns, rows); err != nil {
		return err
	}
	return m.reportGoals()
}
