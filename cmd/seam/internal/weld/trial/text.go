package trial

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// WriteText writes the table and the verdict for people.
func (r *Result) WriteText(out io.Writer, o text.Options) error {
	w := text.New(out, o)
	w.Line(text.Plain, r.head())
	w.WriteString("\n")
	head, rows := r.table()
	var columns []*text.Column
	for i, name := range head {
		columns = append(columns, &text.Column{Head: name, Rank: len(head) - i})
	}
	columns[0].Left, columns[0].Least, columns[0].Wrap = true, 16, true
	columns[verdictColumn].Left, columns[verdictColumn].StyleOf = true, func(row int) lipgloss.Style {
		if row < len(r.Rows) {
			return styleOf(r.Rows[row].Verdict)
		}
		return text.Bold
	}
	for _, cells := range rows {
		text.Add(columns, cells...)
	}
	w.Table(text.Table{Columns: columns, Rule: true})
	w.WriteString("\n")
	w.Line(text.Bold, r.Verdict())
	for _, line := range r.notes() {
		w.Line(text.Plain, line)
	}
	return w.Flush()
}

func styleOf(v stats.Verdict) lipgloss.Style {
	switch v {
	case stats.Faster:
		return text.Good
	case stats.Slower:
		return text.Bad
	}
	return text.Faint
}

// verdictColumn is the one of table that says what has changed.
const verdictColumn = 3

// table is the heads and cells of what is shown: a row for each benchmark and one for all.
// Columns without a figure are left out.
func (r *Result) table() (head []string, rows [][]string) {
	// A narrow terminal leaves out the last ones: not threads where they have changed.
	last := []string{Memory, Threads}
	if slices.ContainsFunc(r.Rows, func(row *Row) bool { return strings.Contains(row.change(Threads), "→") }) {
		slices.Reverse(last)
	}
	head = []string{"benchmark", "cgo", "weld", "", "98 % interval", "allocs", "CPU"}
	for _, unit := range last {
		head = append(head, map[string]string{Memory: "memory", Threads: "threads"}[unit])
	}
	for _, row := range r.Rows {
		before, _ := row.Median(Cgo, Time)
		after, _ := row.Median(Weld, Time)
		rows = append(rows, []string{r.label(row), figure(before, Time), figure(after, Time), words(row.Comparison), interval(row.Comparison),
			row.change(Allocs), row.change(CPU), row.change(last[0]), row.change(last[1])})
	}
	if len(r.Rows) > 1 {
		rows = append(rows, []string{"geometric mean", "", "", words(r.Mean), interval(r.Mean), "", "", "", ""})
	}
	for i := len(head) - 1; i > verdictColumn; i-- {
		if !slices.ContainsFunc(rows, func(cells []string) bool { return cells[i] != "" }) {
			head = slices.Delete(head, i, i+1)
			for k := range rows {
				rows[k] = slices.Delete(rows[k], i, i+1)
			}
		}
	}
	return head, rows
}

func (r *Result) head() string {
	return fmt.Sprintf("%s: %s of %s, %s of 2 × 2 processes in turns", strings.Join(r.Command, " "),
		quantity.Plural(r.Leaves, "welded function"), r.Plan, quantity.Plural(r.Rounds, "round"))
}

// notes are what one has to know to judge the table.
func (r *Result) notes() []string {
	var list []string
	if r.Noise.Lo > 0 {
		list = append(list, fmt.Sprintf("The plain program against itself: %s. That is the noise of this machine.", r.noise()))
	}
	for _, line := range r.Said {
		list = append(list, "The welded program said: "+strings.TrimPrefix(line, "seam: "))
	}
	return list
}

// label is a row's name, with its package where there are several.
func (r *Result) label(row *Row) string {
	name := row.Name
	for _, other := range r.Rows {
		if other.Package != row.Package {
			last := row.Package[strings.LastIndexByte(row.Package, '/')+1:]
			return last + "." + name
		}
	}
	return name
}
