package compare

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// WriteText writes the table for people. Lines are kept within width columns
// where that is possible; 0 means no limit. Without colour it is plain ASCII.
func (t *Table) WriteText(out io.Writer, o text.Options) error {
	if o.Width <= 0 {
		o.Width = math.MaxInt32
	}
	w := text.New(out, o)
	t.writeHeader(w)
	t.grid(w)
	t.writeFooter(w)
	return w.Flush()
}

func (t *Table) writeHeader(w *text.Writer) {
	w.Paragraph(text.Plain, "old  ", t.Old.Name)
	w.Paragraph(text.Plain, "new  ", t.New.Name)
	w.WriteString("\n")
	if len(t.Differences) == 0 {
		w.Line(text.Plain, "The files show no difference in machine, Go version or commit.")
	}
	longest, machines := 0, false
	for _, d := range t.Differences {
		longest = max(longest, lipgloss.Width(d.Fact))
		machines = machines || d.Machine
	}
	for _, d := range t.Differences {
		pad := strings.Repeat(" ", longest-lipgloss.Width(d.Fact))
		w.Paragraph(text.Plain, d.Fact+pad+"  ", d.Old+" → "+d.New)
	}
	if machines {
		w.Line(text.Plain, "The machines differ: a ratio compares machine and program together.")
	}
	for _, f := range []*File{t.Old, t.New} {
		if f.oneProcess() {
			w.Line(text.Plain, fmt.Sprintf("%s is from one process, so there is no verdict: a process keeps its memory layout, and the next has another. It takes %d processes (for go test: %d runs, appended to one file).", f.Name, stats.Fewest, stats.Fewest))
		}
		for _, warning := range f.Warnings {
			w.Line(text.Plain, f.Name+": "+warning)
		}
	}
	t.writeDrift(w)
	t.writeAdjusted(w)
	w.WriteString("\n")
}

// A detail is how much of a row is shown.
type detail int

const (
	everything detail = iota
	noReach           // without how far the intervals of the medians reach
	noInterval        // and without the interval of the ratio
)

// grid draws the rows with as much detail as fits. Below that it breaks lines
// inside the cells.
func (t *Table) grid(w *text.Writer) {
	d := everything
	for d < noInterval && !w.Fits(t.table(d)) {
		d++
	}
	w.Table(t.table(d))
}

func (t *Table) table(d detail) text.Table {
	columns := []*text.Column{
		{Head: "benchmark", Left: true, Rank: 2, Least: 9, Wrap: true},
		{Head: "old", Least: 13, Wrap: true},
		{Head: "new", Rank: 1, Least: 13, Wrap: true},
		{Head: "new/old", Rank: 2},
		{Head: "adjusted", Rank: 2},
		{Head: "95 % interval"},
		{Head: "verdict", Left: true, Rank: 2, StyleOf: func(row int) lipgloss.Style {
			if row < len(t.Rows) {
				return verdictStyle(t.Rows[row])
			}
			return text.Plain
		}},
	}
	for _, r := range t.Rows {
		verdict := r.verdict()
		text.Add(columns, r.Name, median(r.Old, r.Unit, d), median(r.New, r.Unit, d), ratio(r.Measured, r.Note), r.adjusted(), r.interval(), verdict)
	}
	for _, m := range t.Means {
		text.Add(columns, fmt.Sprintf("geomean of %d (%s)", m.Rows, m.Unit), "", "", ratio(m.Ratio, ""), "", "", "")
	}
	columns = slices.DeleteFunc(columns, func(c *text.Column) bool {
		return d == noInterval && c.Head == "95 % interval" || t.adjusted() == 0 && c.Head == "adjusted"
	})
	return text.Table{Columns: columns, Rule: true}
}

// verdict is the row's last cell.
func (r Row) verdict() string {
	switch {
	case r.Note != "":
		_, why, _ := strings.Cut(r.Note, ": ")
		return why
	case r.Neither && r.Ratio > 1:
		return "more"
	case r.Neither:
		return "less"
	case r.Slowdown:
		return r.word() + " !"
	case r.Verdict == stats.Unproven:
		return result.Undecided(r.Finds)
	}
	return r.word()
}

// word is the row's verdict: what isn't a time or a rate becomes more or less, not slower or
// faster.
func (r Row) word() string {
	if !isTime(r.Unit) && !perSecond(r.Unit) {
		switch r.Verdict {
		case stats.Slower:
			return "more"
		case stats.Faster:
			return "less"
		}
	}
	return string(r.Verdict)
}

