package errorpath

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

const cacheSize = 32 << 10

// A figure is one layout with one number of types, made up.
type figure struct {
	layout  string
	types   int
	ratio   float64 // to bare
	reach   float64 // of the ratio's interval, both ways
	verdict string
	code    float64
	misses  float64
}

func made(source string, figures ...figure) *result.Experiment {
	e := &result.Experiment{}
	add := func(f figure, unit, label string, v float64) {
		e.Series = append(e.Series, result.Series{Name: name(f.layout, f.types), Unit: unit, Label: label, Median: v, Lo: v, Hi: v})
	}
	for _, f := range figures {
		add(f, unitTime, label(f.layout, f.types), 300*f.ratio)
		if f.code > 0 {
			add(f, unitCode, "code", f.code)
		}
		if source != "" {
			add(f, unitMisses, missLabel(f.layout, f.types, source), f.misses)
		}
		if f.layout != "bare" {
			e.Comparisons = append(e.Comparisons, result.Comparison{Name: name(f.layout, f.types), Base: name("bare", f.types), Unit: unitTime,
				Ratio: f.ratio, Lo: f.ratio - f.reach, Hi: f.ratio + f.reach, Blocks: 9, Verdict: f.verdict})
		}
	}
	return e
}

const kb = 1 << 10

var usual = []figure{
	{"bare", 1, 1, 0, "", 4 * kb, 0},
	{"inline", 1, 1.01, 0.01, "same", 6 * kb, 0},
	{"goto", 1, 1.00, 0.01, "same", 4 * kb, 0},
	{"outlined", 1, 1.00, 0.01, "same", 5 * kb, 0},
	{"bare", 16, 1, 0, "", 31 * kb, 4},
	{"inline", 16, 1.05, 0.02, "slower", 54 * kb, 9},
	{"bare", 64, 1, 0, "", 120 * kb, 27.9},
	{"inline", 64, 1.11, 0.03, "slower", 200 * kb, 31.3},
	{"goto", 64, 1.00, 0.01, "same", 125 * kb, 28.4},
	{"outlined", 64, 1.00, 0.03, "unproven", 133 * kb, 30.1},
}

func TestCharts(t *testing.T) {
	e := made(byCachegrind, usual...)
	explain(e, cacheSize)
	if len(e.Charts) != 4 {
		t.Fatalf("%d charts", len(e.Charts))
	}
	for _, c := range e.Charts[:3] {
		if c.Kind != result.Lines || c.XLabel == "" || c.YLabel == "" || len(c.Lines) == 0 {
			t.Errorf("chart %+v", c)
		}
	}
	if m := e.Charts[0].Marks; len(m) != 1 || m[0].X <= 16 || m[0].X >= 64 {
		t.Errorf("bare fills the cache at %+v", m)
	}
	grid := e.Charts[3].Table
	if len(grid.Rows) != len(usual) {
		t.Fatalf("%d rows of %d", len(grid.Rows), len(usual))
	}
	if got, want := strings.Join(grid.Rows[7], "|"), "64|inline|333|1.110×|1.080–1.140×|200 KiB|6.2×|31.3"; got != want {
		t.Errorf("row %s, want %s", got, want)
	}
	labtest.FullRows(t, e)
}

func TestExplainCopesWithMissingSeries(t *testing.T) {
	none := made("")
	explain(none, cacheSize)
	labtest.SaysNothing(t, none)
	for i := range usual {
		for _, source := range []string{"", byCounter} {
			explain(made(source, usual[i]), cacheSize)
			explain(made(source, append(append([]figure{}, usual[:i]...), usual[i+1:]...)...), 0)
		}
	}
}
