package text

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
)

// A Table is columns side by side. Empty ones are left out. If the others are too wide
// together, columns that may become narrower do so first; then columns are left out.
type Table struct {
	Columns []*Column
	Rule    bool // a line under the heads
	Indent  int  // columns of room in front
	Repeat  bool // what doesn't fit isn't left out but continued in a second table, behind the first column
	Apart   bool // with an empty line between the two
}

// A Column is one column of a table.
type Column struct {
	Head  string // where no column has one, there is no line of them
	Left  bool   // words; numbers are aligned to the right
	Rank  int    // the lowest are left out first, of equals the last
	Style lipgloss.Style
	Cells []string

	StyleOf func(row int) lipgloss.Style // where cells differ; instead of Style

	// Least is the width that cells may be brought down to: those with room for all of
	// their words keep them. 0: they stay as they are. They are shortened by the middle.
	Least int
	End   bool     // by their end
	Start bool     // by their beginning
	Wrap  bool     // broken into lines
	Short []string // what stands there instead, if it isn't empty, and is shortened if it must be
}

// Add adds cells to the columns, one each.
func Add(columns []*Column, cells ...string) {
	for i, c := range columns {
		c.Cells = append(c.Cells, cells[i])
	}
}

const gap = 2 // between columns

// A layout is the columns that fit, and their widths.
type layout struct {
	columns []*Column
	widths  []int
}

// Table writes a table. Its cells go through [Writer.Say].
func (w *Writer) Table(t Table) {
	columns := slices.DeleteFunc(slices.Clone(t.Columns), func(c *Column) bool { return strings.Join(c.Cells, "") == "" })
	if len(columns) == 0 {
		return
	}
	l := layout{columns: columns}
	for i, c := range columns {
		said := *c
		said.Head = w.Say(c.Head)
		said.Cells = w.sayAll(c.Cells)
		said.Short = w.sayAll(c.Short)
		columns[i] = &said
		l.widths = append(l.widths, widest(append(said.Cells[:len(said.Cells):len(said.Cells)], said.Head)))
	}
	room := w.Width - t.Indent
	if t.Repeat {
		for len(l.columns) > 0 {
			part := l
			l = part.split(room)
			w.draw(t, part.fit(room))
			if t.Apart && len(l.columns) > 0 {
				w.WriteString("\n")
			}
		}
		return
	}
	for l.least() > room && len(l.columns) > 2 {
		last := 0
		for i, c := range l.columns {
			if c.Rank <= l.columns[last].Rank {
				last = i
			}
		}
		l.columns, l.widths = slices.Delete(l.columns, last, last+1), slices.Delete(l.widths, last, last+1)
	}
	w.draw(t, l.fit(room))
}

// Fits reports whether a table fits with nothing shortened.
func (w *Writer) Fits(t Table) bool {
	used := t.Indent
	for _, c := range t.Columns {
		if strings.Join(c.Cells, "") != "" {
			used += max(widest(w.sayAll(c.Cells)), lipgloss.Width(w.Say(c.Head))) + gap
		}
	}
	return used-gap <= w.Width
}

func (w *Writer) sayAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = w.Say(s)
	}
	return out
}

func widest(cells []string) (n int) {
	for _, s := range cells {
		n = max(n, lipgloss.Width(s))
	}
	return n
}

// floor is how narrow a column may become.
func (l *layout) floor(i int) int {
	if least := l.columns[i].Least; least > 0 {
		return min(l.widths[i], max(least, lipgloss.Width(l.columns[i].Head)))
	}
	return l.widths[i]
}

// least is the width that the columns can't go below.
func (l *layout) least() int {
	n := gap * (len(l.columns) - 1)
	for i := range l.columns {
		n += l.floor(i)
	}
	return n
}

// split leaves in l the columns that fit beside the first, at least one, and returns
// the first and those that didn't.
func (l *layout) split(room int) (rest layout) {
	used, n := l.floor(0), 1
	for n < len(l.columns) && (n == 1 || used+gap+l.widths[n] <= room) {
		used += gap + l.widths[n]
		n++
	}
	if n < len(l.columns) {
		rest.columns = append([]*Column{l.columns[0]}, l.columns[n:]...)
		rest.widths = append([]int{l.widths[0]}, l.widths[n:]...)
	}
	l.columns, l.widths = l.columns[:n:n], l.widths[:n:n]
	return rest
}

