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

func TestExplain(t *testing.T) {
	changed := func(name, unit string, v float64) map[figure]float64 {
		all := usual()
		all[figure{name, unit}] = v
		return all
	}
	viewName := way{find("view"), 128}.name()
	tests := []struct {
		name    string
		figures map[figure]float64
		want    string
		not     string
	}{
		{"to C", usual(), "Handing 128 bytes to C costs 100 ns by C.CString + free, 128 bytes of malloc; the cheapest is mem.Str by leaf: 10.0 ns, 0.10 times (faster), nothing allocated. Handing 4096 bytes", ""},
		{"from C", usual(), "Getting 4096 bytes from C costs 200 ns by C.GoBytes + free, 1 allocation of 4096 bytes in Go and 4096 bytes of malloc; the cheapest is kept []byte, mem.Fill: 20.0 ns", ""},
		{"nothing is cheaper", map[figure]float64{{way{base(toC), 128}.name(), unitTime}: 5}, "Handing 128 bytes to C costs 5.00 ns by C.CString + free, and nothing else is cheaper here.", "cheapest"},
		{"handles", usual(), "costs 200 ns with cgo.Handle, 2 allocations of 56 bytes in Go; with mem.Handles 100 ns, 0.50 times (faster), nothing allocated; with runtime.Pinner ", ""},
		{"stacks", usual(), "of 128 bytes: by cgo 90.0 ns (1 allocation of 128 bytes in Go), #cgo noescape 40.0 ns (nothing allocated)", ""},
		{"verdicts", usual(), "In 1 of 21 idioms the compiler puts a value on the heap, or needs the caller's to be there already: stack-cgo. ", ""},
		{"leak", usual(), "keeps 144 B in RAM for 128 bytes, 137 MiB in a million calls; 4.02 KiB in RAM for 4096 bytes, 3.83 GiB in a million calls.", ""},
		{"judge", usual(), "The idioms were judged by the compiler of go1.27.3, while go1.26.8 made what is measured.", ""},
		{"lost", changed(viewName, unitTime, 70), "Ways of packages mem and leaf that cost more than the cheapest without them: mem.Str by leaf, 128 B (70.0 ns against 51.0 ns of C.CBytes + free)", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := made(tt.figures)
			explain(e)
			labtest.Says(t, labtest.Said(e), tt.want, tt.not)
		})
	}
	e := made(usual())
	explain(e)
	if len(e.Charts) != 6 {
		t.Fatalf("%d charts", len(e.Charts))
	}
	for i, want := range []int{14, 22, 3} {
		if n := len(e.Charts[i].Bars); n != want {
			t.Errorf("%s: %d bars, want %d", e.Charts[i].Title, n, want)
		}
	}
	for i, want := range []int{7, 12, 3} {
		g := e.Charts[3+i].Table
		if len(g.Rows) != want {
			t.Errorf("%s: %d rows, want %d", e.Charts[3+i].Title, len(g.Rows), want)
		}
	}
	labtest.FullRows(t, e)
	if more := e.Charts[4].Table.Rows[4]; strings.Join(more, "|") != "|||||another" {
		t.Errorf("the second value of cleanup is in the row %q", more)
	}
	stack := e.Charts[4].Table.Rows[6]
	if want := "Go array by cgo|90.0 ns|90.0 ns|1: 4096 B|0|moved to heap: buf (to C.fill)"; strings.Join(stack, "|") != want {
		t.Errorf("the row of stack-cgo is %q", strings.Join(stack, "|"))
	}
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
