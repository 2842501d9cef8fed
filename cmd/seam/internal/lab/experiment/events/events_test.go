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

func TestExplain(t *testing.T) {
	better := append([]figure{}, usual...)
	better[3] = figure{viaCoro, 95e3, 600e3, 5500, 9e3, 2000, 0, 0}
	better[4] = figure{viaCoroLoop, 92e3, 600e3, 5600, 9.5e3, 2000, 0, 0}
	draw := append([]figure{}, usual...)
	draw[2].rate, draw[2].reach, draw[3].reach = 88e3, 5e3, 39e3
	tests := []struct {
		name      string
		figures   []figure
		want, not string
	}{
		{"best", usual, "Of the servers with Go code in them, the most requests a second: C loop with cgo callbacks (90,000); " +
			"the least CPU time for a request: C loop with cgo callbacks (6.00 µs); the least latency of a single request: C loop with cgo callbacks (14.0 µs).", ""},
		{"a draw", draw, "the most requests a second: C loop with cgo callbacks or goroutines (90,000);", "C loop and eventfd (60,000)"},
		{"coroutines best", better, "the least latency of a single request: coroutines (9.00 µs)", "Coroutines lose"},
		{"rates", usual, "coroutines 50,000, C loop as a coroutine 85,000, C loop alone 100,000. Blocking C code on coroutines serves 50 % of what an event loop in C alone does. " +
			"The same loop as one coroutine, with Go for the answers: 85 %.", ""},
		{"wake-up", usual, "A callback adds 3.00 µs to the C loop, a wake-up through Go's poller 7.00 µs", ""},
		{"lost", usual, "Coroutines lose in requests a second, 50,000, to C loop with cgo callbacks (90,000) and C loop and eventfd (60,000); " +
			"CPU time of a request, 18.0 µs, to", ""},
		{"latency not as published", usual, "here it goes from 14.0 µs with callbacks to 15.0 µs with the loop as a coroutine, so there is no gain", ""},
		{"latency as published", better, "here it goes from 14.0 µs with callbacks to 9.50 µs with the loop as a coroutine.", "no gain"},
		{"switches", usual, "Here it is 18,000 and 16,000, or 200 and 188 for a thousand requests", ""},
		{"contention", usual, "Here: C loop with cgo callbacks 0, C loop and eventfd 15.0", ""},
		{"one alone", usual[3:4], "", "Of the servers"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := made(tt.figures...)
			explain(e)
			labtest.Says(t, labtest.Said(e), tt.want, tt.not)
		})
	}
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
