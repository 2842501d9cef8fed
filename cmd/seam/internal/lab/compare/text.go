package compare

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// WriteText writes the table for people. Lines are kept within width columns
// where that is possible; 0 means no limit. Without colour it is
// plain ASCII, as far as the names in the files are.
func (t *Table) WriteText(w io.Writer, width int, colour bool) error {
	var b strings.Builder
	t.writeHeader(&b)
	b.WriteString(t.grid(width, colour))
	b.WriteString("\n")
	t.writeFooter(&b)
	text := b.String()
	if !colour {
		text = quantity.ASCII(text)
	}
	_, err := io.WriteString(w, text)
	return err
}

func (t *Table) writeHeader(b *strings.Builder) {
	fmt.Fprintf(b, "old  %s\nnew  %s\n", quantity.Printable(t.Old.Name), quantity.Printable(t.New.Name))
	if len(t.Differences) == 0 {
		b.WriteString("\nThe files tell no difference of machine, Go version or commit.\n")
	} else {
		b.WriteString("\n")
	}
	longest, machines := 0, false
	for _, d := range t.Differences {
		longest = max(longest, lipgloss.Width(d.Fact))
		machines = machines || d.Machine
	}
	for _, d := range t.Differences {
		pad := strings.Repeat(" ", longest-lipgloss.Width(d.Fact))
		fmt.Fprintf(b, "%s%s  %s → %s\n", d.Fact, pad, d.Old, d.New)
	}
	if machines {
		b.WriteString("The machines differ: a ratio tells of machine and program together.\n")
	}
	for _, f := range []*File{t.Old, t.New} {
		if f.oneProcess() {
			fmt.Fprintf(b, "%s tells of one process: differences within %.0f %% may come from its memory layout.\n",
				quantity.Printable(f.Name), 100*stats.Layout)
		}
		for _, warning := range f.Warnings {
			fmt.Fprintf(b, "%s: %s\n", quantity.Printable(f.Name), warning)
		}
	}
	t.writeDrift(b)
	b.WriteString("\n")
}

// A detail is how much of a row is shown.
type detail int

const (
	everything detail = iota
	noReach           // without how far the intervals of the medians reach
	noInterval        // and without the interval of the ratio
)

