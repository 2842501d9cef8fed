package chart

import (
	"cmp"
	"slices"
)

// A placed is a mark's label: where the mark is, and where the text begins and
// ends.
type placed struct {
	label        string
	at, from, to float64
}

// markRowHeight is the distance between rows of labels.
const markRowHeight = 17.0

// placeMarks gives the labels of the marks places above the field where they
// don't touch. A label stands right of its mark's line; the line runs up to it.
// So from right to left, each goes on the lowest row above the lines that it
// would cross. (A label at the right edge is moved left and may stand on a
// line; text has an outline in the colour of the page for that.)
func (p *plot) placeMarks() {
	order := slices.Clone(p.marks)
	slices.SortStableFunc(order, func(a, b Mark) int { return cmp.Compare(b.X, a.X) })
	for _, m := range order {
		label := fit(m.Label, sizeTick, p.f.width-4)
		if label == "" {
			continue
		}
		w := textWidth(label, sizeTick)
		l := placed{label: label, at: p.x.at(m.X)}
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

func (p *plot) drawMarks(s *Scene) {
	for _, m := range p.marks {
		if isInterval(m.Lo, m.Hi) && m.Hi > 0 {
			a, b := p.x.at(max(m.Lo, p.x.lo)), p.x.at(m.Hi)
			s.Rect("band", tip(m.Label, m.X, m.Lo, m.Hi, ""), a, p.top, b-a, p.bottom-p.top)
		}
		if m.Label == "" {
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
			s.Text("mark-name", "start", l.label, l.from, p.top-5-float64(n)*markRowHeight)
		}
	}
}
