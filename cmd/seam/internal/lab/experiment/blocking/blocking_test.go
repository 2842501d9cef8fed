//seam:test race nocgo arm64

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
