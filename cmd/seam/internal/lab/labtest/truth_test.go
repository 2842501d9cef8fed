package labtest

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// The sentences are those that reports have had.
func TestUntrue(t *testing.T) {
	e := &result.Experiment{Name: "call", About: "Next to 64 others.",
		Series: []result.Series{
			{Name: "A", Unit: "ns/op", Median: 7.21, Lo: 7.1, Hi: 7.3}, {Name: "B", Unit: "ns/op", Median: 42.7, Lo: 42, Hi: 43},
			{Name: "C", Unit: "ns/op", Median: 36500, Lo: 30000, Hi: 40000},
		},
		Comparisons: []result.Comparison{
			{Name: "A", Base: "B", Unit: "ns/op", Ratio: 7.21 / 42.7, Lo: 0.165, Hi: 0.172, Verdict: "faster"},
			{Name: "C", Base: "B", Unit: "ns/op", Ratio: 36500 / 42.7, Lo: 0.5, Hi: 4000, Verdict: "unproven", Finds: 2492},
		}}
	for _, c := range []struct{ sentence, fault string }{
		{"A takes 7.21 ns and B 42.7 ns; A against B: 0.169× (0.165–0.172×), faster.", ""},
		{"C takes 36.5 µs; against B: undecided, too noisy.", ""},
		{"C takes 36.5 µs; against B: undecided below 2×.", "no comparison shows"},
		{"With 64 of them A takes 7.21 ns.", ""},
		{"7.21 ns through A: 3.53 times less than 42.7.", "times less"},
		{"C costs 36.5 µs, 564 times", "no figure is 564"},
		{"C against B: 1,246× (0.5–4,000×), slower.", "no comparison shows"},
		{"A against B: 0.169× (0.165–0.172×), slower.", "no comparison shows"},
		{"A is faster than B.", "faster than"},
		{"The loss is 50.9 %.", "no figure is 50.9"},
	} {
		e.Findings = []string{c.sentence}
		switch faults := strings.Join(Untrue(e), "\n"); {
		case c.fault == "" && faults != "":
			t.Error(faults)
		case !strings.Contains(faults, c.fault):
			t.Errorf("%q: %q, want %q", c.sentence, faults, c.fault)
		}
	}
	e.Findings = nil
	for _, bad := range []result.Comparison{
		{Name: "A", Base: "B", Ratio: 1.5, Lo: 1.5, Hi: 1.5, Verdict: "slower"},
		{Name: "A", Base: "B", Ratio: 1.5, Lo: 0.9, Hi: 2, Verdict: "slower"},
		{Name: "C", Base: "A", Unit: "ns/op", Ratio: 659, Lo: 164, Hi: 2645, Verdict: "unproven"},
	} {
		e.Comparisons = []result.Comparison{bad}
		if len(Untrue(e)) != 1 {
			t.Errorf("%+v passes", bad)
		}
	}
}
