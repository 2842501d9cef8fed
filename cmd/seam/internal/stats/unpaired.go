package stats

import (
	"math"
	"slices"
)

// A Sample is what one run measured of one thing. Cluster[i] tells which process
// Values[i] came from; a nil Cluster means one process.
type Sample struct {
	Values  []float64
	Cluster []int
}

// Processes is how many processes the values are from.
func (s Sample) Processes() int {
	if len(s.Values) == 0 {
		return 0
	}
	seen := map[int]bool{}
	for _, c := range s.Cluster {
		seen[c] = true
	}
	return max(1, len(seen))
}

// Fewest is the number of processes on each side that a verdict takes. What one
// process measured, however often, tells nothing of the next, and two may agree
// by chance.
const Fewest = 3

// FewestTails is that number for a [Tail].
const FewestTails = 5

// A Nature is what kind of value a sample holds, which decides how far its
// processes differ at the least, whatever is seen: values that a coarse clock or
// a small count makes equal have a spread of zero and prove nothing by it.
type Nature int

const (
	Time  Nature = iota // a duration, rate or size: it moves with the layout of a process
	Tail                // a high quantile: it moves from run to run as it does from process to process
	Count               // of events: it moves by its square root
)

// layoutSpread is how far the processes of a run are apart at the least, as a deviation
// of the logarithm: half of what layout is usually worth.
const layoutSpread = 0.005

// variance is that of log values of processes, of which there are two at least.
func (n Nature) variance(medians []float64) float64 {
	mean, sem2 := meanError(medians)
	least := layoutSpread * layoutSpread
	if n == Count {
		least = max(least, math.Exp(-mean))
	}
	return max(least, sem2*float64(len(medians)))
}

// A Judge compares runs that were not measured in turns.
type Judge struct {
	Margin float64 // the difference that doesn't matter (0.02: 2 %)
	Drift  Drift   // what the machine did between the runs
	// Rows is how many comparisons are made together. Chance has as many
	// opportunities, so the level at which each is proven is divided among them
	// (Bonferroni): all together call a difference in 2 % of pairs of equal runs,
	// not in each row's 2 %.
	Rows int
	Seed uint64
}

// Compare sets run b against run a: the ratio is b's over a's. The verdicts are
// those of [Compare], but that [Faster] and [Slower] need an interval that lies
// outside the band that drift explains, not just off 1. Values that are not
// above zero have no ratio, and fewer processes than [Fewest] no verdict: the
// answer is then [Unproven], without an interval. Blocks is the number of values
// of the smaller run.
//
// The interval is the wider of Welch's over the logarithms of the processes'
// medians and a two-level bootstrap, as in Compare, with the processes' spread
// no smaller than their [Nature] allows.
//
// The ratio and its interval are as measured: drift is not taken off. The drift
// that is returned is this row's: a row whose processes spread more than those of
// the benchmarks that tell of the drift is moved more by the machine, too.
func (j Judge) Compare(a, b Sample, n Nature) (Comparison, Drift) {
	ga, okA := logGroups(a)
	gb, okB := logGroups(b)
	if !okA || !okB {
		return Comparison{Verdict: Unproven}, j.Drift
	}
	ma, mb := processMedians(ga), processMedians(gb)
	blocks := min(count(ga), count(gb))
	if min(len(ma), len(mb)) < n.fewest() {
		slices.Sort(ma)
		slices.Sort(mb)
		return Comparison{Ratio: exp(middle(mb) - middle(ma)), Blocks: blocks, Verdict: Unproven}, j.Drift
	}
	meanA, _ := meanError(ma)
	meanB, _ := meanError(mb)
	center := meanB - meanA
	va, vb := n.variance(ma), n.variance(mb)
	rnd := newRand(j.Seed)
	ra, rb := newResampler(ga, rnd), newResampler(gb, rnd)
	draws := make([]float64, resamples)
	for i := range draws {
		draws[i] = rb.draw() - ra.draw()
	}
	slices.Sort(draws)
	between := 0.0
	if n == Tail {
		between = max(va, vb)
	}
	at := func(level float64) interval {
		return welch(center, va, len(ma), vb, len(mb), between, level).cover(percentiles(draws, level))
	}
	drift := j.Drift.forSpread(math.Sqrt(max(va, vb)))
	c := judge(center, at, blocks, j.Margin)
	strict := drift.widen(at(1-(1-proof)/float64(max(1, j.Rows))), center)
	if c.Verdict == Slower && strict.lo <= max(0, drift.Shift) || c.Verdict == Faster && strict.hi >= min(0, drift.Shift) {
		c.Verdict = Unproven
	}
	return c, drift
}

// Fewest is the number of processes on each side that a verdict takes.
func (n Nature) fewest() int {
	if n == Tail {
		return FewestTails
	}
	return Fewest
}

func count(groups [][]float64) (n int) {
	for _, g := range groups {
		n += len(g)
	}
	return n
}

// logGroups returns the logarithms by process. It reports false where there is
// no value, or one without a logarithm.
func logGroups(s Sample) ([][]float64, bool) {
	logs := make([]float64, len(s.Values))
	for i, v := range s.Values {
		if finite(v) && v <= 0 {
			return nil, false
		}
		logs[i] = math.Log(v)
	}
	groups := group(logs, s.Cluster)
	return groups, len(groups) > 0
}
