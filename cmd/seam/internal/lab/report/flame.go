package report

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// flammable reports whether there is something to draw. A profile from a file has been
// checked already; one from an experiment is checked here.
func flammable(p *result.Profile) bool { return p != nil && p.Check() == nil && p.Total() > 0 }

// flameOf draws functions above those that they call, in the colours of their kinds. A
// name that doesn't fit loses its package first.
func flameOf(c *result.Chart) *chart.Flame {
	p := c.Profile
	flame := &chart.Flame{Name: describe(c), Total: p.Total()}
	self := p.Self()
	for i, f := range p.Frames {
		names := []string{clean(f.Function)}
		if _, short, ok := strings.Cut(names[0], "."); ok {
			names = append(names, short)
		}
		flame.Boxes = append(flame.Boxes, chart.Box{Parent: f.Parent, Value: f.Value, Class: "part " + chart.Colour(f.Kind),
			Labels: names, Tip: flameTip(p, i, self[i], flame.Total)})
	}
	return flame
}

func flameTip(p *result.Profile, i int, self, total float64) string {
	f := p.Frames[i]
	t := fmt.Sprintf("%s: %s of the time (%s)", clean(f.Function), share(f.Value, total), quantity.Format(f.Value, p.Unit))
	if self > 0 && self < f.Value {
		t += ", " + share(self, total) + " itself"
	}
	return t + "; " + clean(p.Kinds[f.Kind])
}

func share(v, total float64) string { return fmt.Sprintf("%.1f %%", 100*v/total) }

// flameTable is the legend of a flame graph: its kinds, with the time that their
// functions took themselves.
func flameTable(p *result.Profile) (head []string, parts []partRow) {
	total := p.Total()
	for i, v := range p.Of() {
		if slices.ContainsFunc(p.Frames, func(f result.Frame) bool { return f.Kind == i }) {
			parts = append(parts, partRow{Key: partKey(chart.Colour(i)), Name: clean(p.Kinds[i]),
				Values: []string{quantity.Format(v, p.Unit), share(v, total)}})
		}
	}
	return []string{"time", "share"}, parts
}

// textFrames is how many lines a flame graph has in the terminal.
const textFrames = 24

// flame writes a flame graph as an indented tree of the largest frames.
func (t *report) flame(c *result.Chart) {
	if !flammable(c.Profile) {
		return
	}
	p := *c.Profile
	p.Frames = slices.Clone(p.Frames)
	p.Bound(textFrames)
	t.WriteString("\n")
	if s := clean(c.Title); s != "" {
		t.Line(text.Bold, s)
	}
	depth := make([]int, len(p.Frames))
	for i, f := range p.Frames {
		kind := p.Kinds[f.Kind]
		if f.Parent >= 0 {
			depth[i] = depth[f.Parent] + 1
			if p.Frames[f.Parent].Kind == f.Kind {
				kind = "" // as its caller
			}
		}
		if kind = t.Say(kind); kind != "" {
			kind = "  [" + kind + "]"
		}
		lead := fmt.Sprintf("%6s  %s", fmt.Sprintf("%.1f%%", 100*f.Value/p.Total()), strings.Repeat(" ", min(depth[i], t.Width/4)))
		name := t.Cut(t.Say(f.Function), t.Width-lipgloss.Width(lead)-lipgloss.Width(kind))
		t.WriteString(lead + name + t.Paint(text.Faint, kind) + "\n")
	}
	if s := clean(c.Caption); s != "" {
		t.Line(text.Faint, s)
	}
}
