package chart

import (
	"slices"
	"strings"
)

// Timeline is panels one below the other, over one axis of time in steps of equal length.
type Timeline struct {
	Name   string   // for those who can't see it
	Step   float64  // nanoseconds
	Tips   []string // one for each step
	Panels []Panel
}

// A Panel is a row of a Timeline, left out where no value is above zero.
type Panel struct {
	Name, Class string
	Area        bool // an area on a linear scale; else bars, on a logarithmic one where they span much
	Height      float64
	Values      []float64 // one for each step
	Rounding    Rounding
	Tick        func(float64) string
}

// axis is the panel's, with the floor at the given height.
func (p *Panel) axis(floor float64) axis {
	x := barAxis(p.Values, floor, floor-p.Height)
	if p.Area {
		x = axis{0, slices.Max(p.Values), floor, floor - p.Height, false}
	}
	return x
}

func (c *Timeline) draw(f frame) Scene {
	s := f.scene(c.Name)
	left, right := 62.0, f.width-6
	if f.narrow {
		left = 56
	}
	each := (right - left) / float64(len(c.Tips))
	y := 0.0
	for i := range c.Panels {
		p := &c.Panels[i]
		if !slices.ContainsFunc(p.Values, func(v float64) bool { return v > 0 }) {
			continue
		}
		floor := y + 20 + p.Height
		x := p.axis(floor)
		name, at := p.Name, left
		if x.log {
			name += ", logarithmic scale"
		}
		if textWidth(name, sizeName) > right-left { // on a phone the longest need the whole width
			at, name = 2, strings.Replace(name, "logarithmic", "log", 1)
		}
		s.Text("name", "start", fit(name, sizeName, f.width-at), at, y+12)
		ticks := p.ticks(x)
		x.horizontals(&s, "grid", ticks, left, right)
		x.labelsLeft(&s, ticks, p.Tick, left)
		if p.Area {
			p.area(&s, x, left, each)
		} else {
			p.bars(&s, x, left, each)
		}
		s.Line("axis", left, floor, right, floor)
		y = floor + 14
	}
	c.times(&s, left, right, y-14)
	for i, t := range c.Tips {
		s.Rect("hit", t, left+each*float64(i), 16, each, y-30)
	}
	s.H = Px(y + 12)
	return s
}

// ticks are as many as there is room for.
func (p *Panel) ticks(x axis) []float64 {
	all, _ := x.ticks(int(p.Height/22), p.Rounding)
	if x.log {
		slices.Reverse(all) // so that the highest stays
	}
	return thin(all, x, func(float64) float64 { return 14 })
}

// area fills what lies below the values, and draws their line.
func (p *Panel) area(s *Scene, x axis, left, each float64) {
	spots := []Spot{{left, x.from}}
	for i, v := range p.Values {
		from := left + each*float64(i)
		spots = append(spots, Spot{from, x.at(v)}, Spot{from + each, x.at(v)})
	}
	right := spots[len(spots)-1].X
	s.Polyline(p.Class, append(spots, Spot{right, x.from}), true)
}

func (p *Panel) bars(s *Scene, x axis, left, each float64) {
	for i, v := range p.Values {
		if v > 0 {
			h := max(1, x.from-x.at(v))
			s.Rect("bar "+p.Class, "", left+each*float64(i), x.from-h, max(0.6, each-min(1, each/4)), h)
		}
	}
}

// times writes the axis of time below the lowest panel.
func (c *Timeline) times(s *Scene, left, right, floor float64) {
	x := axis{0, c.Step * float64(len(c.Tips)), left, right, false}
	ticks, _ := x.ticks(int((right-left)/90), Whole)
	x.verticals(s, "axis", ticks, floor, floor+4)
	x.labelsBelow(s, ticks, inUnit("ns"), right+6, floor+17)
}
