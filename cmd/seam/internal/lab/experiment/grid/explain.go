package grid

import (
	"fmt"
	"math"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// explain computes what the figures mean. Every sentence is left out where its
// figures are missing.
func explain(e *result.Experiment) {
	a := lab.Analysis{Experiment: e}
	a.Say(payOff(e)...)
	a.Say(neverPays(e)...)
	a.Note(priceNotWork(e)...)
	a.Note(againstPublished(e), breakAgainstPublished(e))
	a.Note(doubtful(e)...)
	a.Note(learnedLoops(e), callsDontMatter(e))
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
func doubtful(e *result.Experiment) []string {
	var list []string
	for _, k := range kinds {
		for _, v := range crossings {
			s := e.Find(breakEvenName(k, v), "count")
			if s == nil || 2*rounds(s) >= e.Rounds {
				continue
			}
			list = append(list, fmt.Sprintf("A break-even of %s %s was found in %d of %d processes only: treat its figures as noise.",
				k, through(v), rounds(s), e.Rounds))
		}
	}
	return list
}

// payOff says how much Go work a call must replace.
func payOff(e *result.Experiment) []string {
	var free, twice []string
	for _, v := range crossings {
		count, ns := breakEven(e, fold, v)
		if count == nil {
			continue
		}
		free = append(free, fmt.Sprintf("%s from %s ns of Go work (%s to %s; count %s, %s to %s)", through(v),
			quantity.Number(ns.Median), quantity.Number(ns.Lo), quantity.Number(ns.Hi), quantity.Number(count.Median), quantity.Number(count.Lo), quantity.Number(count.Hi)))
		// With C s times as fast, work t pays when t > price + t/s, so from
		// price·s/(s-1) on; the price is the break-even with C for free.
		twice = append(twice, fmt.Sprintf("%s from %s ns", through(v), quantity.Number(2*ns.Median)))
	}
	if len(free) == 0 {
		return nil
	}
	return []string{
		"A C call pays off " + strings.Join(free, ", ") + ", if C does that work for free.",
		"C that is twice as fast as Go pays off from twice that: " + strings.Join(twice, ", ") +
			". In general from s/(s-1) times that, where C is s times as fast.",
	}
}

func through(v via) string { return "through " + string(v) }

// neverPays reports on the work that C can't shorten.
func neverPays(e *result.Experiment) []string {
	var list []string
	for _, v := range crossings {
		if count, ns := breakEven(e, nofold, v); count != nil {
			list = append(list, fmt.Sprintf("For work that C can't shorten, a call %s pays off from %s ns of Go work (count %s, %s to %s).",
				through(v), quantity.Number(ns.Median), quantity.Number(count.Median), quantity.Number(count.Lo), quantity.Number(count.Hi)))
			continue
		}
		last := reference.Grid[len(reference.Grid)-1].Count
		c := e.Compared(seriesName(last, nofold, v))
		if why := notMeasured(e, breakEvenName(nofold, v)); why != "" && c != nil {
			list = append(list, fmt.Sprintf("For work that C can't shorten, a call %s has no break-even: %s. At count %d C takes %.3f times Go's time, the call included.",
				through(v), why, last, c.Ratio))
		}
	}
	return list
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

// flat is the most that a time may grow over the whole grid (a thousandfold in
// work) and still be called independent of the work.
const flat = 1.5

// priceNotWork says whether fold shows the price of a call, as it should.
func priceNotWork(e *result.Experiment) []string {
	small, large := reference.Grid[0].Count, reference.Grid[len(reference.Grid)-1].Count
	var list []string
	for _, v := range crossings {
		a, b := e.Find(seriesName(small, fold, v), "ns/op"), e.Find(seriesName(large, fold, v), "ns/op")
		if a == nil || b == nil || a.Median <= 0 {
			continue
		}
		if grown := b.Median / a.Median; grown < flat {
			list = append(list, fmt.Sprintf("fold %s takes %s ns at count %d and %s ns at count %d: C evaluates a formula in place of the loop, so this is the cost of the call and not of the work.",
				through(v), quantity.Number(a.Median), small, quantity.Number(b.Median), large))
		} else {
			list = append(list, fmt.Sprintf("fold %s takes %.1f times as long at count %d as at count %d, though C has no loop there: something disturbed these figures.",
				through(v), grown, large, small))
		}
	}
	return list
}

// learnedLoops warns where Go's short loops are faster than the step of its long
// ones allows. The same count over and over is a luxury of benchmarks.
func learnedLoops(e *result.Experiment) string {
	last, before := reference.Grid[len(reference.Grid)-1].Count, reference.Grid[len(reference.Grid)-2].Count
	a, b := e.Find(seriesName(before, fold, viaGo), "ns/op"), e.Find(seriesName(last, fold, viaGo), "ns/op")
	if a == nil || b == nil {
		return ""
	}
	step := (b.Median - a.Median) / float64(last-before)
	var short []string
	for _, row := range reference.Grid[:len(reference.Grid)-2] {
		s := e.Find(seriesName(row.Count, fold, viaGo), "ns/op")
		if s != nil && s.Hi < step*float64(row.Count) {
			short = append(short, fmt.Sprintf("%d (%s ns)", row.Count, quantity.Number(s.Median)))
		}
	}
	return lab.Sentence(fmt.Sprintf("In Go a step of the sum takes %s ns (from count %d to %d), yet count ", quantity.Number(step), before, last), short, ", ",
		" takes less than the sum of its steps: successive calls overlap, as they can while the processor predicts where a loop of constant length ends. In a program whose counts vary, Go is slower there, so a C call pays off somewhat earlier.")
}

// callsDontMatter says how much the number of calls in a run changed the time
// of one call.
func callsDontMatter(e *result.Experiment) string {
	var spreads []float64
	var most float64
	var where string
	var shortest int
	for _, row := range reference.Grid {
		for _, v := range vias {
			runs := callRuns(e, row.Count, v)
			if len(runs) < 2 {
				continue
			}
			lo, hi := math.Inf(1), 0.0
			for _, r := range runs {
				lo, hi = min(lo, r.ns), max(hi, r.ns)
				if shortest == 0 || r.calls < shortest {
					shortest = r.calls
				}
			}
			spread := hi/lo - 1
			spreads = append(spreads, spread)
			if spread >= most {
				most, where = spread, fmt.Sprintf("count %d through %s", row.Count, v)
			}
		}
	}
	if len(spreads) == 0 {
		return ""
	}
	note := fmt.Sprintf("The number of calls in a run changes the time of one call by %.1f %% (median over the grid; at most %.1f %%, at %s).",
		100*stats.Median(spreads), 100*most, where)
	if share := reference.GridCalls[0] / shortest; share > 1 {
		note += fmt.Sprintf(" The runs were 1/%d as long as the published ones; --full makes them as long.", share)
	}
	return note
}
