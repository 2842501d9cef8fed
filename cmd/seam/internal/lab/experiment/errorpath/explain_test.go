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

// with replaces the figures of a number of types.
func with(f ...figure) []figure {
	list := append([]figure{}, usual...)
	for i := range list {
		for _, new := range f {
			if list[i].layout == new.layout && list[i].types == new.types {
				list[i] = new
			}
		}
	}
	return list
}

func TestExplain(t *testing.T) {
	notAtAll := with(figure{"inline", 16, 1.00, 0.02, "same", 54 * kb, 9}, figure{"inline", 64, 1.01, 0.02, "unproven", 200 * kb, 30})
	for _, tt := range []struct {
		name      string
		figures   []figure
		source    string
		cache     int
		want, not string
	}{
		{"where the 10 % shows", usual, byCounter, cacheSize,
			"inline against bare: 1 type +1.0 % (+0.0 % to +2.0 %): it does not show; 16 types +5.0 % (+3.0 % to +7.0 %): slower, but by less; 64 types +11.0 % (+8.0 % to +14.0 %): it shows.", ""},
		{"outgrown", usual, byCounter, cacheSize,
			"Inline is slower only where the decoders in use outgrow the L1 instruction cache of 32.0 KiB: with 16 types (54.0 KiB), 64 types (200 KiB).", ""},
		{"a cache that all fit in", usual, byCounter, 1 << 20,
			"does not explain it alone: inline is slower also with 16 types (54.0 KiB), 64 types (200 KiB), whose decoders fit.", "only where"},
		{"no cache known", usual, byCounter, 0, "", "instruction cache of"},
		{"nowhere", notAtAll, byCounter, cacheSize, "is not enough to make a difference: with 16 types (54.0 KiB), 64 types (200 KiB) the decoders do, and inline is not proven slower.", "it shows"},
		{"outgrown, and only sometimes slower", with(figure{"inline", 16, 1.00, 0.02, "same", 54 * kb, 9}), byCounter, cacheSize,
			"Inline is slower with 64 types (200 KiB), whose decoders outgrow the L1 instruction cache of 32.0 KiB; with 16 types (54.0 KiB) they do too, and it is not.", ""},
		{"noise", with(figure{"inline", 64, 1.2, 0.4, "unproven", 200 * kb, 30}), byCounter, cacheSize, "64 types +20.0 % (−20.0 % to +60.0 %): too noisy to tell", ""},
		{"code", usual, byCounter, cacheSize, "Code of the decoders of 64 types: bare 120 KiB, inline 200 KiB (1.67×), goto 125 KiB (1.04×), outlined 133 KiB (1.11×).", ""},
		{"misses", usual, byCachegrind, cacheSize, "L1 instruction misses of one decode, by Cachegrind. 1 type: bare 0.0, inline 0.0, goto 0.0, outlined 0.0; 16 types: bare 4.0, inline 9.0; 64 types: bare 27.9,", ""},
		{"misses beside code", usual, byCachegrind, cacheSize, "With 64 types inline has 1.67× the code of bare and 1.12× its misses.", ""},
		{"a model", usual, byCachegrind, cacheSize, "are Cachegrind's: it runs the program with a model", "counted by the processor"},
		{"a counter", usual, byCounter, cacheSize, "are counted by the processor (perf_event)", "Cachegrind's"},
		{"no misses", usual, "", cacheSize, "", "misses"},
		{"what quick leaves out", usual, byCounter, cacheSize, "--quick leaves out decoders of 256 types, tries 2 orders of the functions instead of 5", ""},
		{"nothing left out", append(with(), figure{"bare", 256, 1, 0, "", 480 * kb, 30}), byCounter, cacheSize, "", "leaves out"},
		{"inline is worse", usual, byCounter, cacheSize, "These figures favour bare: no layout is proven faster with some numbers of types and slower with none; proven slower somewhere: inline.", ""},
		{"another is better", with(figure{"goto", 64, 0.95, 0.01, "faster", 125 * kb, 28}), byCounter, cacheSize,
			"These figures favour goto: it is proven faster than bare with some numbers of types and slower with none (−2.5 % on average).", ""},
		{"better and worse", with(figure{"goto", 64, 0.95, 0.01, "faster", 125 * kb, 28}, figure{"goto", 1, 1.05, 0.01, "slower", 5 * kb, 0}), byCounter, cacheSize, "These figures favour bare", ""},
		{"no difference", notAtAll, byCounter, cacheSize, "These figures favour no layout: none is proven faster or slower than bare. The least code is that of bare.", "favour bare"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := made(tt.source, tt.figures...)
			explain(e, tt.cache)
			labtest.Says(t, labtest.Said(e), tt.want, tt.not)
		})
	}
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
	if got, want := strings.Join(grid.Rows[7], "|"), "64|inline|333|+11.0 %|+8.0 % to +14.0 %|200 KiB|6.2×|31.3"; got != want {
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
