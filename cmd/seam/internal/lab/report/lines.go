package report

import (
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// positives are the points that a logarithmic chart can show, from left to
// right.
func positives(l result.Line) []result.Point {
	var ps []result.Point
	for _, p := range l.Points {
		if quantity.Usable(p.X) && quantity.Usable(p.Y) && p.X > 0 && p.Y > 0 {
			ps = append(ps, p)
		}
	}
	slices.SortStableFunc(ps, func(a, b result.Point) int {
		switch {
		case a.X < b.X:
			return -1
		case a.X > b.X:
			return 1
		}
		return 0
	})
	return ps
}

func markUsable(m result.Mark) bool { return quantity.Usable(m.X) && m.X > 0 }

// drawLines draws a log–log chart. ok is false where no point can be shown.
func drawLines(c *result.Chart, f frame) (s htmlpage.Scene, ok bool) {
	var xs, ys []float64
	for _, l := range c.Lines {
		for _, p := range positives(l) {
			xs, ys = append(xs, p.X), append(ys, p.Y)
			if whiskered(p.Lo, p.Hi) && p.Lo > 0 {
				ys = append(ys, p.Lo, p.Hi)
			}
		}
	}
	if len(xs) == 0 {
		return htmlpage.Scene{}, false
	}
	var marks []result.Mark
	for _, m := range c.Marks {
		if markUsable(m) {
			marks = append(marks, m)
			xs = append(xs, m.X)
		}
	}
	p := plan(c, f, marks, xs, ys)
	s = htmlpage.Scene{Class: f.class, Name: describe(c), W: htmlpage.Px(f.width), H: htmlpage.Px(p.height)}
	p.drawGrid(&s)
	p.drawMarks(&s)
	for i, l := range c.Lines {
		p.drawLine(&s, i, l)
	}
	if !f.narrow {
		p.drawNames(&s)
	}
	return s, true
}

// A plot is a log–log chart with its room divided up.
type plot struct {
	c      *result.Chart
	f      frame
	x, y   axis
	marks  []result.Mark
	rows   [][]placed // labels of the marks, by the line they stand on
	height float64
	top    float64 // of the curves' field
	bottom float64
}

// A placed is a mark's label: where the mark is, and where the text begins and
// ends.
type placed struct {
	text         string
	at, from, to float64
}

const (
	markRowHeight = 17.0
	nameGap       = 17.0
	nameWidth     = 150.0
)

func plan(c *result.Chart, f frame, marks []result.Mark, xs, ys []float64) *plot {
	p := &plot{c: c, f: f, marks: marks}
	field := 300.0
	if f.narrow {
		field = 250
	}
	p.y, _ = logAxis(ys, field, 0) // heights are set below, ticks don't need them
	major, _ := logTicks(p.y.lo, p.y.hi)
	left := 0.0
	for _, v := range major {
		left = max(left, textWidth(quantity.Tick(v, c.Unit), sizeTick))
	}
	left = min(left, 90) + 8
	right := f.width - 8
	if !f.narrow {
		widest := 0.0
		for _, l := range c.Lines {
			widest = max(widest, min(nameWidth, textWidth(clean(l.Label), sizeLabel)))
		}
		right = f.width - widest - 26
	}
	p.x, _ = logAxis(xs, left, right)
	p.placeMarks()
	p.top = 6 + float64(len(p.rows))*markRowHeight
	if clean(c.YLabel) != "" {
		p.top += 20
	}
	p.bottom = p.top + field
	p.y.a, p.y.b = p.bottom, p.top
	p.height = p.bottom + 22
	if clean(c.XLabel) != "" {
		p.height += 19
	}
	return p
}

// placeMarks gives the labels of the marks places above the field where they
// don't touch. A label stands right of its mark's line; the line runs up to it.
// So from right to left, each goes on the lowest row above the lines that it
// would cross. (A label at the right edge is moved left and may stand on a
// line; text has an outline in the colour of the page for that.)
func (p *plot) placeMarks() {
	order := slices.Clone(p.marks)
	slices.SortStableFunc(order, func(a, b result.Mark) int {
		switch {
		case a.X > b.X:
			return -1
		case a.X < b.X:
			return 1
		}
		return 0
	})
	for _, m := range order {
		text := fit(clean(m.Label), sizeTick, p.f.width-4)
		if text == "" {
			continue
		}
		w := textWidth(text, sizeTick)
		l := placed{text: text, at: p.x.at(m.X)}
		l.from = max(0, min(l.at-4, p.f.width-w))
		l.to = l.from + w
		lowest := 0
		for n, row := range p.rows {
			for _, o := range row {
				if l.from < o.to+10 && o.from < l.to+10 || l.from-3 < o.at && o.at < l.to+3 {
					lowest = n + 1
				}
			}
		}
		if lowest == len(p.rows) {
			p.rows = append(p.rows, nil)
		}
		p.rows[lowest] = append(p.rows[lowest], l)
	}
}

func (p *plot) drawGrid(s *htmlpage.Scene) {
	left, right := p.x.a, p.x.b
	xMajor, xMinor := logTicks(p.x.lo, p.x.hi)
	yMajor, yMinor := logTicks(p.y.lo, p.y.hi)
	for _, v := range xMinor {
		s.Line("grid minor", p.x.at(v), p.top, p.x.at(v), p.bottom)
	}
	for _, v := range yMinor {
		s.Line("grid minor", left, p.y.at(v), right, p.y.at(v))
	}
	for _, v := range xMajor {
		s.Line("grid", p.x.at(v), p.top, p.x.at(v), p.bottom)
	}
	for _, v := range yMajor {
		s.Line("grid", left, p.y.at(v), right, p.y.at(v))
	}
	s.Line("axis", left, p.bottom, right, p.bottom)
	s.Line("axis", left, p.top, left, p.bottom)
	for _, v := range thin(xMajor, p.x, func(v float64) float64 { return textWidth(quantity.Compact(v), sizeTick) }) {
		s.Text("tick", "middle", quantity.Compact(v), p.x.at(v), p.bottom+15)
	}
	for _, v := range thin(yMajor, p.y, func(float64) float64 { return 6 }) {
		s.Text("tick", "end", quantity.Tick(v, p.c.Unit), left-6, p.y.at(v)+4)
	}
	if l := clean(p.c.XLabel); l != "" {
		s.Text("axis-name", "middle", fit(l, sizeTick, p.f.width-4), min((left+right)/2, p.f.width/2+left/2), p.bottom+34)
	}
	if l := clean(p.c.YLabel); l != "" {
		s.Text("axis-name", "start", fit(l, sizeTick, p.f.width-4), 0, 12)
	}
}

func (p *plot) drawMarks(s *htmlpage.Scene) {
	for _, m := range p.marks {
		if whiskered(m.Lo, m.Hi) && m.Hi > 0 {
			a, b := p.x.at(max(m.Lo, p.x.lo)), p.x.at(m.Hi)
			s.Rect("band", tip(clean(m.Label), m.X, m.Lo, m.Hi, ""), a, p.top, b-a, p.bottom-p.top)
		}
		if clean(m.Label) == "" {
			s.Line("mark", p.x.at(m.X), p.top, p.x.at(m.X), p.bottom)
		}
	}
	for n, row := range p.rows {
		base := p.top - 5 - float64(n)*markRowHeight
		for _, l := range row {
			s.Line("mark", l.at, base+3, l.at, p.bottom)
		}
	}
	for n, row := range p.rows {
		for _, l := range row {
			s.Text("mark-name", "start", l.text, l.from, p.top-5-float64(n)*markRowHeight)
		}
	}
}

// look is which colour and marker the n-th line of a chart has.
func look(n int, l result.Line) int {
	if l.Look > 0 {
		return l.Look - 1
	}
	return n
}

func (p *plot) drawLine(s *htmlpage.Scene, n int, l result.Line) {
	n = look(n, l)
	label := clean(l.Label)
	var spots []htmlpage.Spot
	for _, pt := range positives(l) {
		spots = append(spots, htmlpage.Spot{X: p.x.at(pt.X), Y: p.y.at(pt.Y)})
	}
	class := "curve " + colour(n)
	if l.Dashed {
		class += " dashed"
	}
	s.Polyline(class, spots, false)
	for i, pt := range positives(l) {
		if whiskered(pt.Lo, pt.Hi) && pt.Lo > 0 {
			s.Line("span "+colour(n), spots[i].X, p.y.at(pt.Lo), spots[i].X, p.y.at(pt.Hi))
		}
		marker(s, n, "point "+colour(n), tip(label+" at "+quantity.Compact(pt.X), pt.Y, pt.Lo, pt.Hi, p.c.Unit), spots[i].X, spots[i].Y)
	}
}

// drawNames writes each line's name beside its end.
func (p *plot) drawNames(s *htmlpage.Scene) {
	var ends []float64
	var which []int
	for i, l := range p.c.Lines {
		if ps := positives(l); len(ps) > 0 {
			ends = append(ends, p.y.at(ps[len(ps)-1].Y))
			which = append(which, i)
		}
	}
	for k, y := range spread(ends, nameGap, p.top+6, p.bottom-6) {
		i := which[k]
		n := look(i, p.c.Lines[i])
		marker(s, n, "point "+colour(n), "", p.x.b+12, y)
		s.Text("label", "start", fit(clean(p.c.Lines[i].Label), sizeLabel, nameWidth), p.x.b+21, y+4.5)
	}
}
