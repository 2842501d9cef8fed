package payload

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// made is an experiment with figures made up: names with units, and their values.
func made(figures map[string]float64) *result.Experiment {
	e := &result.Experiment{Name: "payload"}
	for key, v := range figures {
		name, unit, _ := strings.Cut(key, " ")
		s := result.Series{Name: name, Unit: unit, Label: name, Median: v, Lo: v - 1, Hi: v + 1}
		for round := range 5 {
			for block := range 3 {
				s.Samples = append(s.Samples, result.Sample{Round: round, Block: block, N: 1, Value: v})
			}
		}
		e.Series = append(e.Series, s)
	}
	return e
}

func usual() map[string]float64 {
	m := map[string]float64{
		name(128, libStd, viaGo) + " ns/op": 5000, name(128, libGo, viaGo) + " ns/op": 900,
		name(128, libRapid, viaCopy) + " ns/op": 800, name(128, libRapid, viaView) + " ns/op": 700,
		name(128, libRapid, viaFill) + " ns/op": 500, name(128, libRapid, viaRegistered) + " ns/op": 520,
		name(128, libRapid, viaLeaf) + " ns/op": 450, name(128, libSimd, viaLeaf) + " ns/op": 1000,
		name(128, libRapid, viaLeaf) + " allocs/op": 0, name(128, libRapid, viaCopy) + " allocs/op": 1,
		tightName(128, libSimd) + " ns/op": 20, controlName(128) + " loss-%": 2,
	}
	for via, p := range map[string][]float64{viaCopy: {400, 20, 80, 200, 100}, viaLeaf: {400, 0, 0, 5, 45}} {
		for i, part := range parts {
			m[partName(128, libRapid, via, part)+" ns/op"] = p[i]
		}
	}
	for _, k := range served(lab.Quick, 128) {
		m[loadName(128, k.lib, k.via, saturation)+" req/s"] = 30000
		m[loadName(128, k.lib, k.via, saturation)+" loss-%"] = 5
		m[loadName(128, k.lib, k.via, saturation)+" loss-best-%"] = 8
		m[loadName(128, k.lib, k.via, saturation)+" cpu-ns/req"] = 20000
		m[loadName(128, k.lib, k.via, fixedRate)+" req/s"] = 9990
		m[loadName(128, k.lib, k.via, fixedRate)+" p50-ns"] = 100e3
		m[loadName(128, k.lib, k.via, fixedRate)+" p99-ns"] = 500e3
	}
	return m
}

func TestPublishedFigures(t *testing.T) {
	e := made(usual())
	explain(e)
	for n, want := range map[string]float64{loadName(128, libStd, viaGo, saturation): 98500, loadName(128, libRapid, viaCopy, saturation): 52300, loadName(128, libRapid, viaRegistered, saturation): 86400} {
		if s := e.Find(n, unitRate); s.Reference == nil || s.Reference.Value != want || s.Reference.Source != 5 {
			t.Errorf("%s: reference %+v", n, s.Reference)
		}
	}
}

// Whatever is missing, what is said makes sense without it.
func TestExplainWithoutSeries(t *testing.T) {
	all := usual()
	for left := range all {
		for _, only := range []bool{true, false} {
			figures := map[string]float64{}
			for k, v := range all {
				if (k == left) == only {
					figures[k] = v
				}
			}
			e := made(figures)
			explain(e)
			text := labtest.Said(e)
			if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, ": .") {
				t.Errorf("%q (only: %v): %s", left, only, text)
			}
		}
	}
	e := &result.Experiment{Name: "payload"}
	e.Series = append(e.Series, result.Series{Name: name(128, libRapid, viaCopy), Unit: unitTime, NotMeasured: "no compiler"})
	explain(e)
	if len(e.Findings) > 0 || len(e.Charts) > 0 {
		t.Errorf("of nothing it finds %v and draws %d charts", e.Findings, len(e.Charts))
	}
}

func TestQuickSaysWhatItLeavesOut(t *testing.T) {
	figures := usual()
	if e := made(figures); !strings.Contains(figuresNote(e), "--quick leaves out") {
		t.Error("it does not say so")
	}
	figures[name(16384, libGo, viaGo)+" ns/op"] = 1
	if e := made(figures); strings.Contains(figuresNote(e), "--quick") {
		t.Error("it says so of a longer run")
	}
}

func figuresNote(e *result.Experiment) string {
	explain(e)
	return strings.Join(e.Notes, "\n")
}
