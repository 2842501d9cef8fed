package frames

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
)

// A column of a table.
type column struct {
	head  string
	right bool // aligned
	whole bool // shortened, it isn't cut: a line's number would be lost
	style lipgloss.Style
	cells []string
	short []string // what is left of each where there is too little room
}

func (c *column) add(cell string) { c.both(cell, cell) }

func (c *column) both(cell, short string) {
	c.cells = append(c.cells, cell)
	c.short = append(c.short, short)
}

// name adds a function's name, which is shortened by its package.
func (c *column) name(name string) { c.both(name, bare(name)) }

// measured adds a function's name behind its bytes, so that they are never cut.
func (c *column) measured(bytes int64, name string) {
	c.both(fmt.Sprintf("%d %s", bytes, name), fmt.Sprintf("%d %s", bytes, bare(name)))
}

// place adds a line of a file, which is shortened by its folder.
func (c *column) place(place string) {
	c.whole = true
	c.both(place, place[strings.LastIndexByte(place, '/')+1:])
}

// gap is the room between columns, and in front of the first.
const gap = 2

// table writes columns. Words are shortened and cut where the screen is too narrow, and the last
// columns left out where that doesn't help.
func (t *text) table(cols ...column) {
	widths, short, least := make([]int, len(cols)), make([]int, len(cols)), make([]int, len(cols))
	total := 0
	for i := range cols {
		c := &cols[i]
		c.head = t.say(c.head)
		widths[i] = lipgloss.Width(c.head)
		for _, s := range c.cells {
			widths[i] = max(widths[i], lipgloss.Width(s))
		}
		// One long name must not take the others' room.
		if !c.right && i < len(cols)-1 {
			widths[i] = min(widths[i], t.Width/2)
		}
		short[i], least[i] = lipgloss.Width(c.head), 14
		for _, s := range c.short {
			short[i] = max(short[i], lipgloss.Width(s))
		}
		if c.whole {
			least[i] = max(least[i], short[i])
		}
		total += gap + widths[i]
	}
	// From the right: what stands there explains what stands left of it. Packages
	// and folders go first.
	for _, floor := range [][]int{short, least} {
		for i := len(cols) - 1; i >= 0 && total > t.Width; i-- {
			if cols[i].right {
				continue
			}
			cut := min(total-t.Width, max(0, widths[i]-floor[i]))
			widths[i] -= cut
			total -= cut
		}
	}
	if total > t.Width && len(cols) > 2 {
		t.table(cols[:len(cols)-1]...)
		return
	}
	tb := table.New().
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).BorderHeader(false).
		StyleFunc(func(r, c int) lipgloss.Style {
			s := cols[c].style
			if r == table.HeaderRow {
				s = faint
			}
			if !t.Colour {
				s = lipgloss.NewStyle()
			}
			if cols[c].right {
				s = s.Align(lipgloss.Right)
			}
			return s.PaddingLeft(gap).Width(widths[c] + gap)
		})
	heads := make([]string, len(cols))
	for i, c := range cols {
		heads[i] = t.cut(c.head, widths[i])
	}
	tb = tb.Headers(heads...)
	for r := range cols[0].cells {
		cells := make([]string, len(cols))
		for i := range cols {
			cells[i] = cols[i].cut(t, r, widths[i])
		}
		tb = tb.Row(cells...)
	}
	for line := range strings.Lines(tb.String()) {
		fmt.Fprintln(t.w, strings.TrimRight(line, " \n"))
	}
}

// cut is a cell in the width that it has.
func (c *column) cut(t *text, row, width int) string {
	if cell := c.cells[row]; lipgloss.Width(cell) <= width {
		return cell
	}
	return t.cut(c.short[row], width)
}

// cut shortens words behind.
func (t *text) cut(s string, width int) string {
	if lipgloss.Width(s) <= width {
		return s
	}
	mark := t.say("…")
	return string([]rune(s)[:max(0, width-lipgloss.Width(mark))]) + mark
}
