package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestFlameGraphSaysWhatItShows(t *testing.T) {
	p := profile()
	boxes := flameOf(&result.Chart{Kind: result.Flame, Title: "t", Profile: &p}).Boxes
	if len(boxes) != len(p.Frames) {
		t.Errorf("%d boxes for %d frames", len(boxes), len(p.Frames))
	}
	for i, b := range boxes {
		if name := p.Frames[i].Function; b.Labels[0] != name || !strings.HasPrefix(b.Tip, name+": ") || !strings.Contains(b.Tip, " % of the time (") {
			t.Errorf("%s is labelled %q and says %q", name, b.Labels, b.Tip)
		}
	}
	if got := boxes[0].Labels; !slices.Equal(got, []string{"runtime.gcBgMarkWorker", "gcBgMarkWorker"}) {
		t.Errorf("labels %q", got)
	}
}

func TestFlameLegendAddsUp(t *testing.T) {
	p := profile()
	_, parts := flameTable(&p)
	sum := 0.0
	for _, r := range parts {
		sum += number(t, strings.TrimSuffix(r.Values[1], " %"))
	}
	if math.Abs(sum-100) > 0.5 || parts[1].Name != "write barrier" || parts[1].Key.Shapes[0].Class != "part "+chart.Colour(1) {
		t.Errorf("shares of %v add up to %v", parts, sum)
	}
	p.Frames = []result.Frame{{Parent: -1, Kind: 4, Value: 1}}
	if _, parts = flameTable(&p); len(parts) != 1 || parts[0].Key.Shapes[0].Class != "part "+chart.Colour(4) {
		t.Errorf("a legend of kinds that are not there: %v", parts)
	}
}

// What is in no order that makes a tree is no picture.
func TestFlameGraphOfNonsense(t *testing.T) {
	for name, frames := range map[string][]result.Frame{
		"nothing":   nil,
		"no time":   {{Parent: -1}},
		"a cycle":   {{Parent: 1, Value: 1}, {Parent: 0, Value: 1}},
		"no kind":   {{Parent: -1, Kind: 9, Value: 1}},
		"no number": {{Parent: -1, Value: math.NaN()}},
	} {
		p := result.Profile{Name: "p", Unit: "ns", Kinds: []string{"k"}, Frames: frames}
		c := &result.Chart{Kind: result.Flame, Profile: &p}
		if v := newFigure(c); !v.Empty() || len(v.Scenes) > 0 {
			t.Errorf("%s: %d scenes", name, len(v.Scenes))
		}
		run := &result.Run{Experiments: []result.Experiment{{Name: "e", Charts: []result.Chart{*c}}}}
		if out := terminal(t, run, TextOptions{}); strings.Contains(out, "NaN") || strings.Contains(out, "100.0%") {
			t.Errorf("%s: the text is\n%s", name, out)
		}
	}
}

func TestFlameTextIsATree(t *testing.T) {
	out := terminal(t, smallRun(), TextOptions{Options: text.Options{Width: 80}})
	_, out, _ = strings.Cut(out, "Where the time of stores goes\n")
	lines := strings.Split(out, "\n")
	if !strings.Contains(lines[0], "runtime.gcBgMarkWorker  [marking]") {
		t.Errorf("the largest is not the first, or of no kind:\n%s", out)
	}
	tree := 0
	for _, l := range lines {
		if strings.Contains(l, "%  ") {
			tree++
		}
	}
	if tree == 0 || tree > textFrames || !strings.Contains(out, "(other)") {
		t.Errorf("%d lines:\n%s", tree, out)
	}
}
