package spawn

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

type median struct {
	name, unit string
	value      float64
}

func run(medians ...median) *result.Experiment {
	e := &result.Experiment{}
	for _, m := range medians {
		e.Series = append(e.Series, result.Series{Name: m.name, Unit: m.unit, Label: m.name, Median: m.value, Lo: m.value * 0.99, Hi: m.value * 1.01})
	}
	return e
}

var all = []median{
	{"Spawn/kind=goroutine", "ns/op", 330},
	{"Spawn/kind=thread", "ns/op", 19_800},
	{"Spawn/kind=process", "ns/op", 500_000},
	{"Spawn/kind=fork", "ns/op", 300_000},
	{"Spawn/kind=goroutine", "B/unit", 2700},
	{"Spawn/kind=goroutine/what=runtime", "B/unit", 2600},
	{"Spawn/kind=goroutine/what=count", "count", 100_000},
	{"Spawn/kind=goroutine/what=park", "ns/unit", 1300},
	{"Spawn/kind=thread", "B/unit", 24_800},
	{"Spawn/kind=thread/what=virtual", "B/unit", 8_400_000},
	{"Spawn/kind=thread/what=count", "count", 200},
	{"Spawn/kind=process", "B/unit", 240_000},
}

func TestExplainAddsReferencesAndCharts(t *testing.T) {
	e := run(all...)
	explain(e)
	if s := e.Find("Spawn/kind=goroutine", "B/unit"); s.Reference == nil || s.Reference.Value != 2048 || s.Reference.Source != 2 {
		t.Errorf("bytes of a goroutine have reference %+v, want the published 2 KB", s.Reference)
	}
	if s := e.Find("Spawn/kind=thread/what=virtual", "B/unit"); s.Reference == nil || s.Reference.Value != 8<<20 {
		t.Errorf("address space of a thread has reference %+v, want the published 8 MB", s.Reference)
	}
	if len(e.Charts) != 2 || len(e.Charts[0].Bars) != 4 || len(e.Charts[1].Bars) != 3 {
		t.Errorf("got charts %+v, want 4 bars of time and 3 of memory", e.Charts)
	}
}

func TestExplainCopesWithMissingSeries(t *testing.T) {
	empty := &result.Experiment{}
	explain(empty)
	labtest.SaysNothing(t, empty)
	for i := range all {
		without := append(append([]median{}, all[:i]...), all[i+1:]...)
		explain(run(without...))
		explain(run(all[i]))
	}
}
