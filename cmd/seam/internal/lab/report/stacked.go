package report

import (
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// palette is how many colours the style sheet has for parts and lines.
const palette = 7

// notSplit is the part that an experiment couldn't take apart. It has no colour,
// so that it doesn't look like one that was found.
const notSplit = "not split"

// partNames lists the names of all parts in order of first appearance. The
// place in it is a part's colour, but for notSplit, which comes last.
func partNames(c *result.Chart) []string {
	var names []string
	for _, st := range c.Stacks {
		for _, p := range st.Parts {
			if l := clean(p.Label); !slices.Contains(names, l) {
				names = append(names, l)
			}
		}
	}
	if i := slices.Index(names, notSplit); i >= 0 {
		names = append(slices.Delete(names, i, i+1), notSplit)
	}
	return names
}

// partColour is the class of the n-th part.
func partColour(names []string, n int) string {
	if names[n] == notSplit {
		return "band"
	}
	return colour(n)
}

func total(st result.Stack) float64 {
	t := 0.0
	for _, p := range st.Parts {
		if quantity.Usable(p.Value) {
			t += p.Value
		}
	}
	return t
}

// drawStacked draws bars made of parts, one after the other. A part that came
// out at or below zero (it is a difference, lost in noise) takes no room; the
// table below the chart has its figure.
func drawStacked(c *result.Chart, f frame) htmlpage.Scene {
	labels := make([]string, len(c.Stacks))
	shown := make([]string, len(c.Stacks))
	names := partNames(c)
	values := []float64{0}
	for i, st := range c.Stacks {
		labels[i], shown[i] = clean(st.Label), quantity.Format(total(st), c.Unit)
		drawn := 0.0
		for _, p := range st.Parts {
			if quantity.Usable(p.Value) && p.Value > 0 {
				drawn += p.Value
			}
		}
		values = append(values, drawn)
	}
	h := layOut(f, labels, shown)
	x := axis{0, 1, h.left, h.right, false}
	if hi := slices.Max(values); quantity.Usable(hi) && hi > 0 {
		x.hi = hi
	}
	s := htmlpage.Scene{Class: f.class, Name: describe(c), W: htmlpage.Px(f.width)}
	s.H = htmlpage.Px(h.grid(&s, x, c.Unit))
	for i, st := range c.Stacks {
		h.write(&s, i)
		y, from := h.middle(i), 0.0
		for _, p := range st.Parts {
			if !quantity.Usable(p.Value) || p.Value <= 0 {
				continue
			}
			label := clean(p.Label)
			a, b := x.at(from), x.at(from+p.Value)
			s.Rect("part "+partColour(names, slices.Index(names, label)), tip(label, p.Value, 0, 0, c.Unit),
				a, y-h.barHeight/2, b-a, h.barHeight)
			from += p.Value
		}
	}
	s.Line("axis", x.a, 4, x.a, h.bottom())
	return s
}

// colour is the class of the n-th colour.
func colour(n int) string {
	return [palette]string{"c0", "c1", "c2", "c3", "c4", "c5", "c6"}[max(0, n)%palette]
}

// A partRow is a line of the table below a stacked chart, which is its legend
// too.
type partRow struct {
	Colour, Name string
	Values       []string
}

func partTable(c *result.Chart) (head []string, parts []partRow) {
	for _, st := range c.Stacks {
		head = append(head, clean(st.Label))
	}
	names := partNames(c)
	for n, name := range names {
		r := partRow{Colour: partColour(names, n), Name: name}
		for _, st := range c.Stacks {
			sum, found := 0.0, false
			for _, p := range st.Parts {
				if clean(p.Label) == name {
					sum, found = sum+p.Value, true
				}
			}
			cell := ""
			if found {
				cell = quantity.Format(sum, c.Unit)
			}
			r.Values = append(r.Values, cell)
		}
		parts = append(parts, r)
	}
	return head, parts
}
