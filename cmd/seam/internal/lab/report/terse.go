package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// terseRows is how many figures fit in ten lines with a head and its rule.
const terseRows = 8

// A headline is a figure that stands for its experiment.
type headline struct{ Experiment, Words, Figure, Interval string }

// headlines are those of a run, at most some, in its order. Where no experiment has any,
// the first rows stand in.
func headlines(run *result.Run, most int) (list []headline) {
	add := func(e *result.Experiment, s *result.Series, words string) {
		if s != nil && len(list) < most {
			h := headline{clean(e.Name), clean(words), quantity.Format(s.Median, s.Unit), quantity.Interval(s.Lo, s.Hi, s.Unit)}
			switch {
			case s.Lo == s.Hi: // of one process
				h.Interval = ""
			case s.Vague():
				h.Figure, h.Interval = h.Interval, ""
			}
			if strings.HasSuffix(s.Unit, "/s") {
				h.Figure += "/s"
			}
			list = append(list, h)
		}
	}
	for i := range run.Experiments {
		e := &run.Experiments[i]
		for _, h := range e.Headlines {
			add(e, e.Find(h.Name, h.Unit), h.Words)
		}
	}
	if len(list) > 0 {
		return list
	}
	for i := range run.Experiments {
		e := &run.Experiments[i]
		for j := range e.Series {
			if s := &e.Series[j]; s.NotMeasured == "" {
				add(e, s, s.Label)
			}
		}
	}
	return list
}

// WriteTerse writes a run for people in a hurry: one table of ten lines, and a line for
// what they must know beside it.
func WriteTerse(w io.Writer, run *result.Run, o text.Options) error {
	t := &report{text.New(w, o), false}
	columns := []*text.Column{{Head: "what"}, {Head: "median", Style: text.Bold}, {Head: "interval", Style: text.Faint}, {Head: "experiment", Left: true, Style: text.Faint}}
	for _, h := range headlines(run, terseRows) {
		text.Add(columns, h.Words, h.Figure, h.Interval, h.Experiment)
	}
	if rows := headlines(run, 1); len(rows) > 0 {
		t.table(columns)
	} else {
		for i := range run.Experiments {
			t.unmeasured(&run.Experiments[i])
		}
	}
	if s := warnings(run); len(s) > 0 {
		more := ""
		if len(s) > 1 {
			more = fmt.Sprintf(" (and %d more, without --terse)", len(s)-1)
		}
		t.warn(s[0] + more)
	}
	return t.Flush()
}
