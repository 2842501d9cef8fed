package grid

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// measured returns a run on a made-up machine: a cgo call of 37 ns, a leaf call
// of 4, a Go call of 2, a quarter of a ns a step.
func measured() *result.Experiment {
	e := &result.Experiment{Name: "grid"}
	ns := func(k kind, v via, count int64) float64 {
		call := map[via]float64{viaGo: 2, viaCgo: 37, viaLeaf: 4}[v]
		step := map[kind]float64{fold: 0.25, nofold: 2}[k]
		if k == fold && v != viaGo {
			step = 0
		}
		return call + step*float64(count)
	}
	for _, k := range kinds {
		for _, row := range reference.Grid {
			for _, v := range vias {
				e.Series = append(e.Series, series(seriesName(row.Count, k, v), "ns/op", ns(k, v, row.Count)))
				if v != viaGo {
					ratio := ns(k, v, row.Count) / ns(k, viaGo, row.Count)
					e.Comparisons = append(e.Comparisons, result.Comparison{
						Name: seriesName(row.Count, k, v), Base: seriesName(row.Count, k, viaGo), Unit: "ns/op",
						Ratio: ratio, Lo: ratio * 0.99, Hi: ratio * 1.01,
					})
				}
				if k == fold {
					for i, n := range callsOf(lab.Quick) {
						e.Series = append(e.Series, series(callsName(row.Count, v, n), "ns/op", ns(k, v, row.Count)*(1+0.01*float64(i))))
					}
				}
			}
		}
	}
	e.Series = append(e.Series,
		series(breakEvenName(fold, viaCgo), "count", 140), series(breakEvenName(fold, viaCgo), "ns", 37),
		series(breakEvenName(fold, viaLeaf), "count", 8), series(breakEvenName(fold, viaLeaf), "ns", 4),
	)
	for _, v := range crossings {
		e.Series = append(e.Series, result.Series{Name: breakEvenName(nofold, v), NotMeasured: "none up to count 1000000: C does this work no faster than Go"})
	}
	return e
}

func series(name, unit string, v float64) result.Series {
	return result.Series{Name: name, Unit: unit, Median: v, Lo: v * 0.98, Hi: v * 1.02}
}

// without drops the series and comparisons whose name holds the part.
func without(e *result.Experiment, part string) *result.Experiment {
	e.Series = slices.DeleteFunc(e.Series, func(s result.Series) bool { return strings.Contains(s.Name, part) })
	e.Comparisons = slices.DeleteFunc(e.Comparisons, func(c result.Comparison) bool { return strings.Contains(c.Name, part) })
	return e
}

func TestCharts(t *testing.T) {
	e := measured()
	explain(e)
	times, ratios, table := e.Charts[0], e.Charts[2], e.Charts[3]

	if len(times.Lines) != 3 || len(times.Lines[0].Points) != len(reference.Grid) {
		t.Errorf("times: %d lines, want 3 of %d points: %+v", len(times.Lines), len(reference.Grid), times.Lines)
	}
	if len(times.Marks) != 2 || times.Marks[0].X != 140 || times.Marks[0].Lo >= 140 || times.Marks[0].Hi <= 140 {
		t.Errorf("marks of fold: %+v, want the break-even of cgo, with its interval, and of leaf", times.Marks)
	}
	if n := len(e.Charts[1].Marks); n != 0 {
		t.Errorf("%d marks of nofold, want none", n)
	}
	last := ratios.Lines[len(ratios.Lines)-1]
	if len(ratios.Lines) != 3 || !last.Dashed || last.Points[0].Y != 12 {
		t.Errorf("ratios: %+v, want cgo/go, leaf/go and the published one dashed", ratios.Lines)
	}
	if got, want := len(table.Table.Rows), len(reference.Grid)*len(reference.GridCalls); got != want {
		t.Errorf("%d rows, want %d", got, want)
	}
	for _, row := range table.Table.Rows {
		if len(row) != len(table.Table.Head) {
			t.Fatalf("row %q has %d cells, want %d", row, len(row), len(table.Table.Head))
		}
	}
	if got, want := fmt.Sprint(table.Table.Rows[0]), "[10 500 4.50 37.0 4.00]"; got != want {
		t.Errorf("first row %s, want %s", got, want)
	}
}

func TestTableWithoutC(t *testing.T) {
	e := without(without(measured(), "via=leaf"), "via=cgo")
	explain(e)
	table := e.Charts[len(e.Charts)-1].Table
	if got, want := fmt.Sprint(table.Rows[0]), "[10 500 4.50 – –]"; got != want {
		t.Errorf("first row %s, want %s", got, want)
	}
}