// grid draws the rows with as much detail as fits into width. Below that it
// breaks lines inside the cells.
func (t *Table) grid(width int, colour bool) string {
	var text string
	for d := everything; d <= noInterval; d++ {
		g := t.draw(d, colour)
		text = g.String()
		if width <= 0 || lipgloss.Width(text) <= width {
			break
		}
		if d == noInterval {
			text = g.Width(width).String()
		}
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

func (t *Table) draw(d detail, colour bool) *table.Table {
	columns := []string{"benchmark", "old", "new", "new/old", "95 % interval", "verdict"}
	rows := make([][]string, 0, len(t.Rows)+len(t.Means))
	for _, r := range t.Rows {
		verdict := string(r.Verdict)
		if r.Slowdown {
			verdict += " !"
		}
		rows = append(rows, []string{
			r.Name, median(r.Old, r.Unit, d), median(r.New, r.Unit, d), ratio(r.Ratio, r.Note), r.interval(), verdict,
		})
	}
	for _, m := range t.Means {
		name := fmt.Sprintf("geomean of %d (%s)", m.Rows, quantity.Printable(m.Unit))
		rows = append(rows, []string{name, "", "", ratio(m.Ratio, ""), "", ""})
	}
	if d == noInterval {
		const column = 4
		columns = slices.Delete(columns, column, column+1)
		for i := range rows {
			rows[i] = slices.Delete(rows[i], column, column+1)
		}
	}
	verdict := len(columns) - 1
	return table.New().Headers(columns...).Rows(rows...).
		Border(lipgloss.ASCIIBorder()).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).
		BorderRow(false).BorderColumn(false).BorderHeader(true).
		StyleFunc(func(row, column int) lipgloss.Style {
			style := lipgloss.NewStyle()
			if column < verdict {
				style = style.PaddingRight(2)
			}
			if 0 < column && column < verdict {
				style = style.Align(lipgloss.Right)
			}
			switch {
			case !colour:
			case row == table.HeaderRow:
				style = style.Bold(true)
			case column == verdict && row < len(t.Rows):
				style = verdictStyle(style, t.Rows[row])
			}
			return style
		})
}

func verdictStyle(style lipgloss.Style, r Row) lipgloss.Style {
	switch r.Verdict {
	case stats.Faster:
		return style.Foreground(lipgloss.Green)
	case stats.Slower:
		return style.Foreground(lipgloss.Red).Bold(r.Slowdown)
	}
	return style
}

func (t *Table) writeFooter(b *strings.Builder) {
	for _, side := range []struct {
		name  string
		names []string
	}{{t.Old.Name, t.OnlyOld}, {t.New.Name, t.OnlyNew}} {
		if len(side.names) > 0 {
			fmt.Fprintf(b, "\nOnly in %s: %s\n", quantity.Printable(side.name), few(side.names))
		}
	}
	notes := map[string]bool{}
	for _, r := range t.Rows {
		if r.Note != "" && !notes[r.Note] {
			notes[r.Note] = true
			fmt.Fprintf(b, "\n%s: %s.\n", r.Name, r.Note)
		}
	}
	percent := 100 * t.Threshold
	if t.Slowdowns == 0 {
		fmt.Fprintf(b, "\nNo slowdown above %.3g %% is proven.\n", percent)
		return
	}
	var names []string
	for _, r := range t.Rows {
		if r.Slowdown {
			names = append(names, r.slowdown())
		}
	}
	off := ""
	if t.Drift.trusted().Shift > 0 {
		off = ", drift taken off"
	}
	fmt.Fprintf(b, "\nProven to be slower by more than %.3g %% (marked !%s):\n%s\n", percent, off, strings.Join(names, "\n"))
}

// slowdown says how much slower a row is.
func (r Row) slowdown() string {
	name := fmt.Sprintf("  %s (%s): slower", r.Name, quantity.Printable(r.Unit))
	c := r.Change
	switch {
	case !quantity.Usable(c.Ratio):
		return name + ", from 0"
	case c.Lo == c.Hi:
		return fmt.Sprintf("%s, by %s %%", name, more(c.Ratio))
	}
	return fmt.Sprintf("%s, by %s %% (%s to %s)", name, more(c.Ratio), more(c.Lo), more(c.Hi))
}

// more is what a ratio is above 1, in per cent.
func more(ratio float64) string { return quantity.Number(math.Round(1000*(ratio-1)) / 10) }

// few lists names, or the first of them and how many more there are.
func few(names []string) string {
	const most = 10
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// median is a median with its unit and how far its interval reaches.
func median(s stats.Summary, unit string, d detail) string {
	text := withUnit(s.Median, unit)
	if reach := quantity.PlusMinus(s.Median, s.Lo, s.Hi); d < noReach && reach != "" && s.Lo < s.Hi {
		text += " " + reach
	}
	return text
}

// withUnit writes a value of a base unit, with what it is counted by: the same
// benchmark may have rows of bytes per operation and per second.
func withUnit(v float64, unit string) string {
	base, per, _ := strings.Cut(unit, "/")
	if base == "sec" {
		v, base = v*1e9, "ns"
	}
	text := quantity.Format(v, base)
	if base != "ns" && base != "B" && v == math.Trunc(v) {
		text = quantity.Tick(v, base) // a count: 3, not 3.00
	}
	if per != "" {
		text += "/" + quantity.Printable(per)
	}
	return text
}

func ratio(v float64, note string) string {
	switch {
	case note != "":
		return quantity.Missing
	case math.IsInf(v, 0):
		return "∞"
	}
	return quantity.NearOne(v)
}

func (r Row) interval() string {
	switch {
	case r.Note != "" || r.Lo == 0 && r.Hi == 0:
		return quantity.Missing
	case r.Lo == r.Hi:
		return "exact"
	}
	return quantity.Interval(r.Lo, r.Hi, "×")
}
