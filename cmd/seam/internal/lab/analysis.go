package lab

import (
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// An Analysis reads what an experiment measured, and adds to it what that means.
// Experiments' Explain functions use it.
type Analysis struct{ *result.Experiment }

// Median is that of a series, if it was measured.
func (a Analysis) Median(name, unit string) (float64, bool) {
	if s := a.Find(name, unit); s != nil {
		return s.Median, true
	}
	return 0, false
}

// Value is that of a series, 0 if it was not measured.
func (a Analysis) Value(name, unit string) float64 {
	v, _ := a.Median(name, unit)
	return v
}

// Bars returns the chart with a bar for each of the series that was measured.
func (a Analysis) Bars(c result.Chart, unit string, names ...string) result.Chart {
	c.Kind = result.Bars
	for _, name := range names {
		if s := a.Find(name, unit); s != nil {
			c.Bars = append(c.Bars, s.Bar())
		}
	}
	return c
}

// Draw adds those charts that have something to show: two bars to compare, a line, a
// stack, a row.
func (a Analysis) Draw(charts ...result.Chart) {
	for _, c := range charts {
		if len(c.Bars) > 1 || len(c.Lines) > 0 || len(c.Stacks) > 0 || c.Table != nil && len(c.Table.Rows) > 0 {
			a.Charts = append(a.Charts, c)
		}
	}
}

// A Cell is a place in a table for the median of a series.
type Cell struct {
	Name, Unit string
	Write      func(float64) string
}

// Row adds a row to the table: its heads, then its cells. One without figures is left out.
func (a Analysis) Row(t *result.Table, heads []string, cells []Cell, more ...string) {
	row, measured := heads, false
	for _, c := range cells {
		text := quantity.Missing
		if v, ok := a.Median(c.Name, c.Unit); ok {
			text, measured = c.Write(v), true
		}
		row = append(row, text)
	}
	if measured {
		t.Rows = append(t.Rows, append(row, more...))
	}
}

// List joins words as a sentence does: "a, b and c".
func List(words []string, conjunction string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " " + conjunction + " " + words[last]
}
