package report

import (
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// A figure is a result.Chart as the page shows it. It has no scenes and no table where
// there is nothing to show.
type figure struct {
	Title, Caption string
	Scenes         []chart.Scene
	Signs          []chart.Item // of a bar chart
	Legend         []chart.Item // of lines, where there is no room for it at their ends
	PartHead       []string
	Parts          []partRow
	Table          *htmlpage.Figures
}

// Empty reports whether there is nothing to show.
func (f figure) Empty() bool { return f.Scenes == nil && f.Table == nil }

// pictureWidth is the room for a picture on a wide page.
const pictureWidth = 720

func (f *figure) draw(c chart.Chart) { f.Scenes = chart.Draw(c, pictureWidth) }

func newFigure(c *result.Chart) figure {
	f := figure{Title: clean(c.Title), Caption: text.Glue(clean(c.Caption))}
	switch c.Kind {
	case result.Bars:
		if len(c.Bars) > 0 {
			bars := barsOf(c)
			f.Signs = bars.Legend("interval of the median", "published figure")
			if slices.ContainsFunc(c.Bars, func(b result.Bar) bool { return b.Seam }) {
				f.Signs = append([]chart.Item{{Key: chart.Swatch("part " + chart.Colour(0)), Label: "by Seam"}}, f.Signs...)
			}
			f.draw(bars)
		}
	case result.Stacked:
		if len(c.Stacks) > 0 {
			f.PartHead, f.Parts = partTable(c)
			f.draw(stacksOf(c))
		}
	case result.Lines:
		if lines := linesOf(c); !lines.Empty() {
			f.Legend = lines.Legend()
			f.draw(lines)
		}
	case result.Grid:
		f.Table = newTable(c.Table)
	case result.Flame:
		if flammable(c.Profile) {
			f.PartHead, f.Parts = flameTable(c.Profile)
			f.draw(flameOf(c))
		}
	}
	return f
}

func barsOf(c *result.Chart) *chart.Bars {
	bars := &chart.Bars{Name: describe(c), Unit: c.Unit}
	for _, b := range c.Bars {
		class := chart.Colour(6)
		if b.Seam {
			class = chart.Colour(0)
		}
		bars.Bars = append(bars.Bars, chart.Bar{Label: clean(b.Label), Value: b.Value, Lo: b.Lo, Hi: b.Hi, Class: class,
			Reference: b.Reference, ReferenceTip: "published: " + quantity.Format(b.Reference, c.Unit)})
	}
	return bars
}

func linesOf(c *result.Chart) *chart.Lines {
	lines := &chart.Lines{Name: describe(c), XLabel: clean(c.XLabel), YLabel: clean(c.YLabel), Unit: c.Unit}
	for i, l := range c.Lines {
		line := chart.Line{Label: clean(l.Label), Look: i, Dashed: l.Dashed}
		if l.Look > 0 {
			line.Look = l.Look - 1
		}
		for _, p := range l.Points {
			line.Points = append(line.Points, chart.Point(p))
		}
		lines.Lines = append(lines.Lines, line)
	}
	for _, m := range c.Marks {
		m.Label = clean(m.Label)
		lines.Marks = append(lines.Marks, chart.Mark(m))
	}
	return lines
}

// newTable makes all rows of a table equally long; nil if it is empty.
func newTable(t *result.Table) *htmlpage.Figures {
	if t == nil || len(t.Rows) == 0 {
		return nil
	}
	width := len(t.Head)
	for _, r := range t.Rows {
		width = max(width, len(r))
	}
	out := &htmlpage.Figures{Class: "grid-table"}
	if len(t.Head) > 0 {
		out.Head = padded(t.Head, width)
	}
	for _, r := range t.Rows {
		out.Rows = append(out.Rows, padded(r, width))
	}
	return out
}

func padded(cells []string, width int) []string {
	out := make([]string, width)
	for i, c := range cells {
		out[i] = clean(c)
	}
	return out
}

// describe puts a chart into words, for those who can't see it.
func describe(c *result.Chart) string {
	var parts []string
	switch c.Kind {
	case result.Bars:
		for _, b := range c.Bars {
			parts = append(parts, clean(b.Label)+" "+quantity.Format(b.Value, c.Unit))
		}
	case result.Stacked:
		for _, st := range c.Stacks {
			parts = append(parts, clean(st.Label)+" "+quantity.Format(total(st), c.Unit))
		}
	case result.Lines:
		for _, l := range c.Lines {
			parts = append(parts, clean(l.Label))
		}
		for _, m := range c.Marks {
			parts = append(parts, clean(m.Label))
		}
	case result.Flame:
		_, rows := flameTable(c.Profile)
		for _, r := range rows {
			parts = append(parts, r.Name+" "+r.Values[1])
		}
	}
	return clean(c.Title) + ": " + strings.Join(parts, "; ")
}
