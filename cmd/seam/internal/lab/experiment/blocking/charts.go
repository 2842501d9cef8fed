package blocking

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

func (t analysis) charts() {
	for _, c := range []struct {
		title, caption, label, unit, draw string
	}{
		{"How late others run", fmt.Sprintf("99th percentile of a goroutine that wants to run every %s.", short(period)), "late by", unitLate, "ns"},
		{"Threads", "All threads of the process, with its calls in progress.", "threads", unitThreads, ""},
		{"Calls a second", fmt.Sprintf("Answers take %s, and %s for each goroutine where that is more.", short(least), short(share)), "calls a second", unitRate, ""},
	} {
		chart := t.lines(c.unit)
		chart.Title, chart.Caption, chart.YLabel, chart.Unit = c.title, c.caption, c.label, c.draw
		t.Draw(chart)
	}
	t.Draw(result.Chart{Kind: result.Grid, Title: "Blocking calls and the rest of the program", Table: t.grid()})
}

// lines draws a unit against the number of goroutines. A line takes two points.
func (t analysis) lines(unit string) result.Chart {
	chart := result.Chart{Kind: result.Lines, XLabel: "goroutines that call C"}
	for _, via := range vias {
		line := result.Line{Label: labels[via], Look: colours[via]}
		for _, n := range allSizes {
			if s := t.Find(name(via, n), unit); s != nil && s.Median > 0 {
				line.Points = append(line.Points, result.Point{X: float64(n), Y: s.Median, Lo: s.Lo, Hi: s.Hi})
			}
		}
		if len(line.Points) > 1 {
			chart.Lines = append(chart.Lines, line)
		}
	}
	return chart
}

func (t analysis) grid() *result.Table {
	grid := &result.Table{Head: []string{"n", "C by", "calls/s", "late (p99)", "threads", "memory/call", "inside C", "P use"}}
	for _, n := range allSizes {
		for _, via := range vias {
			t.Row(grid, []string{count(float64(n)), labels[via]}, []lab.Cell{
				{Name: name(via, n), Unit: unitRate, Write: quantity.Number},
				{Name: name(via, n), Unit: unitLate, Write: quantity.Time},
				{Name: name(via, n), Unit: unitThreads, Write: count},
				{Name: name(via, n), Unit: unitMemory, Write: quantity.Bytes},
				{Name: notInGoName(via, n), Unit: unitShare, Write: percent},
				{Name: usedName(via, n), Unit: unitShare, Write: percent},
			})
		}
	}
	return grid
}

func percent(v float64) string { return fmt.Sprintf("%.0f %%", v) }

// colours are those of the ways: Seam's have the accent.
var colours = map[string]int{viaCoro: 1, viaOffload: 6, viaCgo: 2, viaSemaphore: 3}
