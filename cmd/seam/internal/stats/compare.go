package stats

import (
	"math"
	"slices"
)

// A Block is one paired measurement: the time of a case over the time of its
// base, both taken in turns within milliseconds.
type Block struct {
	Cluster int     // the process it was measured in
	Ratio   float64 // below 1: the case is faster than its base
}

// A Verdict says what a comparison has shown.
type Verdict string

const (
	Faster   Verdict = "faster"
	Slower   Verdict = "slower"
	Same     Verdict = "same"     // proven to differ by less than the margin
	Unproven Verdict = "unproven" // neither a difference nor equality is proven
)

// A Comparison is a ratio with its interval and what follows from it.
// Ratio, Lo and Hi are 0 where nothing could be compared; Lo and Hi alone are 0
// where there is no interval. They are never NaN or infinite.
//
// The interval of paired blocks ([Compare]) is at [Proof], the level at which its verdict
// is made; that of runs that were not paired ([Judge]) is at [Confidence], since the level
// of its verdict depends on the number of rows.
type Comparison struct {
	Ratio, Lo, Hi float64
	Blocks        int
	Verdict       Verdict
	// Finds is the smallest difference that would have been found, as a ratio above 1: 1.3
	// where 1.3 times as long and 1/1.3 of the time would both be proven. 0 where no
	// difference would be, however large, as with a single process.
	Finds float64
}

// Layout widens an interval that rests on a single process. What such a process
// can't show is how code, stack and heap happened to be laid out in it, which
// is worth about 1 % of a tight loop's time: ±3 % is twice the deviation of a
// ratio of two such times. More runs in the same process don't shrink it.
const Layout = 0.03

// Compare judges paired blocks. margin is the difference that doesn't matter
// (0.02: 2 %).
//
// The ratio is the geometric mean of the processes' median ratios: a median
// inside a process, because interruptions make single blocks many times slower;
// a mean over processes, because there are too few of them for a median. Its
// interval is the wider, at each end, of
//
//   - the t interval over processes, on logarithms. Its width is right for few
//     processes, and everything that blocks of one process share (layout, drift,
//     a throttled core) counts once, as it should; and
//   - a two-level bootstrap, which keeps the noise inside processes in sight
//     where a few process medians agree by chance.
//
// From [robustFrom] processes on a second interval is at hand, between two order
// statistics of the processes' median ratios: it supposes nothing of the noise, so that a
// process that was disturbed twentyfold counts as one that lies outside, where it makes
// the other interval twenty times as wide. Both are taken at half of the error that is
// allowed, so that the narrower may be chosen.
//
// On two equal things the logarithm of a paired ratio is symmetric around 0, and
// for symmetric distributions with tails heavier than the normal's the t
// interval errs on the wide side. The verdict is [Faster] or [Slower] only where
// the interval, which is at 98 %, excludes 1 and the ratio itself is outside the
// margin. Equal things are then called different in about 2 % of comparisons at
// worst, and hardly ever where the noise is below the margin. The verdict is
// [Same] where the whole interval lies within [1/(1+margin), 1+margin].
//
// One process proves nothing: its interval is that of the median block, widened
// by 3 % at both ends for the layout it can't vary, and its verdict is [Unproven].
// The processes' spread counts as [leastSpread] where they agree more closely than
// clocks tell: an interval without width is no proof.
func Compare(blocks []Block, margin float64, seed uint64) Comparison {
	return CompareMedians(blocks, 0, margin, seed)
}

// CompareMedians is Compare for a table that has the two medians too. The ratio is their
// quotient, so that a reader who divides finds it; and the interval reaches as far around
// it as around the mean of the pairs, so that where a machine was disturbed in some
// processes and the two differ, both lie inside. A verdict is thus no easier to get than
// that of the pairs. 0 is no quotient.
func CompareMedians(blocks []Block, quotient, margin float64, seed uint64) Comparison {
	logs := make([]float64, 0, len(blocks))
	clusters := make([]int, 0, len(blocks))
	for _, b := range blocks {
		if b.Ratio > 0 && finite(b.Ratio) {
			logs = append(logs, math.Log(b.Ratio))
			clusters = append(clusters, b.Cluster)
		}
	}
	groups := group(logs, clusters)
	switch {
	case len(groups) == 0:
		return Comparison{Verdict: Unproven}
	case len(logs) == 1:
		return Comparison{Ratio: exp(shown(logs[0], quotient)), Blocks: 1, Verdict: Unproven}
	case len(groups) == 1:
		center := middle(groups[0])
		c := judge(shown(center, quotient), beside(oneProcess(groups[0], Proof), center, quotient), len(logs), margin)
		c.Verdict, c.Finds = Unproven, 0
		return c
	}
	medians := processMedians(groups)
	center, sem2 := meanError(medians)
	r := newResampler(groups, newRand(seed))
	draws := make([]float64, resamples)
	for i := range draws {
		draws[i] = r.draw()
	}
	slices.Sort(draws)
	least := leastSpread * leastSpread / float64(len(medians))
	both := func(level float64) interval {
		return tAround(center, max(sem2, least), len(medians), level).cover(percentiles(draws, level))
	}
	in := both(Proof)
	if len(medians) >= robustFrom {
		const half = 1 - (1-Proof)/2
		in = both(half)
		slices.Sort(medians)
		if o := orderInterval(medians, half).widen(tQuantile(half, float64(len(medians)-1)) * math.Sqrt(least)); o.width() < in.width() {
			in, center = o, middle(medians)
		}
	}
	return judge(shown(center, quotient), beside(in, center, quotient), len(logs), margin)
}

// robustFrom is how many processes it takes until all of them lie on one side of the true
// median by chance in less than 1 % of cases: 2/2⁸.
const robustFrom = 8

// shown is the logarithm of the ratio that stands in the table.
func shown(center, quotient float64) float64 {
	if quotient > 0 && finite(quotient) {
		return math.Log(quotient)
	}
	return center
}

// beside is the interval around the center of the pairs, and as far around the quotient.
func beside(in interval, center, quotient float64) interval {
	off := shown(center, quotient) - center
	return in.cover(interval{in.lo + off, in.hi + off})
}

// leastSpread is how far the paired ratios of processes are apart at the least, as a
// deviation of the logarithm.
const leastSpread = 0.002

// oneProcess is the interval of the median of at least two log ratios of one
// process. Order statistics give one from six values on (1 - 2/2⁶ is 97 %,
// eight for 98 %); below that it has to be the t interval.
func oneProcess(sorted []float64, level float64) interval {
	in := orderInterval(sorted, level)
	if 1-math.Pow(2, float64(1-len(sorted))) < level {
		in = in.cover(tInterval(sorted, level))
	}
	return in.widen(math.Log1p(Layout))
}

// judge turns a log ratio and its interval into a Comparison.
func judge(center float64, in interval, blocks int, margin float64) Comparison {
	in = in.cover(interval{center, center})
	if !(margin > 0) {
		margin = 0
	}
	c := Comparison{exp(center), exp(in.lo), exp(in.hi), blocks, Unproven, max(1+margin, exp(max(in.hi-center, center-in.lo)))}
	low, high := 1/(1+margin), 1+margin
	switch {
	case c.Lo >= low && c.Hi <= high:
		c.Verdict = Same
	case in.hi < 0 && c.Ratio < low:
		c.Verdict = Faster
	case in.lo > 0 && c.Ratio > high:
		c.Verdict = Slower
	}
	return c
}
