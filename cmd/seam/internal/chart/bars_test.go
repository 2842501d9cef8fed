package chart

import (
	"slices"
	"testing"
)

// lines are the ends of a scene's lines of a class.
func lines(s Scene, class string) (list []string) {
	for _, shape := range s.Shapes {
		if shape.Kind == "line" && shape.Class == class {
			list = append(list, shape.X+","+shape.Y+" "+shape.X2+","+shape.Y2)
		}
	}
	return list
}

// An interval that goes beyond the axis has an arrow there, and no cap.
func TestWhiskerBeyondTheAxis(t *testing.T) {
	x := axis{lo: 1, hi: 11, from: 0, to: 100}
	for _, c := range []struct {
		lo, hi float64
		want   []string
	}{
		{2, 6, []string{"10,20 50,20", "10,16.5 10,23.5", "50,16.5 50,23.5"}},
		{1, 11, []string{"0,20 100,20", "0,16.5 0,23.5", "100,16.5 100,23.5"}},
		{2, 12, []string{"10,20 100,20", "10,16.5 10,23.5", "100,20 96,16.5", "100,20 96,23.5"}},
		{0, 6, []string{"0,20 50,20", "0,20 4,16.5", "0,20 4,23.5", "50,16.5 50,23.5"}},
	} {
		var s Scene
		x.whisker(&s, c.lo, c.hi, 20)
		if got := lines(s, "whisker"); !slices.Equal(got, c.want) {
			t.Errorf("%v to %v: %q, want %q", c.lo, c.hi, got, c.want)
		}
	}
}

// The legend says what an arrow means, where there is one.
func TestLegendOfArrows(t *testing.T) {
	bars := &Bars{Unit: "ns", Bars: []Bar{{Label: "a", Value: 10, Lo: 9, Hi: 11}, {Label: "b", Value: 12, Lo: 1, Hi: 13}}}
	for hi, want := range map[float64]int{13: 1, 500: 2} {
		bars.Bars[1].Hi = hi
		if got := bars.Legend("interval", "published"); len(got) != want || got[0].Label != "interval" {
			t.Errorf("up to %v: %d signs, want %d: %+v", hi, len(got), want, got)
		}
	}
}
