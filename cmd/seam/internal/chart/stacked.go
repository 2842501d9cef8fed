package chart

import "github.com/seamgo/seam/cmd/seam/internal/quantity"

// Stacked are horizontal bars made of parts, one after the other.
type Stacked struct {
	Name string // for those who can't see it
	Unit string
	Bars []Stack
}

// A Stack is a bar made of parts.
type Stack struct {
	Label string
	Value float64 // shown beside the bar
	Parts []Part
}

// A Part is a piece of a Stack. One at or below zero (a difference, lost in noise) takes
// no room.
type Part struct {
	Label, Class string
	Value        float64
}

func (p Part) drawn() bool { return quantity.Usable(p.Value) && p.Value > 0 }

func (c *Stacked) draw(f frame) Scene {
	labels, values := make([]string, len(c.Bars)), make([]string, len(c.Bars))
	longest := 0.0
	for i, b := range c.Bars {
		labels[i], values[i] = b.Label, quantity.Format(b.Value, c.Unit)
		length := 0.0
		for _, p := range b.Parts {
			if p.drawn() {
				length += p.Value
			}
		}
		longest = max(longest, length)
	}
	r := layOut(f, labels, values)
	x := axis{0, 1, r.left, r.right, false}
	if quantity.Usable(longest) && longest > 0 {
		x.hi = longest
	}
	s := f.scene(c.Name)
	r.scale(&s, x, c.Unit)
	for i, b := range c.Bars {
		r.write(&s, i)
		y, from := r.middle(i), 0.0
		for _, p := range b.Parts {
			if p.drawn() {
				start, end := x.at(from), x.at(from+p.Value)
				s.Rect("part "+p.Class, tip(p.Label, p.Value, 0, 0, c.Unit), start, y-r.barHeight/2, end-start, r.barHeight)
				from += p.Value
			}
		}
	}
	s.Line("axis", x.from, 4, x.from, r.bottom())
	return s
}
