package chart

import (
	"strconv"
	"testing"
)

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A child lies below its parent, from one end to the other at most, and no two boxes lie
// over each other.
func TestFlameLiesInOrder(t *testing.T) {
	c := &Flame{Name: "t", Total: 100}
	for i, b := range []struct {
		parent int
		value  float64
	}{{-1, 60}, {0, 30}, {1, 30}, {2, 10}, {2, 20}, {0, 25}, {5, 0.001}, {-1, 40}, {7, 39}, {8, 1}, {8, 30}, {10, 29}} {
		c.Boxes = append(c.Boxes, Box{Parent: b.parent, Value: b.value, Tip: "tip", Labels: []string{"runtime.function" + strconv.Itoa(i), "f"}})
	}
	for _, s := range Draw(c, 720) {
		type box struct{ x, y, w float64 }
		var boxes []box
		names := 0
		for _, sh := range s.Shapes {
			switch sh.Kind {
			case "rect":
				b := box{number(t, sh.X), number(t, sh.Y), number(t, sh.X2)}
				if b.x < 0 || b.x+b.w > number(t, s.W)+0.1 || b.y+boxHeight > number(t, s.H) {
					t.Errorf("%s: box %+v is outside", s.Class, b)
				}
				for _, o := range boxes {
					if o.y == b.y && b.x < o.x+o.w-0.2 && o.x < b.x+b.w-0.2 {
						t.Errorf("%s: boxes %+v and %+v lie over each other", s.Class, o, b)
					}
				}
				boxes = append(boxes, b)
			case "text":
				names++
				b := boxes[len(boxes)-1]
				if w := textWidth(sh.String, sizeTick); w > b.w {
					t.Errorf("%s: %q is %v wide, its box %v", s.Class, sh.String, w, b.w)
				}
			}
		}
		if len(boxes) != len(c.Boxes)-1 || names < 5 { // one is a hairline
			t.Errorf("%s: %d boxes and %d names", s.Class, len(boxes), names)
		}
	}
}

func TestNamesInBoxes(t *testing.T) {
	for _, c := range []struct {
		labels []string
		room   float64
		want   string
	}{
		{[]string{"runtime.gcDrain", "gcDrain"}, 200, "runtime.gcDrain"},
		{[]string{"runtime.gcDrain", "gcDrain"}, 60, "gcDrain"},
		{[]string{"runtime.gcDrain", "gcDrain"}, 35, "gcDr…"},
		{[]string{"runtime.gcDrain", "gcDrain"}, 12, ""},
		{[]string{"compress"}, 40, "comp…"},
		{[]string{"f"}, 10, "f"},
		{[]string{"f"}, 2, ""},
		{[]string{""}, 10, ""},
		{nil, -4, ""},
	} {
		if got := inside(c.labels, c.room); got != c.want {
			t.Errorf("%q in %v is %q, want %q", c.labels, c.room, got, c.want)
		}
	}
}
