package blocking

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

func TestNamesAreFixed(t *testing.T) {
	for mode, want := range map[lab.Mode]string{lab.Quick: "1 16 256", lab.Normal: "1 16 256 4000 10000", lab.Full: "1 16 256 4000 10000"} {
		var names []string
		for _, n := range strings.Fields(want) {
			for _, via := range []string{"cgo", "semaphore", "offload", "coro"} {
				names = append(names, "Blocking/via="+via+"/n="+n)
			}
		}
		var got []string
		for _, c := range Experiment.Cases(mode) {
			if c.Probe == nil || c.Setup != nil || c.Label == "" {
				t.Errorf("bad case %+v", c)
			}
			got = append(got, c.Name)
		}
		if strings.Join(got, " ") != strings.Join(names, " ") {
			t.Errorf("%v: cases are %v", mode, got)
		}
	}
}

// The sum of all calls is bounded whatever n is.
func TestDelay(t *testing.T) {
	for _, n := range allSizes {
		if d := delay(n); d < least || float64(n)/d.Seconds() > 20_001 {
			t.Errorf("%d goroutines are answered after %v", n, d)
		}
	}
}

// figure is what a made-up case holds.
type figure struct {
	via                         string
	n                           int
	rate, late, threads, memory float64
	reach                       float64 // of late: how far its interval goes down and up
}

func made(figures ...figure) *result.Experiment {
	e := &result.Experiment{}
	within := func(name, unit string, v, reach float64) {
		e.Series = append(e.Series, result.Series{Name: name, Unit: unit, Label: name, Median: v, Lo: v - reach, Hi: v + reach})
	}
	add := func(name, unit string, v float64) { within(name, unit, v, 0) }
	for _, f := range figures {
		add(name(f.via, f.n), unitRate, f.rate)
		within(name(f.via, f.n), unitLate, f.late, f.reach)
		add(name(f.via, f.n), unitThreads, f.threads)
		add(name(f.via, f.n), unitMemory, f.memory)
		add(usedName(f.via, f.n), unitShare, 75)
		add(notInGoName(f.via, f.n), unitShare, 99)
	}
	return e
}

var usual = []figure{
	{viaCgo, 1, 900, 160e3, 7, 500e3, 0},
	{viaSemaphore, 1, 900, 160e3, 7, 500e3, 0},
	{viaOffload, 1, 850, 160e3, 23, 1200e3, 0},
	{viaCoro, 1, 800, 160e3, 10, 600e3, 0},
	{viaCgo, 256, 19000, 18e6, 263, 43 << 10, 0},
	{viaSemaphore, 256, 1240, 900e3, 23, 7 << 10, 0},
	{viaOffload, 256, 1240, 400e3, 23, 6 << 10, 0},
	{viaCoro, 256, 18900, 800e3, 11, 12 << 10, 0},
}

func TestExplain(t *testing.T) {
	noisy := append([]figure{}, usual...)
	noisy[3].late, noisy[3].reach = 900e3, 800e3 // three times as late, but in one look of several
	slow := append([]figure{}, usual...)
	slow[6].late, slow[4].late = 880e3, 2e6
	better := append([]figure{}, usual...)
	better[6].rate, better[6].late = 1500, 880e3
	tests := []struct {
		name      string
		figures   []figure
		want, not string
	}{
		{"lateness", usual, "Next to 256 goroutines that call C, one that wants to run every 1 ms runs late by (99th percentile): " +
			"cgo 18.0 ms, semaphore 900 µs, offload 400 µs, coroutines 800 µs. Next to a single caller through cgo it is 160 µs.", ""},
		{"threads", usual, "Threads with 256 calls: cgo 263, semaphore 23, offload 23, coroutines 11. Memory of a call: cgo 43.0 KiB", ""},
		{"rates", usual, "with answers that take 12.8 ms they can't exceed 1,250", ""},
		{"pool is less late", usual, "the pool leaves the others less late with 256 goroutines (400 µs against 900 µs); where that does not matter the semaphore is enough.", "makes more calls"},
		{"pool is no better", slow, "The semaphore is enough here: with n = 1, 256 the pool", "Against the semaphore"},
		{"pool makes more", better, "the pool makes more calls a second with 256 goroutines (1,500 against 1,240).", "is enough"},
		{"noise is no loss", noisy, "", "lateness of others with"},
		{"lost", usual, "Coroutines lose to plain cgo here in: calls a second with 1 goroutine (800 against 900); memory of a call with 1 goroutine", "256 goroutines ("},
		{"near the published figure", usual, "The published latency next to C calls that block is 18.7 ms (2024 or later, Go 1.22), with 256 of them it is 18.0 ms here.", "it depends on"},
		{"far from the published figure", slow, "it is 2.00 ms here: it depends on", ""},
		{"P use", usual, "with 256 calls through cgo it is 75 %", ""},
		{"no cgo", usual[1:4], "", "Next to"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := made(tt.figures...)
			explain(e)
			text := labtest.Said(e)
			labtest.Says(t, text, tt.want, "")
			if tt.name == "lost" {
				_, text, _ = strings.Cut(text, "Coroutines lose")
				text, _, _ = strings.Cut(text, "\n")
			}
			labtest.Says(t, text, "", tt.not)
		})
	}
}

func TestExplainAddsReferencesAndCharts(t *testing.T) {
	e := made(usual...)
	explain(e)
	if s := e.Find("Blocking/via=cgo/n=256", "p99-ns"); s.Reference == nil || s.Reference.Value != 18.7e6 || s.Reference.Source != 5 {
		t.Errorf("reference %+v", s.Reference)
	}
	if len(e.Charts) != 4 {
		t.Fatalf("%d charts, want 4", len(e.Charts))
	}
	for _, c := range e.Charts[:3] {
		if c.Kind != result.Lines || len(c.Lines) != 4 || c.YLabel == "" || c.XLabel == "" {
			t.Errorf("chart %+v", c)
		}
	}
	grid := e.Charts[3].Table
	if grid == nil || len(grid.Rows) != len(usual) {
		t.Fatalf("grid %+v", grid)
	}
	const want = "[256 coroutines 18,900 800 µs 11 12.0 KiB 99 % 75 %]"
	if got := fmt.Sprint(grid.Rows[7]); got != want {
		t.Errorf("last row %v, want %v", got, want)
	}
	labtest.FullRows(t, e)
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
