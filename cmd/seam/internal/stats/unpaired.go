package stats

import (
	"cmp"
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
	Time  Nature = iota // a duration: it moves with the layout of a process, and what else runs makes it longer
	Rate                // of events in time: the inverse
	Size                // it moves both ways
	Tail                // a high quantile: it moves from run to run as it does from process to process
	Count               // of events: it moves by its square root
)

// layoutSpread is how far the processes of a run are apart at the least, as a deviation
// of the logarithm: half of what layout is usually worth.
const layoutSpread = 0.005

// A center is where the processes of a run lie, as a logarithm.
type center struct {
	at       float64
	variance float64     // of one process
	groups   [][]float64 // the processes that tell of it
}

// quietest is the number of processes from which on only the quieter half is looked at.
const quietest = 6

// center returns that of at least two processes. Whatever else the machine does makes
// times longer, in some processes and by any amount, and never shorter. So where there are
// enough processes the center of times is the mean of the shorter half, which it takes
// disturbances of more than half of them to move. Its error is that of a trimmed mean:
// the variance is what values have of which the longer half is as long as the longest
// that is kept (Yuen, Biometrika 61, 1974). With rates all is the other way round.
func (n Nature) center(groups [][]float64) center {
	groups = slices.Clone(groups)
	slices.SortStableFunc(groups, byMiddle)
	if n == Rate {
		slices.Reverse(groups)
	}
	medians := processMedians(groups)
	kept := len(medians)
	if (n == Time || n == Rate) && kept >= quietest {
		kept = (kept + 1) / 2
		for i := kept; i < len(medians); i++ {
			medians[i] = medians[kept-1]
		}
	}
	mean, _ := meanError(medians[:kept])
	_, sem2 := meanError(medians)
	squares := sem2 * float64(len(medians)) * float64(len(medians)-1)
	least := layoutSpread * layoutSpread
	if n == Count {
		least = max(least, math.Exp(-mean))
	}
	return center{mean, max(least, squares/float64(kept-1)), groups[:kept]}
}

func byMiddle(a, b []float64) int { return cmp.Compare(middle(a), middle(b)) }

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
// no smaller than their [Nature] allows. From six processes on, times and rates are
// compared by the quieter half of each run.
//
// The ratio and its interval are as measured: drift is not taken off. The drift
// that is returned is this row's: a row whose processes spread more than those of
// the benchmarks that tell of the drift is moved more by the machine, too.
func (j Judge) Compare(a, b Sample, n Nature) (Comparison, Drift) {
	c, drift, _ := j.plain(a, b, n)
	return c, drift
}

// plain also tells how wide the interval is by which a row is proven, 0 if there is none.
func (j Judge) plain(a, b Sample, n Nature) (c Comparison, drift Drift, width float64) {
	ga, okA := logGroups(a)
	gb, okB := logGroups(b)
	if !okA || !okB {
		return Comparison{Verdict: Unproven}, j.Drift, 0
	}
	blocks := min(count(ga), count(gb))
	if min(len(ga), len(gb)) < n.fewest() {
		ma, mb := processMedians(ga), processMedians(gb)
		slices.Sort(ma)
		slices.Sort(mb)
		return Comparison{Ratio: exp(middle(mb) - middle(ma)), Blocks: blocks, Verdict: Unproven}, j.Drift, 0
	}
	ca, cb := n.center(ga), n.center(gb)
	between := 0.0
	if n == Tail {
		between = max(ca.variance, cb.variance)
	}
	drift = j.Drift.forSpread(math.Sqrt(max(ca.variance, cb.variance)))
	c, strict := j.judge(ca, cb, between, blocks, interval{})
	strict = drift.widen(strict, cb.at-ca.at)
	if c.Verdict == Slower && strict.lo <= max(0, drift.Shift) || c.Verdict == Faster && strict.hi >= min(0, drift.Shift) {
		c.Verdict = Unproven
	}
	c.Finds = j.finds(strict, cb.at-ca.at, drift.Shift)
	return c, drift, strict.width() + math.Abs(drift.Shift)
}

// finds is the smallest difference that a row with that interval would have shown.
func (j Judge) finds(strict interval, ratio, shift float64) float64 {
	return max(1+j.Margin, exp(max(strict.hi-ratio, ratio-strict.lo)+math.Abs(shift)))
}

// judge compares two centers. between is what moves one as a whole, as a variance, and
// beside what may have to be added to their difference. It also returns the interval at
// the level at which each of the rows is to be proven.
func (j Judge) judge(a, b center, between float64, blocks int, beside interval) (c Comparison, strict interval) {
	ratio := b.at - a.at
	rnd := newRand(j.Seed)
	ra, rb := newResampler(a.groups, rnd), newResampler(b.groups, rnd)
	draws := make([]float64, resamples)
	for i := range draws {
		draws[i] = rb.draw() - ra.draw()
	}
	slices.Sort(draws)
	at := func(level float64) interval {
		in := welch(ratio, a.variance, len(a.groups), b.variance, len(b.groups), between, level).cover(percentiles(draws, level))
		return interval{in.lo + beside.lo, in.hi + beside.hi}
	}
	strict = at(1 - (1-Proof)/float64(max(1, j.Rows)))
	c = judge(ratio, at(Confidence), blocks, j.Margin)
	if c.Verdict != Same {
		c.Verdict = judge(ratio, at(Proof), blocks, j.Margin).Verdict
	}
	return c, strict
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
