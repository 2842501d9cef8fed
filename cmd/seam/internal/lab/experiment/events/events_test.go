//seam:test race nocgo arm64

package events

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

func TestNamesAreFixed(t *testing.T) {
	for mode, n := range map[lab.Mode]int{lab.Quick: 1000, lab.Normal: 10_000, lab.Full: 10_000} {
		var got []string
		for _, c := range Experiment.Cases(mode) {
			if c.Probe == nil || c.Setup != nil || c.Label == "" {
				t.Errorf("bad case %+v", c)
			}
			got = append(got, c.Name)
		}
		const want = "Events/via=cgo-callback Events/via=eventfd Events/via=netpoll Events/via=coro Events/via=coro-loop Events/via=c-loop"
		if strings.Join(got, " ") != want {
			t.Errorf("%v: cases are %v", mode, got)
		}
		if connections(mode) != n {
			t.Errorf("%v: %d connections, want %d", mode, connections(mode), n)
		}
	}
	if !strings.Contains(Experiment.About, "over 10,000 loopback connections") || !strings.Contains(Experiment.About, "(1,000 in quick mode)") {
		t.Errorf("about says %q", Experiment.About)
	}
}

// figure is what a made-up server holds.
type figure struct {
	via                                     string
	rate, median, cpu, alone, switches, con float64
	reach                                   float64 // of rate: how far its interval goes down and up
}

func made(figures ...figure) *result.Experiment {
	e := &result.Experiment{}
	add := func(name, unit string, v float64) {
		e.Series = append(e.Series, result.Series{Name: name, Unit: unit, Label: name, Median: v, Lo: v, Hi: v})
	}
	for _, f := range figures {
		add(name(f.via), unitRate, f.rate)
		rate := &e.Series[len(e.Series)-1]
		rate.Lo, rate.Hi = f.rate-f.reach, f.rate+f.reach
		add(name(f.via), unitMedian, f.median)
		add(name(f.via), unitTail, 2*f.median)
		add(name(f.via), unitCPU, f.cpu)
		add(name(f.via), unitSwitches, f.switches)
		add(name(f.via), unitContention, f.con)
		add(aloneName(f.via), unitMedian, f.alone)
	}
	return e
}

var usual = []figure{
	{viaCallback, 90e3, 700e3, 6000, 14e3, 18e3, 0, 0},
	{viaEventfd, 60e3, 900e3, 10e3, 43e3, 27e3, 15, 0},
	{viaNetpoll, 75e3, 730e3, 11e3, 18e3, 11e3, 5, 0},
	{viaCoro, 50e3, 1200e3, 18e3, 60e3, 16e3, 1, 0},
	{viaCoroLoop, 85e3, 650e3, 6500, 15e3, 16e3, 0, 0},
	{viaLoop, 100e3, 600e3, 4700, 11e3, 20e3, 0, 0},
}

func TestExplainAddsReferencesAndCharts(t *testing.T) {
	e := made(usual...)
	explain(e)
	for _, want := range []struct {
		name, unit string
		value      float64
	}{
		{"Events/via=cgo-callback/inflight=1", "p50-ns", 12_400},
		{"Events/via=coro-loop/inflight=1", "p50-ns", 3700},
		{"Events/via=cgo-callback", "switches/s", 8500},
		{"Events/via=coro-loop", "contentions/s", 0},
	} {
		s := e.Find(want.name, want.unit)
		if s == nil || s.Reference == nil || s.Reference.Value != want.value || s.Reference.Source != 5 {
			t.Errorf("%s %s: %+v, want a reference of %v", want.name, want.unit, s, want.value)
		}
	}
	if len(e.Charts) != 3 || len(e.Charts[0].Bars) != len(vias) || len(e.Charts[1].Bars) != len(vias) || e.Charts[2].Table == nil {
		t.Fatalf("charts: %+v", e.Charts)
	}
	if e.Charts[1].Bars[0].Reference != 12_400 {
		t.Errorf("bar %+v", e.Charts[1].Bars[0])
	}
	grid := e.Charts[2].Table
	const want = "coroutines|50,000|18.0 µs|1.20 ms|2.40 ms|60.0 µs|16,000|1.00"
	if got := strings.Join(grid.Rows[3], "|"); got != want || len(grid.Rows) != len(vias) || len(grid.Head) != len(grid.Rows[3]) {
		t.Errorf("grid row %q, want %q", got, want)
	}
}

func TestExplainCopesWithMissingSeries(t *testing.T) {
	none := made()
	explain(none)
	labtest.SaysNothing(t, none)
	for i := range usual {
		explain(made(usual[i]))
		explain(made(append(append([]figure{}, usual[:i]...), usual[i+1:]...)...))
	}
}
