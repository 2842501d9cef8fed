package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seamgo/seam/bench/internal/paired"
	"github.com/seamgo/seam/bench/internal/table"
)

// report prints the table and returns how many goals are missed.
func (m *measurement) report(w io.Writer) (missed int, err error) {
	for _, f := range m.facts {
		if cpu, ok := strings.CutPrefix(f, "cpu: "); ok {
			fmt.Fprintf(w, "%s, ", cpu)
		}
	}
	fmt.Fprintf(w, "%d rounds of 2 × 2 processes, intervals of %.0f %%\n\n", m.rounds, paired.Confidence*100)

	columns := []table.Column{{Head: "benchmark"}, {Head: "cgo", Right: true}, {Head: "weld", Right: true},
		{Head: "faster", Right: true}, {Head: "interval", Right: true}, {Head: "allocs", Right: true}}
	withGoals := m.pkg == ""
	if withGoals {
		columns = append(columns, table.Column{Head: "goal", Right: true}, table.Column{Head: ""})
	}
	var rows [][]table.Cell
	add := func(cells []table.Cell, g goal, ok bool) {
		if withGoals {
			said, tone := "", table.Plain
			switch {
			case g == goal{}:
			case ok:
				said, tone = "reached", table.Good
			default:
				said, tone = "missed", table.Bad
				missed++
			}
			cells = append(cells, table.Cell{Text: g.String(), Tone: table.Faint}, table.Cell{Text: said, Tone: tone})
		}
		rows = append(rows, cells)
	}
	var all [][]float64
	for _, b := range m.benchmarks {
		logs := b.logs()
		all = append(all, logs)
		s := paired.Of(logs)
		old, _ := b.median(viaCgo, unitTime)
		now, _ := b.median(viaWeld, unitTime)
		oldAllocs, _ := b.median(viaCgo, unitAllocs)
		allocs, _ := b.median(viaWeld, unitAllocs)
		g := goals[b.name]
		add([]table.Cell{{Text: strings.TrimPrefix(b.name, "Weld/")}, {Text: table.Duration(old * 1e9)}, {Text: table.Duration(now * 1e9)},
			{Text: s.String(), Tone: table.Bold}, {Text: s.Interval(), Tone: table.Faint},
			{Text: change(oldAllocs, allocs)}}, g, g.reached(s, allocs))
	}
	if len(all) > 1 {
		s := paired.GeometricMean(all)
		g := goal{}
		if withGoals && len(m.targets) == len(modules) {
			g = goalOfAll
		}
		add([]table.Cell{{Text: "geometric mean"}, {}, {}, {Text: s.String(), Tone: table.Bold},
			{Text: s.Interval(), Tone: table.Faint}, {}}, g, g.reached(s, 0))
	}
	return missed, table.Write(w, columns, rows)
}

// change is a count before and after, once if they are the same.
func change(before, after float64) string {
	a, b := strconv.FormatFloat(before, 'f', 0, 64), strconv.FormatFloat(after, 'f', 0, 64)
	if a == b {
		return a
	}
	return a + " → " + b
}
