package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

const (
	mostBar  = 60 // columns: longer bars are no clearer
	leastBar = 8

	// beyond is how many times longer than the shortest bar the axis may be. It is linear:
	// a bar of twice the length is twice the price, and what is longer is cut off.
	beyond = 50
)

// WriteBars writes the first bar chart of each experiment, and a line on what must be
// known beside them.
func WriteBars(w io.Writer, run *result.Run, o text.Options) error {
	t := &report{text.New(w, o), false}
	for i := range run.Experiments {
		e := &run.Experiments[i]
		first := slices.IndexFunc(e.Charts, func(c result.Chart) bool { return c.Kind == result.Bars && len(c.Bars) > 0 })
		if first < 0 {
			continue
		}
		t.Line(text.Bold, clean(e.Title))
		t.bars(&e.Charts[first])
		t.WriteString("\n")
	}
	if s := warnings(run); len(s) > 0 {
		t.warn(s[0])
	}
	return t.Flush()
}

func (t *report) bars(c *result.Chart) {
	labels, values := make([]string, len(c.Bars)), make([]string, len(c.Bars))
	left, right, longest := 0, 0, 0
	for i, b := range c.Bars {
		labels[i], values[i] = t.Say(clean(b.Label)), t.Say(quantity.Format(b.Value, c.Unit))
		left, right = max(left, lipgloss.Width(labels[i])), max(right, lipgloss.Width(values[i]))
	}
	end, cut := axisEnd(c.Bars)
	for _, b := range c.Bars {
		if b.Lo < b.Hi {
			longest = max(longest, lipgloss.Width(t.Say(quantity.Interval(b.Lo, b.Hi, c.Unit))))
		}
	}
	right += 1 + longest
	if cut {
		right += len("...")
	}
	const gaps = 4 // two columns on either side of the bars
	left = max(1, min(left, t.Width-right-gaps-leastBar))
	room := min(mostBar, t.Width-left-right-gaps)
	for i, b := range c.Bars {
		style, fill := text.Faint, "-"
		if b.Seam {
			style, fill = text.Mark.Bold(true), "="
		}
		bar := t.bar(min(b.Value, end)/end*float64(room), fill)
		if b.Value > end {
			bar += t.Say("…")
		}
		fmt.Fprintf(t, "%s  %s  %s", pad(t.Cut(labels[i], left), left), t.Paint(style, bar), t.Paint(text.Bold, values[i]))
		if between := t.Say(quantity.Interval(b.Lo, b.Hi, c.Unit)); between != "" && b.Lo < b.Hi {
			t.WriteString(" " + t.Paint(text.Faint, between))
		}
		t.WriteString("\n")
	}
	note := "linear, from 0 to " + quantity.Format(end, c.Unit)
	if cut {
		note += "; longer bars are cut off"
	}
	if slices.ContainsFunc(c.Bars, func(b result.Bar) bool { return b.Seam }) {
		note += ";  " + t.bar(2, "=") + " by Seam"
	}
	t.Line(text.Faint, note)
}

// axisEnd is the longest value that the axis has room for, and whether there are longer
// ones.
func axisEnd(bars []result.Bar) (end float64, cut bool) {
	shortest := math.Inf(1)
	for _, b := range bars {
		if b.Value > 0 {
			shortest = min(shortest, b.Value)
		}
	}
	for _, b := range bars {
		if b.Value <= beyond*shortest {
			end = max(end, b.Value)
		} else {
			cut = true
		}
	}
	if end == 0 {
		end = 1
	}
	return end, cut
}

var eighths = []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// bar is so many columns long, and never nothing at all.
func (t *report) bar(columns float64, fill string) string {
	if !t.Colour {
		return strings.Repeat(fill, max(1, int(math.Round(columns))))
	}
	parts := max(1, int(math.Round(columns*8)))
	return strings.Repeat("█", parts/8) + eighths[parts%8]
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-lipgloss.Width(s)))
}
