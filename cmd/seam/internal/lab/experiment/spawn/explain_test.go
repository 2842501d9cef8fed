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

func TestExplain(t *testing.T) {
	tests := []struct {
		name      string
		medians   []median
		want, not string
	}{
		{"time", all, "a goroutine and waiting for its end costs 330 ns, a thread 19.8 µs (60.0 times), a process 500 µs", "Unexpected"},
		{"memory", all, "A million parked goroutines take 2.51 GiB here, a million threads would take 23.1 GiB and 7.64 TiB of address space. " +
			"Measured with 100,000 goroutines and 200 threads.", "Unexpected"},
		{"parking", all, "takes 1.30 µs each, 1.30 s for a million", ""},
		{"near the published figure", all, "", "The published time"},
		{"far from the published figure", []median{{"Spawn/kind=goroutine", "ns/op", 100}}, "The published time to create and schedule a goroutine is 400 ns (2019), here it is 100 ns", ""},
		{"order upside down", []median{{"Spawn/kind=goroutine", "ns/op", 330}, {"Spawn/kind=thread", "ns/op", 100}}, "Unexpected: Spawn/kind=thread (100 ns)", ""},
		{"without resident memory", []median{{"Spawn/kind=goroutine/what=runtime", "B/unit", 2600}}, "goroutines take 2.42 GiB here.", "threads"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := run(tt.medians...)
			explain(e)
			labtest.Says(t, labtest.Said(e), tt.want, tt.not)
		})
	}
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
