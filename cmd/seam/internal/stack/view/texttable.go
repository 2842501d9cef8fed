package view

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
)

// A column of a table. Those with the lowest rank are left out first where the table
// would be too wide.
type column struct {
	head  string
	left  bool
	rank  int
	least int  // greater than 0: it may be cut to so many columns
	tail  bool // cut at the end, not in the middle
	cells []string
}

func addRow(cols []column, cells ...string) {
	for i := range cols {
		cols[i].cells = append(cols[i].cells, cells[i])
	}
}

// gap is between columns.
const gap = 2

// table writes as many columns as fit.
func (t *text) table(cols []column) {
	// What is empty in all rows is left out.
	cols = slices.DeleteFunc(cols, func(c column) bool { return strings.Join(c.cells, "") == "" })
	widths := make([]int, len(cols))
	for i := range cols {
		c := &cols[i]
		widths[i] = lipgloss.Width(c.head)
		for k := range c.cells {
			c.cells[k] = t.say(c.cells[k])
			widths[i] = max(widths[i], lipgloss.Width(c.cells[k]))
		}
	}
	needed := func() int {
		n := gap * (len(cols) - 1)
		for i, c := range cols {
			if c.least > 0 {
				n += min(widths[i], c.least)
			} else {
				n += widths[i]
			}
		}
		return n
	}
	for needed() > t.width && len(cols) > 2 {
		least := 0
		for i, c := range cols {
			if c.rank < cols[least].rank {
				least = i
			}
		}
		cols = slices.Delete(cols, least, least+1)
		widths = slices.Delete(widths, least, least+1)
	}
	// What room is left goes to what had to be cut.
	room := t.width - needed()
	for i, c := range cols {
		if c.least == 0 || widths[i] <= c.least {
			continue
		}
		more := max(0, min(room, widths[i]-c.least))
		room -= more
		widths[i] = c.least + more
		for k := range c.cells {
			c.cells[k] = t.shorten(c.cells[k], widths[i], c.tail)
		}
	}
	row := func(style lipgloss.Style, cell func(c *column) string) {
		var b strings.Builder
		for i := range cols {
			s := cell(&cols[i])
			space := strings.Repeat(" ", max(0, widths[i]-lipgloss.Width(s)))
			if i > 0 {
				b.WriteString(strings.Repeat(" ", gap))
			}
			if cols[i].left {
				b.WriteString(s + space)
			} else {
				b.WriteString(space + s)
			}
		}
		fmt.Fprintln(t.w, t.style(style, strings.TrimRight(b.String(), " ")))
	}
	row(faint, func(c *column) string { return c.head })
	for k := range cols[0].cells {
		row(plain, func(c *column) string { return c.cells[k] })
	}
}

// shorten cuts the middle out of a text, or its end.
func (t *text) shorten(s string, width int, tail bool) string {
	if lipgloss.Width(s) <= width {
		return s
	}
	dots := t.say("…")
	r := []rune(s)
	head, end := r, []rune(nil)
	if !tail {
		head, end = r[:len(r)/2], r[len(r)/2:]
	}
	// No character is wider than two columns or, but for marks, narrower than one: what is
	// cut below letter by letter is short.
	if tail && len(head) > width {
		head = head[:width]
	}
	if !tail && len(head) > width {
		head, end = head[:width], end[len(end)-width:]
	}
	for lipgloss.Width(string(head))+lipgloss.Width(dots)+lipgloss.Width(string(end)) > width {
		switch {
		case len(end) == 0 && len(head) == 0:
			return ""
		case len(end) == 0 || len(head) > len(end)/2 && len(head) > 0:
			head = head[:len(head)-1]
		default:
			end = end[1:]
		}
	}
	return string(head) + dots + string(end)
}
