// Package published sets every published figure beside what a run measured: then, here, and
// whether it still holds. A published figure that no claim uses is a fault, which a test
// finds: a figure that stands beside nothing is decoration.
package published

import (
	"fmt"
	"io"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// A Claim is a published figure and what a run has to say to it.
type Claim struct {
	reference.Figure
	Said       string // what was claimed, in a few words
	Experiment string // which measures the same
	here       func(*result.Experiment) (found, bool)
	// Such figures hold from lo to hi.
	lo, hi float64
	since  string // why the two can't be compared; "" if they can
}

// A found is what was measured, without an interval where lo and hi are equal. A few
// processes are too few for a verdict on what varies.
type found struct {
	value, lo, hi float64
	few           bool
}

// A Row is a claim beside a run.
type Row struct {
	Claim
	Here, Verdict string
}

// The verdicts.
const (
	Holds         = "holds today"
	NoLonger      = "no longer"
	Undecided     = "undecided"
	NotComparable = "not comparable, since "
	NotMeasured   = "not measured in this run"
)

// Rows are all claims beside what a run measured.
func Rows(run *result.Run) []Row {
	list := make([]Row, 0, len(Claims))
	for _, c := range Claims {
		row := Row{c, quantity.Missing, NotMeasured}
		i := slices.IndexFunc(run.Experiments, func(e result.Experiment) bool { return e.Name == c.Experiment })
		if i >= 0 {
			if f, ok := c.here(&run.Experiments[i]); ok {
				row.Here, row.Verdict = f.words(c.Unit), c.verdict(f)
			}
		}
		list = append(list, row)
	}
	return list
}

// Experiments are the names of those that a claim is about.
func Experiments() (names []string) {
	for _, c := range Claims {
		if !slices.Contains(names, c.Experiment) {
			names = append(names, c.Experiment)
		}
	}
	return names
}

func (f found) words(unit string) string {
	s := quantity.Format(f.value, unit)
	if in := quantity.Interval(f.lo, f.hi, unit); f.lo < f.hi && in != "" {
		s += " (" + in + ")"
	}
	return s
}

// verdict: a figure holds where all that the run leaves open is near it, and no longer where
// none of it is.
func (c Claim) verdict(f found) string {
	lo, hi := f.lo, f.hi
	if lo >= hi {
		lo, hi = f.value, f.value
	}
	switch {
	case c.since != "":
		return NotComparable + c.since
	case f.few:
		return Undecided + ": too few processes"
	case lo >= c.lo && hi <= c.hi:
		return Holds
	case hi < c.lo || lo > c.hi:
		return NoLonger
	}
	return Undecided
}

// Head is above the cells of a table.
var Head = []string{"claim", "then", "here", "verdict", "source"}

// Cells are a row as a table has it.
func (r Row) Cells() []string {
	return []string{r.Said, quantity.Format(r.Value, r.Unit), r.Here, r.Verdict, fmt.Sprintf("%s, %s", r.Source.Title, r.Source.Year)}
}

// Write writes the table for people, and what near means.
func Write(w io.Writer, run *result.Run, o text.Options) error {
	t := text.New(w, o)
	columns := make([]*text.Column, len(Head))
	for i, h := range Head {
		columns[i] = &text.Column{Head: h, Left: i == 0 || i > 2, Wrap: true}
	}
	columns[0].Least = 18
	for _, r := range Rows(run) {
		text.Add(columns, r.Cells()...)
	}
	t.Table(text.Table{Columns: columns, Rule: true, Repeat: true})
	t.WriteString("\n")
	t.Line(text.Faint, Near)
	return t.Flush()
}

// Near says what the verdicts mean.
const Near = "A time or a size holds within a factor of two, since machines differ; a share within ten points, +10% of wrapped errors within five. Undecided: the run leaves open more than that."
