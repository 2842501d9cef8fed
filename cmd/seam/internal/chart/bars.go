package chart

import (
	"cmp"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// Bars are values as horizontal bars, on a logarithmic scale where they span much.
type Bars struct {
	Name string // for those who can't see it
	Unit string
	Bars []Bar
}

// A Bar is a value with its interval, if Lo is less than Hi, and with what it is compared
// with, if that is above zero.
type Bar struct {
	Label         string
	Value, Lo, Hi float64
	Reference     float64
	ReferenceTip  string
	Class         string // its colour; "" is the first
}

func (b *Bar) referred() bool { return quantity.Usable(b.Reference) && b.Reference > 0 }

// axis has room for all that is drawn. Which scale it has, the bars alone decide: a
// reference far from them must not cost their lengths their meaning.
func (c *Bars) axis(from, to float64) axis {
	var values, references []float64
	longest := 0.0
	for _, b := range c.Bars {
		values = append(values, b.Value)
		if b.referred() {
			references = append(references, b.Reference)
		}
		if quantity.Usable(b.Value) {
			longest = max(longest, b.Value)
		}
	}
	for _, v := range references {
		longest = max(longest, v)
	}
	x := barAxis(values, from, to)
	if x.log {
		return barAxis(append(values, references...), from, to)
	}
	// Lo lies inside the bar. One interval that reaches far must not make hairs of all
	// the bars: it is cut off at the end of the axis.
	for _, b := range c.Bars {
		if isInterval(b.Lo, b.Hi) {
			longest = max(longest, min(b.Hi, 1.5*longest))
		}
	}
	if longest > 0 {
		x.hi = longest
	}
	return x
}

func (c *Bars) draw(f frame) Scene {
	labels, values := make([]string, len(c.Bars)), make([]string, len(c.Bars))
	for i, b := range c.Bars {
		labels[i], values[i] = b.Label, quantity.Format(b.Value, c.Unit)
	}
	r := layOut(f, labels, values)
	x := c.axis(r.left, r.right)
	s := f.scene(c.Name)
	r.scale(&s, x, c.Unit)
	for i, b := range c.Bars {
		r.write(&s, i)
		y := r.middle(i)
		zero := x.from
		if !x.log {
			zero = x.at(0)
		}
		if quantity.Usable(b.Value) && (b.Value > 0 || !x.log) {
			end := x.at(b.Value)
			s.Rect("bar "+cmp.Or(b.Class, Colour(0)), tip(b.Label, b.Value, b.Lo, b.Hi, c.Unit),
				min(zero, end), y-r.barHeight/2, max(zero, end)-min(zero, end), r.barHeight)
			if isInterval(b.Lo, b.Hi) {
				x.whisker(&s, b.Lo, b.Hi, y)
			}
		}
		if b.referred() {
			diamond(&s, b.ReferenceTip, x.at(b.Reference), y)
		}
	}
	s.Line("axis", x.from, 4, x.from, r.bottom())
	return s
}

// Legend explains the signs that occur, by these names.
func (c *Bars) Legend(interval, reference string) []Item {
	var intervals, references bool
	for _, b := range c.Bars {
		intervals = intervals || isInterval(b.Lo, b.Hi)
		references = references || b.referred()
	}
	var list []Item
	if intervals {
		k := key()
		axis{hi: 1, from: 3, to: 25}.whisker(&k, 0, 1, 6)
		list = append(list, Item{k, interval})
	}
	if c.cut() {
		k := key()
		axis{hi: 1, from: 3, to: 25}.whisker(&k, 0, 2, 6)
		list = append(list, Item{k, "goes on beyond the scale"})
	}
	if references {
		k := key()
		diamond(&k, "", 14, 6)
		list = append(list, Item{k, reference})
	}
	if c.axis(0, 1).log {
		list = append(list, Item{Label: "logarithmic scale"})
	}
	return list
}

// isInterval reports whether there is an interval to draw.
func isInterval(lo, hi float64) bool {
	return quantity.Usable(lo) && quantity.Usable(hi) && hi > lo
}

// cut reports whether an interval goes beyond the axis.
func (c *Bars) cut() bool {
	x := c.axis(0, 1)
	for _, b := range c.Bars {
		if isInterval(b.Lo, b.Hi) && (b.Lo < x.lo || b.Hi > x.hi) {
			return true
		}
	}
	return false
}

// whisker draws an interval: with a cap where it ends, and an arrow where it goes on beyond
// the axis.
func (x axis) whisker(s *Scene, lo, hi, y float64) {
	from, to := x.at(lo), x.at(hi)
	s.Line("whisker", from, y, to, y)
	end := func(at, inwards float64, beyond bool) {
		if beyond {
			s.Line("whisker", at, y, at+inwards, y-3.5)
			s.Line("whisker", at, y, at+inwards, y+3.5)
			return
		}
		s.Line("whisker", at, y-3.5, at, y+3.5)
	}
	end(from, 4, lo < x.lo)
	end(to, -4, hi > x.hi)
}

// diamond is the hollow marker of a reference.
func diamond(s *Scene, tip string, x, y float64) {
	s.Add(Shape{Kind: "path", Class: "ref", Tip: tip, D: "M" + Px(x) + " " + Px(y-5) + "l5 5l-5 5l-5 -5z"}, x, y)
}

// tip is what pointing at a value shows.
func tip(label string, v, lo, hi float64, unit string) string {
	t := quantity.Format(v, unit)
	if label != "" {
		t = label + ": " + t
	}
	if r := quantity.Interval(lo, hi, unit); r != "" {
		t += " (" + r + ")"
	}
	return t
}
