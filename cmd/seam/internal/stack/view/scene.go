package view

import (
	"math"

	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
)

// A room is what a drawing is made for. Each is made twice: text must stay legible on a
// phone, so it can't just shrink.
type room struct {
	class string
	width float64
}

var rooms = []room{{"wide", 852}, {"narrow", 350}}

// area fills what lies between spots and the floor, and draws their line.
func area(s *htmlpage.Scene, class string, spots []htmlpage.Spot, floor float64) {
	if len(spots) == 0 {
		return
	}
	line := append([]htmlpage.Spot{{X: spots[0].X, Y: floor}}, spots...)
	s.Polyline(class, append(line, htmlpage.Spot{X: spots[len(spots)-1].X, Y: floor}), true)
}

// letterWidth is that of a letter of the small type, on the wide side.
const letterWidth = 6.7

// fitting is as much of words as there is room for, nothing rather than a letter or two.
func fitting(words string, room float64) string {
	n := int(room / letterWidth)
	r := []rune(words)
	switch {
	case len(r) <= n:
		return words
	case n < 4:
		return ""
	}
	return string(r[:n-1]) + "…"
}

// A scale maps values to heights.
type scale struct {
	lo, hi float64
	log    bool
}

// logSpan is how many times the largest value may be the smallest before a linear scale
// hides the small ones.
const logSpan = 50

// scaleOf chooses the scale for values, of which none is below zero.
func scaleOf(values []float64) scale {
	lo, hi := math.Inf(1), 0.0
	for _, v := range values {
		if v > 0 {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	switch {
	case hi == 0:
		return scale{0, 1, false}
	case hi/lo > logSpan:
		return scale{math.Pow(10, math.Floor(math.Log10(lo/1.5))), hi, true}
	}
	return scale{0, hi, false}
}

// share is how far up v is, from 0 to 1.
func (c scale) share(v float64) float64 {
	v = min(max(v, c.lo), c.hi)
	if c.log {
		return math.Log(v/c.lo) / math.Log(c.hi/c.lo)
	}
	return (v - c.lo) / (c.hi - c.lo)
}

// ticks are round values on a scale, some n of them. Binary ones are powers of two apart.
func (c scale) ticks(n int, binary bool) []float64 {
	var list []float64
	if c.log {
		base := 10.0
		if binary {
			base = 2
		}
		last := math.Floor(math.Log(c.hi) / math.Log(base))
		first := math.Max(0, math.Ceil(math.Log(c.lo)/math.Log(base)))
		by := max(1, math.Ceil((last-first)/float64(n)))
		for e := last; e >= first; e -= by {
			list = append(list, math.Pow(base, e))
		}
		return list
	}
	step := math.Pow(10, math.Floor(math.Log10(c.hi/float64(n))))
	if binary {
		step = math.Exp2(math.Ceil(math.Log2(c.hi / float64(n))))
	} else {
		for _, k := range []float64{1, 2, 5, 10} {
			if k*step >= c.hi/float64(n) {
				step *= k
				break
			}
		}
		step = max(step, 1)
	}
	for i := 0.0; i*step <= c.hi; i++ {
		list = append(list, i*step)
	}
	return list
}
