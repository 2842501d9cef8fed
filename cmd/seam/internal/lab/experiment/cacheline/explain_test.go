package cacheline

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

type figure struct{ name, unit string }

// usual are figures as of a run in which aligning pays.
func usual() map[figure]float64 {
	all := map[figure]float64{}
	for k, shape := range shapes {
		for i, layout := range layouts {
			for j, s := range sets {
				all[figure{name(layout, shape, s), unitTime}] = float64(10*(j+1)+k) + []float64{6, 3, 0, 9}[i]
			}
			n := linesName(layout, shape)
			all[figure{n, unitLines}] = float64(k+1) + []float64{0.59, 0.75, 0, 1}[i]
			all[figure{n, unitLayout}] = float64(k+1) + []float64{0.59, 0.75, 0, 1}[i]
			all[figure{n, unitSplit}] = []float64{59, 75, 0, 100}[i]
			all[figure{n, unitFields}] = []float64{7, 0, 0, 0}[i]
			all[figure{n, unitSize}] = []float64{39, 56, 64, 64}[i]
		}
		all[figure{placeName(shape, placeGo), unitSplit}] = 0
		all[figure{placeName(shape, placeMalloc), unitSplit}] = 100
	}
	for _, via := range []string{viaLeaf, viaCgo, viaCounter} {
		list := sharings
		if via == viaCounter {
			list = counters
		}
		for i, s := range list {
			all[figure{s.name(via), unitTime}] = []float64{30, 20, 10, 10, 9}[i]
		}
	}
	return all
}

// made is an experiment with these figures, compared as the lab does.
func made(figures map[figure]float64) *result.Experiment {
	e := &result.Experiment{}
	base := map[string]string{}
	for _, c := range Experiment.Cases(lab.Quick) {
		if c.Base {
			base[c.Group] = c.Name
		}
	}
	for _, c := range Experiment.Cases(lab.Quick) {
		for _, unit := range []string{unitTime, unitSize, unitLines, unitLayout, unitSplit, unitFields} {
			if v, ok := figures[figure{c.Name, unit}]; ok {
				e.Series = append(e.Series, result.Series{Name: c.Name, Unit: unit, Label: c.Label, Reference: c.Reference, Median: v, Lo: v, Hi: v})
			}
		}
		v, b := figures[figure{c.Name, unitTime}], figures[figure{base[c.Group], unitTime}]
		if c.Probe != nil || c.Base || v == 0 || b == 0 {
			continue
		}
		verdict := "slower"
		if v < b {
			verdict = "faster"
		} else if v == b {
			verdict = "same"
		}
		e.Comparisons = append(e.Comparisons, result.Comparison{Name: c.Name, Base: base[c.Group], Unit: unitTime, Ratio: v / b, Verdict: verdict})
	}
	return e
}

func TestExplain(t *testing.T) {
	changed := func(change map[figure]float64) map[figure]float64 {
		all := usual()
		for k, v := range change {
			all[k] = v
		}
		return all
	}
	tests := []struct {
		name    string
		figures map[figure]float64
		want    string
		not     string
	}{
		{"lines", usual(), "of the small structs packed 59 % (1.59 lines each, 39 bytes a struct), natural 75 % (1.75 lines each, 56 bytes a struct), aligned 0 % (1.00 lines each, 64 bytes a struct), straddled 100 % (2.00 lines each, 64 bytes a struct); of the large", ""},
		{"hot", usual(), "In the L1 cache a leaf call takes 10.0 ns with small structs aligned to 64, straddled 1.90 times (slower), natural 1.30 times (slower), packed 1.60 times (slower); 11.0 ns with large", ""},
		{"aligning pays", usual(), "Against structs aligned to 64, straddled is slower in 10 of 10 (small hot by leaf, ", "that is why"},
		{"nothing is faster", usual(), "large chain by leaf) and faster in 0; natural is slower in 10 of 10 (", ""},
		{"false sharing", usual(), "a leaf call takes 10.0 ns, packed structs side by side 3.00 times (slower), natural structs side by side 2.00 times (slower), 128 bytes apart 1.00 times (same)", "share an L1 cache"},
		{"counters", usual(), "adding to a counter, without C, takes 20.0 ns, 8 bytes apart 1.50 times (slower), 128 bytes apart 0.50 times (faster)", ""},
		{"placed alone", usual(), "Go allocates one by one 0 % of the small and 0 % of the large lie on more lines than they need, of those from malloc 100 % of the small and 100 % of the large.", ""},
		{"published", usual(), "58 % of lines polluted and 142 ns for structs that straddle, 2 % and 98 ns when aligned to 64, so 1.45 times as much", ""},
		{"beside it", usual(), "small structs in a large array by cgo, take 49.0 ns when they straddle and 40.0 ns aligned, block by block 1.23 times (slower). Of structs in natural layout 75 % straddle, of the aligned 0 %.", ""},
		{"smaller structs win", changed(map[figure]float64{{name(natural, small, set{cold, viaLeaf}), unitTime}: 15}), "natural 0.50 times (faster)", "natural is slower in 10 of 10"},
		{"why they do", changed(map[figure]float64{{name(natural, small, set{cold, viaLeaf}), unitTime}: 15}), "that is why aligned structs lose to smaller ones there", "straddling does not show"},
		{"lines do not show", changed(map[figure]float64{{name(straddled, small, set{cold, viaLeaf}), unitTime}: 30}), "straddled 1.00 times (same)", ""},
		{"why they do not", changed(map[figure]float64{{name(straddled, small, set{cold, viaLeaf}), unitTime}: 30}), "that is why straddling does not show in the large array", "lose there"},
		{"one core", changed(map[figure]float64{{counters[0].name(viaCounter), unitTime}: 20.5}), "1.02 times what they take on two lines. If they hardly disturb each other, the two CPUs share an L1 cache", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := made(tt.figures)
			explain(e)
			labtest.Says(t, labtest.Said(e), tt.want, tt.not)
		})
	}
	e := made(usual())
	explain(e)
	if len(e.Charts) != 5 {
		t.Fatalf("%d charts", len(e.Charts))
	}
	for i, want := range []int{16, 16, 14} {
		if n := len(e.Charts[i].Bars); n != want {
			t.Errorf("%s: %d bars, want %d", e.Charts[i].Title, n, want)
		}
	}
	for i, want := range []string{"small|packed|16.0 ns|26.0 ns|36.0 ns|46.0 ns|56.0 ns", "small|packed|39|1.59|1.59|59 %|7.0 %"} {
		g := e.Charts[3+i].Table
		if len(g.Rows) != 8 || strings.Join(g.Rows[0], "|") != want {
			t.Errorf("%d rows, the first is %q", len(g.Rows), g.Rows[0])
		}
	}
	labtest.FullRows(t, e)
}

// Nothing is said of what was not measured, whatever is missing.
func TestExplainWithMissingSeries(t *testing.T) {
	all := usual()
	for missing := range all {
		rest := usual()
		delete(rest, missing)
		only := map[figure]float64{missing: all[missing]}
		for _, figures := range []map[figure]float64{rest, only} {
			e := made(figures)
			explain(e)
			for _, text := range append(e.Findings, e.Notes...) {
				if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, " 0 ns") || strings.Contains(text, "(0 lines") || strings.Contains(text, " 0 bytes a") {
					t.Errorf("without %v: %s", missing, text)
				}
			}
		}
	}
	e := made(nil)
	explain(e)
	labtest.SaysNothing(t, e)
}