// Worse is what is proven of the rows that are slowdowns.
func (t *Table) Worse() string {
	words := map[string]bool{}
	for _, r := range t.Rows {
		if r.Slowdown {
			words[r.word()] = true
		}
	}
	switch {
	case words["slower"] && words["more"]:
		return "slower, or to take more"
	case words["more"]:
		return "to take more"
	}
	return "slower"
}

func verdictStyle(r Row) lipgloss.Style {
	switch r.Verdict {
	case stats.Faster:
		return text.Good
	case stats.Slower:
		return text.Bad.Bold(r.Slowdown)
	}
	return text.Plain
}

func (t *Table) writeFooter(w *text.Writer) {
	say := func(s string) {
		w.WriteString("\n")
		w.Line(text.Plain, s)
	}
	for _, side := range []struct {
		name  string
		names []string
	}{{t.Old.Name, t.OnlyOld}, {t.New.Name, t.OnlyNew}} {
		if len(side.names) > 0 {
			say("Only in " + side.name + ": " + quantity.First(side.names, 10))
		}
	}
	for _, n := range t.notes() {
		say(n)
	}
	if t.Compared == 0 {
		return
	}
	percent := 100 * t.Threshold
	if t.Slowdowns == 0 {
		say(fmt.Sprintf("No slowdown above %.3g %% was found.%s", percent, t.reach()))
		return
	}
	off := ""
	if t.Drift.trusted().Shift > 0 {
		off = ", drift subtracted"
	}
	worse := strings.Replace(t.Worse(), "slower", "to be slower", 1)
	say(fmt.Sprintf("Proven %s, and measured so by more than %.3g %% (marked !%s):", worse, percent, off))
	for _, r := range t.Rows {
		if r.Slowdown {
			w.Paragraph(text.Plain, "  ", r.slowdown())
		}
	}
}

// reach is how small a slowdown these runs would have found: a pipeline that sees nothing
// has to know how much it may have missed.
func (t *Table) reach() string {
	var finds []float64
	for _, r := range t.Rows {
		if r.Note == "" && r.Finds > 1 {
			finds = append(finds, r.Finds-1)
		}
	}
	if len(finds) == 0 {
		return ""
	}
	const exact = 2
	slices.Sort(finds)
	middle, last := finds[len(finds)/2], finds[len(finds)-1]
	in := func(f float64) string { return fmt.Sprintf("%.*g %%", exact, 100*f) }
	if len(finds) == 1 || in(middle) == in(last) {
		return fmt.Sprintf(" These runs find one from %s up.", in(last))
	}
	return fmt.Sprintf(" These runs find one from %s up in half of the rows, and from %s up in all.", in(middle), in(last))
}

// notes say why rows were not compared, and of how many, in order of appearance.
func (t *Table) notes() []string {
	count, first := map[string]int{}, map[string]string{}
	var order []string
	for _, r := range t.Rows {
		if r.Note == "" {
			continue
		}
		if count[r.Note]++; count[r.Note] == 1 {
			order = append(order, r.Note)
			first[r.Note] = r.Name
		}
	}
	for i, n := range order {
		rows := first[n]
		if count[n] > 1 {
			rows = fmt.Sprintf("%s and %d more", rows, count[n]-1)
		}
		order[i] = rows + ": " + n + "."
	}
	return order
}

// slowdown says how much slower a row is.
func (r Row) slowdown() string {
	name := fmt.Sprintf("%s (%s): %s", r.Name, r.Unit, r.word())
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

// median is a median with its unit and how far its interval reaches.
func median(s stats.Summary, unit string, d detail) string {
	said := withUnit(s.Median, unit)
	if d < noReach && s.Lo < s.Hi {
		said += " (" + within(s.Lo, s.Hi, unit) + ")"
	}
	return said
}

// withUnit writes a value of a base unit, with what it is counted by: the same
// benchmark may have rows of bytes per operation and per second.
func withUnit(v float64, unit string) string {
	base, per, _ := strings.Cut(unit, "/")
	if base == "sec" {
		v, base = v*1e9, "ns"
	}
	said := quantity.Format(v, base)
	if base != "ns" && base != "B" && v == math.Trunc(v) {
		said = quantity.Tick(v, base) // a count: 3, not 3.00
	}
	if per != "" {
		said += "/" + per
	}
	return said
}

// within is an interval of values of a base unit.
func within(lo, hi float64, unit string) string {
	base, _, _ := strings.Cut(unit, "/")
	if base == "sec" {
		lo, hi, base = lo*1e9, hi*1e9, "ns"
	}
	return quantity.Interval(lo, hi, base)
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

// adjusted is the ratio at an equal speed of the machine, where there is one.
func (r Row) adjusted() string {
	if !r.Adjusted {
		return ""
	}
	return ratio(r.Ratio, "")
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
