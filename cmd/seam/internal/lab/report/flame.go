package report

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// flammable tells whether there is something to draw. What came from a file has been
// checked; what an experiment made is checked here.
func flammable(p *result.Profile) bool { return p != nil && p.Check() == nil && p.Total() > 0 }

// rowHeight is the height of a function in a flame graph.
const rowHeight = 19.0

// drawFlame draws functions above those that they call, as wide as their time, in the
// colours of their kinds. What has no room for its name has it when pointed at.
func drawFlame(c *result.Chart, f frame) htmlpage.Scene {
	p := c.Profile
	s := htmlpage.Scene{Class: f.class, Name: describe(c), W: htmlpage.Px(f.width)}
	const left, top = 1.0, 4.0
	width, total := f.width-2, p.Total()
	// Where the next of those that a frame calls begins; the last is for nobody's.
	from := make([]float64, len(p.Frames)+1)
	from[len(p.Frames)] = left
	depth, deepest := make([]int, len(p.Frames)), 0
	self := p.Self()
	for i, fr := range p.Frames {
		caller := fr.Parent
		if caller < 0 {
			caller = len(p.Frames)
		} else {
			depth[i] = depth[caller] + 1
		}
		x, w := from[caller], width*(fr.Value/total)
		from[caller] += w
		from[i] = x
		if w < 0.4 { // a hairline without a colour
			continue
		}
		deepest = max(deepest, depth[i])
		y, name := top+rowHeight*float64(depth[i]), clean(fr.Function)
		s.Rect("part "+colour(fr.Kind), flameTip(p, i, self[i], total), x, y, w, rowHeight)
		s.Text("inside", "start", inside(name, w-8), x+4, y+13.5)
	}
	s.H = htmlpage.Px(top + rowHeight*float64(deepest+1) + 4)
	return s
}

// inside is what a box has room for of a function's name: without its package where that
// doesn't fit, and nothing rather than a letter or two.
func inside(name string, room float64) string {
	if textWidth(name, sizeTick) > room {
		if _, rest, ok := strings.Cut(name, "."); ok {
			name = rest
		}
	}
	cut := fit(name, sizeTick, room)
	if cut != name && len([]rune(cut)) < 4 || textWidth(cut, sizeTick) > room {
		return ""
	}
	return cut
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

// flameTable is the legend of a flame graph: its kinds with what their functions took
// themselves.
func flameTable(p *result.Profile) (head []string, parts []partRow) {
	total := p.Total()
	for i, v := range p.Of() {
		if slices.ContainsFunc(p.Frames, func(f result.Frame) bool { return f.Kind == i }) {
			parts = append(parts, partRow{Colour: colour(i), Name: clean(p.Kinds[i]),
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
