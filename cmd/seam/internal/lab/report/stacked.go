package report

import (
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

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
	return chart.Colour(n)
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

func stacksOf(c *result.Chart) *chart.Stacked {
	stacked := &chart.Stacked{Name: describe(c), Unit: c.Unit}
	names := partNames(c)
	for _, st := range c.Stacks {
		bar := chart.Stack{Label: clean(st.Label), Value: total(st)}
		for _, p := range st.Parts {
			label := clean(p.Label)
			bar.Parts = append(bar.Parts, chart.Part{Label: label, Class: partColour(names, slices.Index(names, label)), Value: p.Value})
		}
		stacked.Bars = append(stacked.Bars, bar)
	}
	return stacked
}

// A partRow is a line of the table below a stacked chart, which is its legend
// too.
type partRow struct {
	Key    chart.Scene
	Name   string
	Values []string
}

func partKey(colour string) chart.Scene { return chart.Swatch("part " + colour) }

func partTable(c *result.Chart) (head []string, parts []partRow) {
	for _, st := range c.Stacks {
		head = append(head, clean(st.Label))
	}
	names := partNames(c)
	for n, name := range names {
		r := partRow{Key: partKey(partColour(names, n)), Name: name}
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
