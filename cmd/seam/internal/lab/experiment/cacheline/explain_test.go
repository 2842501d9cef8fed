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
