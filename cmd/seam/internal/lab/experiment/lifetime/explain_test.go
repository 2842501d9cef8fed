package lifetime

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

type figure struct{ name, unit string }

// usual are figures as of a run.
func usual() map[figure]float64 {
	all := map[figure]float64{}
	ns := map[string]float64{"cstring-free": 100, "view": 10, "gobytes-free": 200, "fill": 20, "cgo-handle": 200, "handle": 100, "stack-cgo": 90, "stack-noescape": 40}
	for i, w := range ways() {
		v := ns[w.key]
		if v == 0 {
			v = 50 + float64(i)
		}
		all[figure{w.name(), unitTime}] = v
		all[figure{w.name(), unitAllocs}] = 0
		all[figure{w.name(), unitGo}] = 0
		all[figure{w.name(), unitC}] = 0
		switch w.key {
		case "gobytes-free", "stack-cgo":
			all[figure{w.name(), unitAllocs}], all[figure{w.name(), unitGo}] = 1, float64(w.bytes)
		case "cgo-handle":
			all[figure{w.name(), unitAllocs}], all[figure{w.name(), unitGo}] = 2, 56
		}
		if strings.HasSuffix(w.key, "-free") {
			all[figure{w.name(), unitC}] = float64(w.bytes)
		}
	}
	for _, d := range idioms {
		all[figure{d.verdictName(), unitEscapes}] = 0
	}
	all[figure{find("stack-cgo").verdictName(), unitEscapes}] = 1
	all[figure{verdictsName, unitIdioms}] = float64(len(idioms))
	all[figure{leakName(128), unitLeak}] = 144
	all[figure{leakName(4096), unitLeak}] = 4112
	return all
}

// made is an experiment with these figures, compared as the lab does.
func made(figures map[figure]float64) *result.Experiment {
	e := &result.Experiment{}
	add := func(name, unit, label string) {
		if v, ok := figures[figure{name, unit}]; ok {
			e.Series = append(e.Series, result.Series{Name: name, Unit: unit, Label: label, Median: v, Lo: v, Hi: v})
		}
	}
	for _, w := range ways() {
		for _, unit := range []string{unitTime, unitAllocs, unitGo, unitC} {
			add(w.name(), unit, w.label())
		}
		b := way{base(w.group), w.bytes}
		if v, over := figures[figure{w.name(), unitTime}], figures[figure{b.name(), unitTime}]; v > 0 && over > 0 && w.key != b.key {
			e.Comparisons = append(e.Comparisons, result.Comparison{Name: w.name(), Base: b.name(), Unit: unitTime, Ratio: v / over, Verdict: "faster"})
		}
	}
	for _, d := range idioms {
		text := "nothing escapes"
		switch d.key {
		case "stack-cgo":
			text = "moved to heap: buf (passed to C.fill)"
		case "cleanup":
			text = "one value; another"
		}
		add(d.verdictName(), unitEscapes, d.label+": "+text)
	}
	add(verdictsName, unitIdioms, "judged by the compiler of go1.27.3, while go1.26.8 made what is measured")
	for _, n := range sizes {
		add(leakName(n), unitLeak, "leak")
	}
	return e
}

// Nothing is said of what was not measured, whatever is missing.
func TestExplainWithMissingSeries(t *testing.T) {
	all := usual()
	for missing := range all {
		rest := usual()
		delete(rest, missing)
		for _, figures := range []map[figure]float64{rest, {missing: all[missing]}} {
			e := made(figures)
			explain(e)
			for _, text := range append(e.Findings, e.Notes...) {
				if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, " 0 ns") {
					t.Errorf("without %v: %s", missing, text)
				}
			}
		}
	}
	e := made(nil)
	explain(e)
	labtest.SaysNothing(t, e)
}

func TestShort(t *testing.T) {
	for text, want := range map[string]string{
		"b (passed to C.look); a (passed to runtime.Pinner.Pin)": "b (to C.look); a (to Pin)",
		"buf (passed to fill)": "buf (to fill)",
		"nothing escapes":      "nothing escapes",
	} {
		if got := short(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
