package chart

import (
	"cmp"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// Lines is a log–log chart of curves.
type Lines struct {
	Name           string // for those who can't see it
	XLabel, YLabel string
	Unit           string // of heights
	Lines          []Line
	Marks          []Mark
}

// A Line is a named curve. The lab's results have the same fields, but are a file format
// that can't follow a change made for a picture.
type Line struct {
	Label  string
	Look   int // which colour and form of points it has
	Dashed bool
	Points []Point
}

// A Point of a Line has an interval if Lo is less than Hi.
type Point struct{ X, Y, Lo, Hi float64 }

// A Mark is a vertical marker, in a band from Lo to Hi where Lo is less than Hi.
type Mark struct {
	X, Lo, Hi float64
	Label     string
}

// visible are the points that a logarithmic chart can show, from left to right.
func (l *Line) visible() []Point {
	var ps []Point
	for _, p := range l.Points {
		if quantity.Usable(p.X) && quantity.Usable(p.Y) && p.X > 0 && p.Y > 0 {
			ps = append(ps, p)
		}
	}
	slices.SortStableFunc(ps, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	return ps
}

func (l *Line) class() string {
	class := "curve " + Colour(l.Look)
	if l.Dashed {
		class += " dashed"
	}
	return class
}

// Legend names the lines of which something can be shown.
func (c *Lines) Legend() []Item {
	var list []Item
	for _, l := range c.Lines {
		if len(l.visible()) > 0 {
			k := key()
			k.Line(l.class(), 1, 6, 27, 6)
			marker(&k, l.Look, "", 14, 6)
			list = append(list, Item{k, l.Label})
		}
	}
	return list
}

// Empty reports whether no point can be shown.
func (c *Lines) Empty() bool { return len(c.Legend()) == 0 }

func (c *Lines) draw(f frame) Scene {
	if c.Empty() {
		return Scene{}
	}
	p := plan(c, f)
	s := f.scene(c.Name)
	s.H = Px(p.height)
	p.drawGrid(&s)
	p.drawMarks(&s)
	for _, l := range c.Lines {
		p.drawLine(&s, l)
	}
	if !f.narrow {
		p.drawNames(&s)
	}
	return s
}

// A plot is a log–log chart with its room divided up.
type plot struct {
	c      *Lines
	f      frame
	x, y   axis
	marks  []Mark
	rows   [][]placed // labels of the marks, by the line they stand on
	height float64
	top    float64 // of the curves' field
	bottom float64
}

const (
	nameGap   = 17.0
	nameWidth = 150.0
)

func plan(c *Lines, f frame) *plot {
	p := &plot{c: c, f: f}
	var xs, ys []float64
	for _, l := range c.Lines {
		for _, p := range l.visible() {
			xs, ys = append(xs, p.X), append(ys, p.Y)
			if isInterval(p.Lo, p.Hi) && p.Lo > 0 {
				ys = append(ys, p.Lo, p.Hi)
			}
		}
	}
	for _, m := range c.Marks {
		if quantity.Usable(m.X) && m.X > 0 {
			p.marks = append(p.marks, m)
			xs = append(xs, m.X)
		}
	}
	field := 300.0
	if f.narrow {
		field = 250
	}
	p.y, _ = logAxis(ys, field, 0) // heights are set below, ticks don't need them
	major, _ := p.y.ticks(0, roundingOf(p.c.Unit))
	left := 0.0
	for _, v := range major {
		left = max(left, textWidth(quantity.Tick(v, c.Unit), sizeTick))
	}
	left = min(left, 90) + 8
	right := f.width - 8
	if !f.narrow {
		widest := 0.0
		for _, l := range c.Lines {
			widest = max(widest, min(nameWidth, textWidth(l.Label, sizeLabel)))
		}
		right = f.width - widest - 26
	}
	p.x, _ = logAxis(xs, left, right)
	p.placeMarks()
	p.top = 6 + float64(len(p.rows))*markRowHeight
	if c.YLabel != "" {
		p.top += 20
	}
	p.bottom = p.top + field
	p.y.from, p.y.to = p.bottom, p.top
	p.height = p.bottom + 22
	if c.XLabel != "" {
		p.height += 19
	}
	return p
}

func (p *plot) drawGrid(s *Scene) {
	left, right := p.x.from, p.x.to
	xMajor, xMinor := p.x.ticks(0, Decimal)
	yMajor, yMinor := p.y.ticks(0, roundingOf(p.c.Unit))
	p.x.verticals(s, "grid minor", xMinor, p.top, p.bottom)
	p.y.horizontals(s, "grid minor", yMinor, left, right)
	p.x.verticals(s, "grid", xMajor, p.top, p.bottom)
	p.y.horizontals(s, "grid", yMajor, left, right)
	s.Line("axis", left, p.bottom, right, p.bottom)
	s.Line("axis", left, p.top, left, p.bottom)
	p.x.labelsBelow(s, xMajor, quantity.Compact, p.f.width, p.bottom+15)
	p.y.labelsLeft(s, thin(yMajor, p.y, func(float64) float64 { return 6 }), inUnit(p.c.Unit), left)
	s.Text("axis-name", "middle", fit(p.c.XLabel, sizeTick, p.f.width-4), min((left+right)/2, p.f.width/2+left/2), p.bottom+34)
	s.Text("axis-name", "start", fit(p.c.YLabel, sizeTick, p.f.width-4), 0, 12)
}

func (p *plot) drawLine(s *Scene, l Line) {
	points := l.visible()
	var spots []Spot
	for _, pt := range points {
		spots = append(spots, Spot{p.x.at(pt.X), p.y.at(pt.Y)})
	}
	s.Polyline(l.class(), spots, false)
	for i, pt := range points {
		if isInterval(pt.Lo, pt.Hi) && pt.Lo > 0 {
			s.Line("span "+Colour(l.Look), spots[i].X, p.y.at(pt.Lo), spots[i].X, p.y.at(pt.Hi))
		}
		marker(s, l.Look, tip(l.Label+" at "+quantity.Compact(pt.X), pt.Y, pt.Lo, pt.Hi, p.c.Unit), spots[i].X, spots[i].Y)
	}
}

// drawNames writes each line's name beside its end.
func (p *plot) drawNames(s *Scene) {
	var ends []float64
	var lines []Line
	for _, l := range p.c.Lines {
		if ps := l.visible(); len(ps) > 0 {
			ends = append(ends, p.y.at(ps[len(ps)-1].Y))
			lines = append(lines, l)
		}
	}
	for i, y := range spread(ends, nameGap, p.top+6, p.bottom-6) {
		marker(s, lines[i].Look, "", p.x.to+12, y)
		s.Text("label", "start", fit(lines[i].Label, sizeLabel, nameWidth), p.x.to+21, y+4.5)
	}
}
