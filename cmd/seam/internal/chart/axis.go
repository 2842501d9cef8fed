package chart

import (
	"math"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// An axis maps values to places on a line of the picture. What every chart draws of its
// axes is drawn here; axisrange.go chooses where they begin and end, ticks.go which values
// are written beside them.
type axis struct {
	lo, hi   float64 // values at the ends, lo < hi
	from, to float64 // places of the ends
	log      bool
}

// at is the place of v. Values outside the axis lie on its nearer end.
func (x axis) at(v float64) float64 {
	lo, hi := x.lo, x.hi
	v = min(max(v, lo), hi)
	if x.log {
		lo, hi, v = math.Log(lo), math.Log(hi), math.Log(v)
	}
	// Divided before it is subtracted: hi-lo may be beyond the largest float.
	span := hi/2 - lo/2
	return x.from + (x.to-x.from)*((v/2-lo/2)/span)
}

// verticals draws a line from top to bottom at each value of an axis that runs from left
// to right.
func (x axis) verticals(s *Scene, class string, values []float64, top, bottom float64) {
	for _, v := range values {
		s.Line(class, x.at(v), top, x.at(v), bottom)
	}
}

// horizontals draws a line from left to right at each value of an axis that runs upwards.
func (x axis) horizontals(s *Scene, class string, values []float64, left, right float64) {
	for _, v := range values {
		s.Line(class, left, x.at(v), right, x.at(v))
	}
}

// labelsBelow writes those of the values that there is room for under an axis that runs
// from left to right, in a picture of this width.
func (x axis) labelsBelow(s *Scene, values []float64, label func(float64) string, width, y float64) {
	wide := func(v float64) float64 { return textWidth(label(v), sizeTick) }
	for _, v := range thin(values, x, wide) {
		half := wide(v) / 2
		at := min(max(x.at(v), half), width-half) // the outermost must not be cut off
		s.Text("tick", "middle", label(v), at, y)
	}
}

// labelsLeft writes the values beside an axis that runs upwards at left.
func (x axis) labelsLeft(s *Scene, values []float64, label func(float64) string, left float64) {
	for _, v := range values {
		s.Text("tick", "end", label(v), left-6, x.at(v)+4)
	}
}

// inUnit writes the values of a unit.
func inUnit(unit string) func(float64) string {
	return func(v float64) string { return quantity.Tick(v, unit) }
}
