package grid

import (
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// explain says what the figures mean. A sentence is left out where its figures are
// missing.
func explain(e *result.Experiment) {
	a := lab.Analysis{Experiment: e}
	a.Headline(breakEvenName(fold, viaLeaf), "ns", "of Go work that a leaf call must replace")
	for _, v := range slices.Backward(crossings) {
		a.Say(payOff(a, v))
	}
	for _, v := range crossings {
		a.Say(neverPays(a, v))
	}
	if len(e.Findings) > 0 {
		a.Note(lab.Tell("These break-evens are with C that does the work for free, and are the price of a call in Go's time. C that needs time of its own pays off later: where Go needs s of C's time, from s/(s - one) of the price on."),
			lab.Tell("In fold, C evaluates a formula in place of the loop, so its time is the cost of the call and not of the work. In a program whose counts vary, Go's loops take longer than here, where the processor learns where they end."))
	}
	a.Note(doubtful(e)...)
	a.Draw(timeChart(e, fold), timeChart(e, nofold), ratioChart(e), callsChart(e))
}

// breakEven returns the two series of a break-even that was found. One that
// most processes did not find doesn't count.
func breakEven(e *result.Experiment, k kind, v via) (count, ns *result.Series) {
	name := breakEvenName(k, v)
	count, ns = e.Find(name, "count"), e.Find(name, "ns")
	if count == nil || ns == nil || 2*rounds(count) < e.Rounds {
		return nil, nil
	}
	return count, ns
}

// rounds returns how many processes gave a series.
func rounds(s *result.Series) int {
	seen := map[int]bool{}
	for _, m := range s.Samples {
		seen[m.Round] = true
	}
	return len(seen)
}

// doubtful warns of break-evens that few processes found.
func doubtful(e *result.Experiment) (list []lab.Sentence) {
	for _, k := range kinds {
		for _, v := range crossings {
			if s := e.Find(breakEvenName(k, v), "count"); s != nil && 2*rounds(s) < e.Rounds {
				list = append(list, lab.Tell("A break-even of %s through %s was found in less than half of the processes: treat its figures as noise.", lab.Set(k), lab.Set(v)))
			}
		}
	}
	return list
}

// payOff says how much Go work a call must replace.
func payOff(a lab.Analysis, v via) lab.Sentence {
	if count, _ := breakEven(a.Experiment, fold, v); count == nil {
		return lab.Sentence{}
	}
	of := breakEvenName(fold, v)
	return lab.Tell("A call through %s pays off from %s of Go work on, count %s, if C does that work for free.", lab.Set(v), a.Range(of, "ns"), a.Range(of, "count"))
}

// neverPays reports on the work that C can't shorten.
func neverPays(a lab.Analysis, v via) lab.Sentence {
	of := breakEvenName(nofold, v)
	if count, _ := breakEven(a.Experiment, nofold, v); count != nil {
		return lab.Tell("For work that C can't shorten, a call through %s pays off from %s of Go work on, count %s.", lab.Set(v), a.Range(of, "ns"), a.Range(of, "count"))
	}
	if notMeasured(a.Experiment, of) == "" {
		return lab.Sentence{}
	}
	last := reference.Grid[len(reference.Grid)-1].Count
	return lab.Tell("Where C takes as long as Go for the same work, no count was found from which a call of C pays through %s. At count %s it takes, against Go: %s.", lab.Set(v), lab.Set(last),
		a.Compare(seriesName(last, nofold, v), seriesName(last, nofold, viaGo), "ns/op"))
}

// notMeasured returns why the series of that name has no figure, or "".
func notMeasured(e *result.Experiment, name string) string {
	for _, s := range e.Series {
		if s.Name == name && s.NotMeasured != "" {
			return s.NotMeasured
		}
	}
	return ""
}