// need is the width that the contents of a column this wide take: cells that fit, and
// short forms of the others.
func (l *layout) need(i, width int) int {
	c := l.columns[i]
	n := lipgloss.Width(c.Head)
	for row, s := range c.Cells {
		if lipgloss.Width(s) > width && row < len(c.Short) && c.Short[row] != "" {
			s = c.Short[row]
		}
		n = max(n, lipgloss.Width(s))
	}
	return n
}

// fit gives the columns their widths. Spare room goes, from the left, to those that would
// be shortened, and first to those whose short forms would be. What no column gives up is
// taken from the widest.
func (l layout) fit(room int) layout {
	spare := room - l.least()
	widths := make([]int, len(l.widths))
	for i := range widths {
		widths[i] = l.floor(i)
	}
	give := func(i, wanted int) {
		more := max(0, min(spare, wanted-widths[i]))
		spare -= more
		widths[i] += more
	}
	for i := range widths {
		if len(l.columns[i].Short) > 0 {
			give(i, min(l.need(i, widths[i]), room/2)) // a single one mustn't take the others' room
		}
	}
	for i := range widths {
		give(i, l.widths[i])
		// Too little room for whole words is no use for short forms either.
		if n := l.need(i, widths[i]); n < widths[i] {
			spare += widths[i] - n
			widths[i] = n
		}
	}
	if spare < 0 {
		most := slices.Index(widths, slices.Max(widths))
		widths[most] = max(1, widths[most]+spare)
	}
	l.widths = widths
	return l
}

// cell is what a column shows in a row, at its width.
func (w *Writer) cell(c *Column, row, width int) string {
	s := c.Cells[row]
	if lipgloss.Width(s) > width && row < len(c.Short) && c.Short[row] != "" {
		s = c.Short[row]
	}
	switch {
	case c.Wrap:
		return strings.Join(breakLines(s, width, true), "\n")
	case c.End:
		return w.Cut(s, width)
	case c.Start:
		return w.KeepEnd(s, width)
	}
	return w.Shorten(s, width)
}

// draw doesn't use lipgloss's tables: they take a millisecond a row, and some reports
// have a hundred thousand rows.
func (w *Writer) draw(t Table, l layout) {
	indent := strings.Repeat(" ", t.Indent)
	heads := make([]string, len(l.columns))
	total := gap * (len(l.columns) - 1)
	for i, c := range l.columns {
		heads[i] = w.Cut(c.Head, l.widths[i])
		total += l.widths[i]
	}
	if strings.Join(heads, "") != "" {
		w.row(indent, l, func(i int) (lipgloss.Style, string) { return Faint, heads[i] })
		if t.Rule {
			line := "-"
			if w.Colour {
				line = "─"
			}
			w.WriteString(indent + w.Paint(Faint, strings.Repeat(line, total)) + "\n")
		}
	}
	for row := range l.columns[0].Cells {
		w.row(indent, l, func(i int) (lipgloss.Style, string) {
			c, style := l.columns[i], l.columns[i].Style
			if c.StyleOf != nil {
				style = c.StyleOf(row)
			}
			return style, w.cell(c, row, l.widths[i])
		})
	}
}

// row writes cells side by side, on as many lines as the tallest needs.
func (w *Writer) row(indent string, l layout, cell func(i int) (lipgloss.Style, string)) {
	styles, cells, height := make([]lipgloss.Style, len(l.columns)), make([][]string, len(l.columns)), 0
	for i := range cells {
		style, words := cell(i)
		styles[i], cells[i] = style, strings.Split(words, "\n")
		height = max(height, len(cells[i]))
	}
	for n := range height {
		line := indent
		for i, c := range l.columns {
			words := ""
			if n < len(cells[i]) {
				words = cells[i][n]
			}
			room := strings.Repeat(" ", max(0, l.widths[i]-lipgloss.Width(words)))
			if w.Colour && n < len(cells[i]) {
				words = styles[i].Render(words)
			}
			if c.Left {
				line += words + room
			} else {
				line += room + words
			}
			line += strings.Repeat(" ", gap)
		}
		w.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
