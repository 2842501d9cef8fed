package report

import (
	"bytes"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

func bars(t *testing.T, o text.Options, list ...result.Bar) string {
	t.Helper()
	run := &result.Run{Experiments: []result.Experiment{
		{Title: "Without a chart"},
		{Title: "What does one call cost?", Charts: []result.Chart{{Kind: result.Bars, Unit: "ns", Bars: list}}},
	}}
	var b bytes.Buffer
	if err := WriteBars(&b, run, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Half the price is half the bar, and Seam's bars are told from the others without colour.
func TestBarsAreLinear(t *testing.T) {
	got := bars(t, text.Options{Width: 100}, result.Bar{Label: "leaf", Value: 5, Lo: 4, Hi: 5, Seam: true}, result.Bar{Label: "cgo", Value: 20}, result.Bar{Label: "ptr", Value: 40})
	for want, n := range map[string]int{"=": 8 + 2, "-": 30 + 60 + 1, "±": 0} { // the legend has two, +-20% one
		if strings.Count(got, want) != n {
			t.Errorf("%d of %q, want %d:\n%s", strings.Count(got, want), want, n, got)
		}
	}
	if strings.Contains(got, "Without a chart") || !strings.Contains(got, "linear, from 0 to 40.0 ns;  == by Seam") {
		t.Error(got)
	}
}

// One bar that is far longer than the rest doesn't make hairs of them.
func TestLongBarsAreCutOff(t *testing.T) {
	got := bars(t, text.Options{Width: 80}, result.Bar{Label: "a", Value: 1}, result.Bar{Label: "b", Value: 40}, result.Bar{Label: "c", Value: 60_000})
	if !strings.Contains(got, "from 0 to 40.0 ns; longer bars are cut off") || !strings.Contains(got, "-...  60.0 us") {
		t.Error(got)
	}
	for _, values := range [][]float64{{0}, {0, 0}, {0, 3}} {
		for _, v := range values {
			if got := bars(t, text.Options{Width: 80, Colour: true}, result.Bar{Label: "x", Value: v}); !strings.Contains(got, "x  ") {
				t.Error(got)
			}
		}
	}
}

func TestBarsKeepWithinTheWidth(t *testing.T) {
	for _, width := range []int{40, 60, 100} {
		for _, colour := range []bool{false, true} {
			got := bars(t, text.Options{Width: width, Colour: colour},
				result.Bar{Label: "cgo, pointer, noescape and nocallback, and a great deal more", Value: 40, Lo: 1, Hi: 79, Seam: true}, result.Bar{Label: "b", Value: 9000, Lo: 1, Hi: 1e9})
			for line := range strings.Lines(got) {
				if n := lipgloss.Width(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%d columns of %d: %q", n, width, line)
				}
			}
		}
	}
}
