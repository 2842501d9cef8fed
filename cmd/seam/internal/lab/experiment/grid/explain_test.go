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

func TestExplain(t *testing.T) {
	slowCgo := measured()
	for i := range slowCgo.Comparisons {
		if c := &slowCgo.Comparisons[i]; strings.HasSuffix(c.Name, "work=1000/kind=fold/via=cgo") {
			c.Ratio, c.Lo, c.Hi = 0.216, 0.21, 0.22
		}
	}
	overlap := measured()
	for i := range overlap.Series {
		if s := &overlap.Series[i]; s.Name == seriesName(50, fold, viaGo) {
			s.Median, s.Lo, s.Hi = 10.5, 10.4, 10.6
		}
	}
	chance := without(measured(), "breakeven/kind=nofold")
	chance.Rounds = 5
	for i := range chance.Series {
		for round := range 5 {
			chance.Series[i].Samples = append(chance.Series[i].Samples, result.Sample{Round: round})
		}
	}
	for _, unit := range []string{"count", "ns"} {
		s := series(breakEvenName(nofold, viaCgo), unit, 5e5)
		s.Samples = []result.Sample{{Round: 2}, {Round: 2}}
		chance.Series = append(chance.Series, s)
	}
	loop := measured()
	for i := range loop.Series {
		if s := &loop.Series[i]; s.Name == seriesName(10000, fold, viaCgo) {
			s.Median = 2600
		}
	}
	late := measured()
	for i := range late.Series {
		if s := &late.Series[i]; s.Name == breakEvenName(fold, viaCgo) && s.Unit == "count" {
			s.Median, s.Lo, s.Hi = 900, 850, 950
		}
	}
	paying := without(measured(), "breakeven/kind=nofold")
	paying.Series = append(paying.Series, series(breakEvenName(nofold, viaLeaf), "count", 1200), series(breakEvenName(nofold, viaLeaf), "ns", 2400))

	for _, c := range []struct {
		name    string
		e       *result.Experiment
		want    []string
		wantNot []string
		charts  int
	}{
		{
			name: "everything",
			e:    measured(),
			want: []string{
				"pays off through cgo from 37.0 ns of Go work (36.3 to 37.7; count 140, 137 to 143), through leaf from 4.00 ns",
				"twice as fast as Go pays off from twice that: through cgo from 74.0 ns, through leaf from 8.00 ns",
				"through cgo has no break-even: none up to count 1000000: C does this work no faster than Go. At count 10000 C takes 1.002 times",
				"through leaf has no break-even",
				"fold through cgo takes 37.0 ns at count 10 and 37.0 ns at count 10000",
				"fold through leaf takes 4.00 ns",
				"count 10: 8.22 (published 12)",
				"a cgo call takes 0.64 times as long here",
				"between count 100 and 500; here it is 140 (137 to 143), which lies inside that",
				"changes the time of one call by 3.0 %",
				"1/1000 as long as the published ones",
			},
			wantNot: []string{"a step of the sum", "disturbed", "NaN"},
			charts:  4,
		},
		{
			name:    "an interval that holds the published figure agrees",
			e:       slowCgo,
			wantNot: []string{"count 1000:"},
			charts:  4,
		},
		{
			name:   "a short loop that is faster than its steps",
			e:      overlap,
			want:   []string{"a step of the sum takes 0.25 ns (from count 5000 to 10000), yet count 50 (10.5 ns) takes less"},
			charts: 4,
		},
		{
			name:    "a time that grows with the work",
			e:       loop,
			want:    []string{"fold through cgo takes 70.3 times as long at count 10000", "disturbed"},
			wantNot: []string{"fold through cgo takes 37"},
			charts:  4,
		},
		{
			name:   "break-even beyond the published one",
			e:      late,
			want:   []string{"here it is 900 (850 to 950), which lies above that"},
			charts: 4,
		},
		{
			name:    "break-even of nofold found through leaf only",
			e:       paying,
			want:    []string{"a call through leaf pays off from 2,400 ns of Go work (count 1,200"},
			wantNot: []string{"no break-even"},
			charts:  4,
		},
		{
			name:    "break-even of nofold found by chance",
			e:       chance,
			want:    []string{"A break-even of nofold through cgo was found in 1 of 5 processes only", "pays off through cgo from 37.0 ns"},
			wantNot: []string{"500000"},
			charts:  4,
		},
		{
			name:    "no leaf",
			e:       without(measured(), "via=leaf"),
			want:    []string{"pays off through cgo from 37.0"},
			wantNot: []string{"leaf"},
			charts:  4,
		},
		{
			name:    "no C at all",
			e:       without(without(measured(), "via=leaf"), "via=cgo"),
			want:    []string{"number of calls"},
			wantNot: []string{"leaf", "cgo", "NaN", "Inf"},
			charts:  3,
		},
		{
			name:    "no Go",
			e:       without(measured(), "via=go"),
			want:    []string{"differs at count 10: 8.22 (published 12)"},
			wantNot: []string{"NaN", "Inf", "moved more"},
			charts:  4,
		},
		{
			name:    "no break-even",
			e:       without(measured(), "breakeven"),
			wantNot: []string{"pays off", "no break-even", "NaN"},
			charts:  4,
		},
		{
			name:   "no runs of fixed length",
			e:      without(measured(), "/calls="),
			want:   []string{"pays off"},
			charts: 3,
		},
		{
			name: "nothing",
			e:    &result.Experiment{},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			explain(c.e)
			text := strings.Join(append(slices.Clone(c.e.Findings), c.e.Notes...), "\n")
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in:\n%s", want, text)
				}
			}
			for _, not := range c.wantNot {
				if strings.Contains(text, not) {
					t.Errorf("%q in:\n%s", not, text)
				}
			}
			if len(c.e.Charts) != c.charts {
				t.Errorf("%d charts, want %d", len(c.e.Charts), c.charts)
			}
		})
	}
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
	if got, want := fmt.Sprint(table.Table.Rows[0]), "[10 500 4.50 37.0 4.00 8.22 12 0.89]"; got != want {
		t.Errorf("first row %s, want %s", got, want)
	}
}

func TestTableWithoutC(t *testing.T) {
	e := without(without(measured(), "via=leaf"), "via=cgo")
	explain(e)
	table := e.Charts[len(e.Charts)-1].Table
	if got, want := fmt.Sprint(table.Rows[0]), "[10 500 4.50 – – – 12 –]"; got != want {
		t.Errorf("first row %s, want %s", got, want)
	}
}
