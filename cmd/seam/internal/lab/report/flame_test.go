package report

import (
	"math"
	"strconv"
	"strings"
	"testing"

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

// What a function calls lies below it, from one end to the other at most, and no two lie
// over each other.
func TestFlameGraphLiesInOrder(t *testing.T) {
	p := profile()
	c := &result.Chart{Kind: result.Flame, Title: "t", Profile: &p}
	for _, f := range frames {
		s := drawFlame(c, f)
		type box struct{ x, y, w float64 }
		var boxes []box
		names := 0
		for _, sh := range s.Shapes {
			switch sh.Kind {
			case "rect":
				b := box{number(t, sh.X), number(t, sh.Y), number(t, sh.X2)}
				if b.x < 0 || b.x+b.w > f.width+0.1 || b.y+rowHeight > number(t, s.H) {
					t.Errorf("%s: box %+v is outside", f.class, b)
				}
				for _, o := range boxes {
					if o.y == b.y && b.x < o.x+o.w-0.2 && o.x < b.x+b.w-0.2 {
						t.Errorf("%s: boxes %+v and %+v lie over each other", f.class, o, b)
					}
				}
				boxes = append(boxes, b)
				if !strings.Contains(sh.Tip, " % of the time (") {
					t.Errorf("%s: pointed at, it says %q", f.class, sh.Tip)
				}
			case "text":
				names++
				b := boxes[len(boxes)-1]
				if w := textWidth(sh.String, sizeTick); w > b.w {
					t.Errorf("%s: %q is %v wide, its box %v", f.class, sh.String, w, b.w)
				}
			}
		}
		if len(boxes) < 10 || names < 5 {
			t.Errorf("%s: %d boxes and %d names", f.class, len(boxes), names)
		}
	}
}

func TestFlameLegendAddsUp(t *testing.T) {
	p := profile()
	_, parts := flameTable(&p)
	sum := 0.0
	for _, r := range parts {
		sum += number(t, strings.TrimSuffix(r.Values[1], " %"))
	}
	if math.Abs(sum-100) > 0.5 || parts[1].Name != "write barrier" || parts[1].Colour != colour(1) {
		t.Errorf("shares of %v add up to %v", parts, sum)
	}
	p.Frames = []result.Frame{{Parent: -1, Kind: 4, Value: 1}}
	if _, parts = flameTable(&p); len(parts) != 1 || parts[0].Colour != colour(4) {
		t.Errorf("a legend of kinds that are not there: %v", parts)
	}
}

func TestNamesInBoxes(t *testing.T) {
	for _, c := range []struct {
		name string
		room float64
		want string
	}{
		{"runtime.gcDrain", 200, "runtime.gcDrain"},
		{"runtime.gcDrain", 60, "gcDrain"},
		{"runtime.gcDrain", 35, "gcDr…"},
		{"runtime.gcDrain", 12, ""},
		{"compress", 40, "comp…"},
		{"f", 10, "f"},
		{"f", 2, ""},
		{"", 10, ""},
	} {
		if got := inside(c.name, c.room); got != c.want {
			t.Errorf("%q in %v is %q, want %q", c.name, c.room, got, c.want)
		}
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
		if v := newChart(c); !v.Empty || len(v.Scenes) > 0 {
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
