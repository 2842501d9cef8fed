package report

import (
	"fmt"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// leastFirst is how narrow the first column of a table may become.
const leastFirst = 18

// rows writes the table of all series.
func (t *report) rows(e *result.Experiment) {
	all := rows(e)
	var measured, missing []row
	for _, r := range all {
		if r.Missing == "" {
			measured = append(measured, r)
		} else {
			missing = append(missing, r)
		}
	}
	if len(all) > manyRows && hasGrid(e) && !t.verbose {
		t.Line(text.Faint, fmt.Sprintf("%d cases were measured: see the grid below; --html, --json and --benchfmt also have their intervals.", len(measured)))
	} else if len(measured) > 0 {
		t.table(seriesColumns(measured))
	}
	t.missing(missing)
}

// unmeasured says why an experiment has no figure.
func (t *report) unmeasured(e *result.Experiment) {
	var missing []row
	for _, r := range rows(e) {
		if r.Missing != "" {
			missing = append(missing, r)
		}
	}
	t.missing(missing)
}

// missing says why rows have no figure: once, where several have the same reason.
func (t *report) missing(rows []row) {
	for len(rows) > 0 {
		why := rows[0].Missing
		var of, others []row
		for _, r := range rows {
			if r.Missing == why {
				of = append(of, r)
			} else {
				others = append(others, r)
			}
		}
		label := of[0].Label
		if n := len(of) - 1; n > 0 {
			label = fmt.Sprintf("%s and %d more", label, n)
		}
		t.Paragraph(text.Faint, "  ", label+": not measured: "+why)
		rows = others
	}
}

// further writes the comparisons that no row shows.
func (t *report) further(e *result.Experiment) {
	list := further(e)
	if len(list) == 0 {
		return
	}
	t.WriteString("\n")
	columns := make([]*text.Column, len(furtherHead))
	for i, h := range furtherHead {
		columns[i] = &text.Column{Head: h}
	}
	columns[1].Left, columns[1].Wrap = true, true
	columns[4].Left = true
	for _, row := range list {
		text.Add(columns, row...)
	}
	t.table(columns)
}

func hasGrid(e *result.Experiment) bool {
	for i := range e.Charts {
		if c := &e.Charts[i]; c.Kind == result.Grid && newTable(c.Table) != nil {
			return true
		}
	}
	return false
}

func seriesColumns(all []row) []*text.Column {
	columns := []*text.Column{
		{Head: "case"},
		{Head: "median", StyleOf: func(i int) lipgloss.Style {
			if all[i].Vague {
				return text.Faint
			}
			return text.Bold
		}},
		{Head: "interval", Style: text.Faint},
		{Head: "vs base"},
		{Left: true, StyleOf: func(i int) lipgloss.Style {
			switch all[i].Verdict {
			case "faster":
				return text.Good
			case "slower":
				return text.Caution
			}
			return text.Faint
		}},
		{Head: "published", Style: text.Faint},
		{Head: "outl.", Style: text.Faint},
	}
	for _, r := range all {
		verdict := r.Found
		if r.Base {
			verdict = "base"
		}
		text.Add(columns, r.Label, r.Median, r.Interval, r.Ratio, verdict, r.Reference, fmt.Sprint(r.Outliers))
	}
	return columns
}

// grid writes a chart that is a table.
func (t *report) grid(c *result.Chart) {
	tb := newTable(c.Table)
	if tb == nil {
		return
	}
	t.WriteString("\n")
	if s := clean(c.Title); s != "" {
		t.Line(text.Bold, s)
	}
	columns := make([]*text.Column, len(tb.Rows[0]))
	for i := range columns {
		columns[i] = &text.Column{}
		if tb.Head != nil {
			columns[i].Head = tb.Head[i]
		}
	}
	for _, r := range tb.Rows {
		text.Add(columns, r...)
	}
	t.table(columns)
	if s := clean(c.Caption); s != "" {
		t.Line(text.Faint, s)
	}
}

// table writes columns side by side. The first takes the room that the others leave.
func (t *report) table(columns []*text.Column) {
	columns[0].Left, columns[0].Least = true, leastFirst
	for _, c := range columns {
		c.Wrap = true
	}
	t.Table(text.Table{Columns: columns, Rule: true, Repeat: true})
}
