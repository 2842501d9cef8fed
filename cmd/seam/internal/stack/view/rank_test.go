package view

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

// A growth that the system interrupted is told, and doesn't rank a site; a large stack's is
// no such growth.
func TestInterruptedGrowthsDoNotRank(t *testing.T) {
	site := func(name string, steps ...report.Step) report.Site {
		s := report.Site{Callee: place(name, "/m/f.go", 1), Caller: place("main.main", "/m/f.go", 2), Steps: steps}
		for _, st := range steps {
			s.Totals.Sum(st.Totals)
		}
		return s
	}
	step := func(from, count, time, longest int64) report.Step {
		return report.Step{From: from, To: 2 * from, Totals: totalsOf(count, count*from, time, longest)}
	}
	var doublings []report.Step
	for from := int64(2 * kb); from < 8<<20; from *= 2 {
		doublings = append(doublings, step(from, 1, from, from))
	}
	for _, c := range []struct {
		name string
		site report.Site
		want int64
	}{
		{"one of many", site("f", step(2*kb, 90, 2_850_000, 2_580_000)), 2_580_000},
		{"one of two", site("f", step(2*kb, 2, 2_850_000, 2_580_000)), 0},
		{"less than half", site("f", step(2*kb, 9, 2_850_000, 1_000_000)), 0},
		{"too short for a time slice", site("f", step(2*kb, 9, 20_000, 15_000)), 0},
		{"the last of a row of doublings", site("f", doublings...), 0},
		{"a small stack among large ones", site("f", step(2*kb, 1, 900_000, 900_000), step(64*kb, 9, 500_000, 90_000)), 900_000},
	} {
		if got := interrupted(&c.site); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}

	f := &report.File{Sites: []report.Site{site("main.unlucky", step(2*kb, 90, 2_850_000, 2_580_000)), site("main.slow", step(2*kb, 900, 2_000_000, 3000))}}
	for i := range f.Sites {
		f.Growth.Sum(f.Sites[i].Totals)
	}
	text := textOf(t, f, TextOptions{})
	if a, b := strings.Index(text, " 1. main.slow"), strings.Index(text, " 2. main.unlucky"); a < 0 || b < a {
		t.Errorf("the interrupted growth ranks its site first:\n%s", text)
	}
	if !strings.Contains(strings.Join(strings.Fields(text), " "), "one of them took 2.58 ms, probably because the system preempted the thread") {
		t.Errorf("it isn't told that one took long:\n%s", text)
	}
	if f.Sites[0].Callee.Func != "main.unlucky" {
		t.Error("the report itself is in another order")
	}
}
