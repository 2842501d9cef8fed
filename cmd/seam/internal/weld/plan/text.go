package plan

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// shown is how many functions of a kind the summary has at most.
const shown = 10

var (
	bold  = lipgloss.NewStyle().Bold(true)
	faint = lipgloss.NewStyle().Faint(true)
	good  = lipgloss.NewStyle().Foreground(lipgloss.Green)
)

// WriteText writes a summary for people: how many leaves there are, which gain
// most, and which often called functions stay with cgo and why.
func (r *Result) WriteText(w io.Writer, width int, colour bool) error {
	t := &text{out: bufio.NewWriter(w), width: width, colour: colour}
	leaves := r.Leaves()
	by, gain := map[Basis]int{}, 0.0
	for _, d := range leaves {
		gain += d.Gain
		by[d.Basis]++
	}
	bases := fmt.Sprintf("%d proven, %d observed", by[Proven], by[Observed])
	if by[Kept] > 0 {
		bases += fmt.Sprintf(", %d kept", by[Kept])
	}
	fmt.Fprintf(t.out, "%d functions: %d leaf (%s), %d cgo\n", len(r.Decisions), len(leaves), bases, len(r.Decisions)-len(leaves))
	if gain > 0 {
		fmt.Fprintf(t.out, "Leaf calls would have saved about %s in the traces.\n", t.say(quantity.Time(gain)))
	}
	var rows [][]string
	for _, d := range leaves[:min(shown, len(leaves))] {
		saved := quantity.Missing
		if d.Gain > 0 {
			saved = quantity.Time(d.Gain)
		}
		rows = append(rows, []string{short(d.Entry), string(d.Basis), quantity.Compact(float64(d.Calls)), saved})
	}
	t.table("Leaf", []string{"function", "", "calls", "saves"}, rows, len(leaves)-len(rows), func(c int, cell string) lipgloss.Style {
		switch {
		case c == 3:
			return bold
		case cell == string(Proven):
			return good
		}
		return lipgloss.NewStyle()
	})

	var others []Decision
	for _, d := range r.Decisions {
		if d.Mode == Cgo && d.Calls > 0 {
			others = append(others, d)
		}
	}
	slices.SortStableFunc(others, func(a, b Decision) int {
		return cmp.Or(-cmp.Compare(a.Calls, b.Calls), strings.Compare(a.Path(), b.Path()))
	})
	rows = nil
	for _, d := range others[:min(shown, len(others))] {
		rows = append(rows, []string{short(d.Entry), d.Comment, quantity.Compact(float64(d.Calls))})
	}
	t.table("Stay with cgo, those called most", []string{"function", "because", "calls"}, rows, len(others)-len(rows),
		func(int, string) lipgloss.Style { return lipgloss.NewStyle() })
	return t.out.Flush()
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// short is a function with the end of its import path: "go-sqlite3.sqlite3_step".
func short(e Entry) string {
	parts := strings.Split(e.Package, "/")
	n := len(parts) - 1
	if n > 0 && majorVersion.MatchString(parts[n]) {
		n--
	}
	return quantity.Printable(strings.Join(parts[n:], "/") + "." + e.Func)
}

// text writes tables.
type text struct {
	out    *bufio.Writer
	width  int
	colour bool
}

// say is s as this text may show it: without colour in ASCII, as far as the
// words are Seam's.
func (t *text) say(s string) string {
	if t.colour {
		return s
	}
	return quantity.ASCII(s)
}

func (t *text) style(s lipgloss.Style) lipgloss.Style {
	if t.colour {
		return s
	}
	return lipgloss.NewStyle()
}

// table writes rows under a title. Of two columns of text the second wraps; the
// last columns are numbers. more is how many rows are not shown.
func (t *text) table(title string, heads []string, rows [][]string, more int, style func(column int, cell string) lipgloss.Style) {
	if len(rows) == 0 {
		return
	}
	for _, row := range rows {
		for i := range row {
			row[i] = t.say(row[i])
		}
	}
	const gap = 2
	widths := make([]int, len(heads))
	for _, row := range append([][]string{heads}, rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	total := gap * (len(heads) - 1)
	for _, w := range widths {
		total += w
	}
	if over := total - t.width; over > 0 { // take from the widest
		wide := 0
		for i, w := range widths {
			if w > widths[wide] {
				wide = i
			}
		}
		widths[wide] = max(20, widths[wide]-over)
	}
	fmt.Fprintf(t.out, "\n%s\n", t.style(bold).Render(title))
	tb := table.New().
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).
		Border(lipgloss.ASCIIBorder()).
		Headers(heads...).
		Rows(rows...).
		StyleFunc(func(r, c int) lipgloss.Style {
			s := faint
			if r != table.HeaderRow {
				s = style(c, rows[r][c])
			}
			s = t.style(s)
			w := widths[c]
			if c < len(heads)-1 {
				w += gap
				s = s.PaddingRight(gap)
			}
			if c >= 2 {
				s = s.Align(lipgloss.Right)
			}
			return s.Width(w)
		})
	if t.colour {
		tb = tb.Border(lipgloss.NormalBorder()).BorderStyle(faint)
	}
	for line := range strings.Lines(tb.String() + "\n") {
		fmt.Fprintln(t.out, strings.TrimRight(line, " \n"))
	}
	if more > 0 {
		fmt.Fprintln(t.out, t.style(faint).Render(fmt.Sprintf("and %d more", more)))
	}
}
