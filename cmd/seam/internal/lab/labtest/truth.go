package labtest

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// Untrue reads every sentence of an experiment back, and returns what it can't find in the
// figures: a number that neither the table nor the experiment's own settings have, or a
// difference that is not one comparison's ratio, interval and verdict.
func Untrue(e *result.Experiment) (faults []string) {
	known := numbersOf(e)
	for _, s := range append(append([]string{e.Advice}, e.Findings...), e.Notes...) {
		for _, fault := range known.read(s) {
			faults = append(faults, fmt.Sprintf("%s: %s: %q", e.Name, fault, s))
		}
	}
	for i := range e.Comparisons {
		if fault := contradiction(&e.Comparisons[i]); fault != "" {
			faults = append(faults, e.Name+": "+fault)
		}
		if fault := offMedians(e, &e.Comparisons[i]); fault != "" {
			faults = append(faults, e.Name+": "+fault)
		}
	}
	return faults
}

// offMedians is how a ratio is not that of the medians beside it.
func offMedians(e *result.Experiment, c *result.Comparison) string {
	a, b := e.Find(c.Name, c.Unit), e.Find(c.Base, c.Unit)
	if a == nil || b == nil || a.Median <= 0 || b.Median <= 0 {
		return ""
	}
	if q := a.Median / b.Median; math.Abs(c.Ratio/q-1) > 1e-9 {
		return fmt.Sprintf("the medians %v and %v have a ratio of %v: %+v", a.Median, b.Median, q, *c)
	}
	return ""
}

var (
	number     = regexp.MustCompile(`[0-9][0-9,]*(\.[0-9]+)?`)
	undecided  = regexp.MustCompile(`undecided( below [0-9.,]+×|, too noisy)?`)
	comparison = regexp.MustCompile(`[0-9][0-9,.]*× \([^()]*\), (faster|slower|less|more|the same)`)
	// Words that compare, and so belong to a comparison.
	comparing = regexp.MustCompile(`(?i)×|\b(times as|times less|times more|faster than|slower than|cheaper|dearer|proven)\b`)
)

// A ledger is what sentences may say.
type ledger struct {
	numbers  map[string]bool
	compared map[string]bool // comparisons in words
	open     bool            // there is something that is not proven
}

func numbersOf(e *result.Experiment) ledger {
	l := ledger{map[string]bool{}, map[string]bool{}, false}
	add := func(texts ...string) {
		for _, t := range texts {
			for _, n := range number.FindAllString(t, -1) {
				l.numbers[strings.TrimRight(n, ",")] = true
			}
		}
	}
	add(e.Name, e.Title, e.About)
	for i := range e.Sources {
		add(e.Sources[i].Cite())
	}
	for i := range e.Series {
		s := &e.Series[i]
		add(s.Name, s.Label, s.Group, s.NotMeasured)
		if s.NotMeasured == "" {
			add(quantity.Format(s.Median, s.Unit), quantity.Whole(s.Median, s.Unit), quantity.Interval(s.Lo, s.Hi, s.Unit))
			if len(s.Samples) > 0 { // counts have the range of all that was counted
				values := make([]float64, len(s.Samples))
				for i, x := range s.Samples {
					values[i] = x.Value
				}
				add(quantity.Interval(slices.Min(values), slices.Max(values), s.Unit))
			}
			l.open = l.open || s.Lo <= 0
		}
		if s.Reference != nil {
			add(quantity.Format(s.Reference.Value, s.Unit), s.Reference.Note)
		}
	}
	for i := range e.Comparisons {
		c := &e.Comparisons[i]
		l.compared[c.Words()] = true
		l.open = l.open || !c.Proven()
	}
	return l
}

// read returns what is wrong with a sentence.
func (l ledger) read(s string) (faults []string) {
	rest := undecided.ReplaceAllStringFunc(s, func(said string) string {
		if !l.compared[said] && !l.open {
			faults = append(faults, "everything is proven")
		}
		if said != "undecided" && !l.compared[said] {
			faults = append(faults, "no comparison shows "+said)
		}
		return ""
	})
	rest = comparison.ReplaceAllStringFunc(rest, func(said string) string {
		if !l.compared[said] {
			faults = append(faults, "no comparison shows "+said)
		}
		return ""
	})
	rest = strings.ReplaceAll(rest, "no difference is proven here", "")
	if w := comparing.FindString(rest); w != "" {
		faults = append(faults, "it compares without a comparison: "+w)
	}
	for _, n := range number.FindAllString(rest, -1) {
		if n = strings.TrimRight(n, ","); !l.numbers[n] {
			faults = append(faults, "no figure is "+n)
		}
	}
	return faults
}

// contradiction is how a verdict contradicts its interval.
func contradiction(c *result.Comparison) string {
	v := stats.Verdict(c.Verdict)
	switch {
	case v == stats.Unproven:
		return ""
	case c.Lo >= c.Hi:
		return fmt.Sprintf("an interval without width proves nothing: %+v", *c)
	case v == stats.Faster && c.Hi >= 1, v == stats.Slower && c.Lo <= 1, v == stats.Same && (c.Lo > 1.03 || c.Hi < 0.97):
		return fmt.Sprintf("the interval does not say so: %+v", *c)
	}
	return ""
}
