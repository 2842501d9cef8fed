package report

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// gap is the room between columns.
const gap = 2

// A column of a table in the terminal.
type column struct {
	head  string
	right bool
	cells []string
	style func(row int) lipgloss.Style // nil: plain
}

// rows writes the table of all series.
func (t *text) rows(e *result.Experiment) {
	all := rows(e)
	if len(all) > manyRows && hasGrid(e) && !t.Verbose {
		var missing []row
		for _, r := range all {
			if r.Missing != "" {
				missing = append(missing, r)
			}
		}
		t.paragraph(faint, "", fmt.Sprintf("%d cases measured, in the grid below; each with its interval in --html, --json and --benchfmt.",
			len(all)-len(missing)))
		all = missing
	}
	var measured, missing []row
	for _, r := range all {
		if r.Missing == "" {
			measured = append(measured, r)
		} else {
			missing = append(missing, r)
		}
	}
	if len(measured) > 0 {
		t.table(t.columns(measured))
	}
	for _, r := range missing {
		t.paragraph(faint, "  ", r.Label+": not measured: "+r.Missing)
	}
}

func hasGrid(e *result.Experiment) bool {
	for i := range e.Charts {
		if c := &e.Charts[i]; c.Kind == result.Grid && newTable(c.Table) != nil {
			return true
		}
	}
	return false
}

func (t *text) columns(all []row) []column {
	faintly := func(int) lipgloss.Style { return faint }
	label := column{head: "case"}
	median := column{head: "median", right: true, style: func(int) lipgloss.Style { return bold }}
	spread := column{head: "±", right: true, style: faintly}
	base := column{head: "vs base", right: true}
	verdict := column{head: "", style: func(i int) lipgloss.Style {
		switch all[i].Verdict {
		case "faster":
			return good
		case "slower":
			return caution
		}
		return faint
	}}
	article := column{head: "article", right: true, style: faintly}
	outliers := column{head: "outl.", right: true, style: faintly}

	// One article for all: its number goes into the heading.
	one := 0
	for _, r := range all {
		if r.Reference == "" {
			continue
		}
		if one != 0 && one != r.Article {
			one = -1
			break
		}
		one = r.Article
	}
	if one > 0 {
		article.head = fmt.Sprintf("article %d", one)
	}
	for _, r := range all {
		label.cells = append(label.cells, r.Label)
		median.cells = append(median.cells, r.Median)
		spread.cells = append(spread.cells, r.PlusMinus)
		base.cells = append(base.cells, r.Ratio)
		v := r.Verdict
		if r.Base {
			v = "base"
		}
		verdict.cells = append(verdict.cells, v)
		ref := r.Reference
		if ref != "" && one < 0 {
			ref += fmt.Sprintf(" [%d]", r.Article)
		}
		article.cells = append(article.cells, ref)
		outliers.cells = append(outliers.cells, fmt.Sprint(r.Outliers))
	}
	if one < 0 {
		article.head = "article [n]"
	}
	var cols []column
	for _, c := range []column{label, median, spread, base, verdict, article, outliers} {
		if strings.Join(c.cells, "") != "" {
			cols = append(cols, c)
		}
	}
	return cols
}

// grid writes a chart that is a table.
func (t *text) grid(c *result.Chart) {
	tb := newTable(c.Table)
	if tb == nil {
		return
	}
	fmt.Fprintln(t.w)
	if s := clean(c.Title); s != "" {
		t.paragraph(bold, "", s)
	}
	cols := make([]column, len(tb.Rows[0]))
	for i := range cols {
		cols[i].right = i > 0
		if tb.Head != nil {
			cols[i].head = tb.Head[i]
		}
		for _, r := range tb.Rows {
			cols[i].cells = append(cols[i].cells, r[i])
		}
	}
	t.table(cols)
	if s := clean(c.Caption); s != "" {
		t.paragraph(faint, "", s)
	}
}

// table writes columns side by side. The first takes what room the others
// leave, and wraps. Columns that don't fit beside it are continued in a second
// table with the first column repeated.
func (t *text) table(cols []column) {
	if len(cols) == 0 {
		return
	}
	widths := make([]int, len(cols))
	for i := range cols {
		c := &cols[i]
		c.head = t.say(c.head)
		widths[i] = lipgloss.Width(c.head)
		for k := range c.cells {
			c.cells[k] = t.say(c.cells[k])
			widths[i] = max(widths[i], lipgloss.Width(c.cells[k]))
		}
	}
	const leastFirst = 18
	first := min(widths[0], leastFirst)
	for from := 1; ; {
		to, used := from, first
		for to < len(cols) && used+gap+widths[to] <= t.width {
			used += gap + widths[to]
			to++
		}
		if to == from && to < len(cols) { // wider than the terminal on its own
			widths[to] = max(1, t.width-first-gap)
			used += gap + widths[to]
			to++
		}
		part := append([]column{cols[0]}, cols[from:to]...)
		w := append([]int{min(widths[0], first+t.width-used)}, widths[from:to]...)
		fmt.Fprintln(t.w, t.render(part, w))
		if to >= len(cols) {
			return
		}
		from = to
	}
}

// render draws columns of the given widths.
func (t *text) render(cols []column, widths []int) string {
	heads := make([]string, len(cols))
	for i, c := range cols {
		heads[i] = c.head
	}
	tb := table.New().
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).
		Border(lipgloss.ASCIIBorder()).
		Headers(heads...).
		StyleFunc(func(r, c int) lipgloss.Style {
			s := lipgloss.NewStyle()
			switch {
			case r == table.HeaderRow:
				s = faint
			case cols[c].style != nil:
				s = cols[c].style(r)
			}
			s = t.style(s)
			w := widths[c]
			if c < len(cols)-1 {
				w += gap
				s = s.PaddingRight(gap)
			}
			if cols[c].right {
				s = s.Align(lipgloss.Right)
			}
			return s.Width(w)
		})
	if t.Colour {
		tb = tb.Border(lipgloss.NormalBorder()).BorderStyle(faint)
	}
	for r := range cols[0].cells {
		cells := make([]string, len(cols))
		for c := range cols {
			cells[c] = cols[c].cells[r]
		}
		tb = tb.Row(cells...)
	}
	lines := strings.Split(tb.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
