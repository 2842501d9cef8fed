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

// CompareSamples judges two runs that were not measured in turns: the ratio is
// b's over a's. margin and the verdicts are those of [Compare], but that
// [Faster] and [Slower] need an interval that lies outside the band that drift
// explains, not just off 1. Blocks is the number of values of the smaller run. Values that are not above zero have no
// ratio; with any of them the answer is [Unproven].
//
// With two or more processes on both sides the interval is the wider of Welch's
// over the logarithms of the processes' medians and a two-level bootstrap, as
// in Compare. With one process on either side it is the Hodges–Lehmann interval
// that goes with the Mann–Whitney test, widened by 3 % at both ends for the
// memory layout that one process can't vary.
//
// The ratio and its interval are as measured: drift is not taken off. What
// changed on the machine between two runs can't be told for sure from what
// changed in the program; only paired blocks can do that.
func CompareSamples(a, b Sample, margin float64, drift Drift, seed uint64) Comparison {
	ga, okA := logGroups(a)
	gb, okB := logGroups(b)
	if !okA || !okB {
		return Comparison{Verdict: Unproven}
	}
	if len(ga) < 2 || len(gb) < 2 {
		return hodgesLehmann(slices.Concat(ga...), slices.Concat(gb...), margin, drift)
	}
	ma, mb := processMedians(ga), processMedians(gb)
	meanA, _ := meanError(ma)
	meanB, _ := meanError(mb)
	rnd := newRand(seed)
	ra, rb := newResampler(ga, rnd), newResampler(gb, rnd)
	draws := make([]float64, resamples)
	for i := range draws {
		draws[i] = rb.draw() - ra.draw()
	}
	slices.Sort(draws)
	return judgeBeyond(drift, meanB-meanA, func(level float64) interval {
		return welch(ma, mb, level).cover(percentiles(draws, level))
	}, min(count(ga), count(gb)), margin)
}

// judgeBeyond is judge with a band instead of 1 for what no difference is.
func judgeBeyond(drift Drift, center float64, at func(level float64) interval, blocks int, margin float64) Comparison {
	c := judge(center, at, blocks, margin)
	band, strict := drift.band(), at(proof)
	if c.Verdict == Slower && strict.lo <= band.hi || c.Verdict == Faster && strict.hi >= band.lo {
		c.Verdict = Unproven
	}
	return c
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

// hodgesLehmann compares by the differences between every value of b and every
// value of a: their median is the shift, and the interval lies between two of
// them, counted in from both ends (Hollander, Wolfe and Chicken, "Nonparametric
// Statistical Methods", 4.2 and 4.3).
func hodgesLehmann(a, b []float64, margin float64, drift Drift) Comparison {
	a, b = thin(a), thin(b)
	shifts := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			shifts = append(shifts, y-x)
		}
	}
	slices.Sort(shifts)
	center := middle(shifts)
	blocks := min(len(a), len(b))
	if _, ok := mannWhitney(len(a), len(b), Confidence); !ok {
		return Comparison{Ratio: exp(center), Blocks: blocks, Verdict: Unproven}
	}
	return judgeBeyond(drift, center, func(level float64) interval {
		skip, ok := mannWhitney(len(a), len(b), level)
		if !ok {
			return interval{math.Inf(-1), math.Inf(1)}
		}
		return interval{shifts[skip], shifts[len(shifts)-1-skip]}.widen(math.Log1p(Layout))
	}, blocks, margin)
}

// thin keeps evenly spaced order statistics of a run that is too long to
// compare each with each. The interval is then that of the shorter run: a
// little too wide, and still far below the 3 % added to it.
func thin(values []float64) []float64 {
	const most = 512
	slices.Sort(values)
	if len(values) <= most {
		return values
	}
	kept := make([]float64, most)
	for i := range kept {
		kept[i] = quantile(values, (float64(i)+0.5)/most)
	}
	return kept
}

// mannWhitney returns how many of the n·m ordered differences to leave out at
// each end of an interval. It reports false where even the whole range doesn't
// reach the level, as with three values on both sides and 95 %.
func mannWhitney(n, m int, level float64) (skip int, ok bool) {
	tail := (1 - level) / 2
	if n*m > 400 {
		// The normal approximation, counting from 0.
		z := math.Sqrt2 * math.Erfinv(level)
		nm := float64(n * m)
		at := nm/2 - z*math.Sqrt(nm*float64(n+m+1)/12) - 1
		return int(max(at, 0)), at >= 0
	}
	// The exact distribution of U: ways[i][u] is how many arrangements of i of
	// the first j values among all have the statistic u, by Mann and Whitney's
	// recurrence (Annals of Mathematical Statistics 18, 1947).
	ways := make([][]float64, n+1)
	for i := range ways {
		ways[i] = make([]float64, n*m+1)
	}
	ways[0][0] = 1
	for j := 1; j <= n+m; j++ {
		for i := min(j, n); i >= 1; i-- {
			// The j-th smallest value is one of the n; it beats j-i of the m.
			for u := n * m; u >= j-i; u-- {
				ways[i][u] += ways[i-1][u-(j-i)]
			}
		}
	}
	all := 0.0
	for _, w := range ways[n] {
		all += w
	}
	below := 0.0
	for u, w := range ways[n] {
		below += w / all
		if below > tail {
			return u - 1, u > 0
		}
	}
	return 0, false
}
