// Package stats turns timings into medians, intervals and verdicts.
//
// This package is opinionated:
//
//   - The unit of evidence is the process, not the sample. The addresses of
//     code, stacks and heap are drawn once a process and shift everything it
//     measures (Mytkowicz et al., "Producing Wrong Data Without Doing Anything
//     Obviously Wrong!", ASPLOS 2009), so a thousand samples of one process are
//     one observation of that shift. Values therefore come with a cluster: the
//     process they are from.
//   - Few processes are the rule, because each costs seconds. A bootstrap over
//     five of them gives intervals that are too narrow, so every interval is
//     the wider of a bootstrap and a Student t interval over processes.
//   - Ratios are compared on a logarithmic scale, where a/b and b/a are
//     opposites and equal machines give a symmetric distribution.
//   - A difference must be both proven and large enough to matter. Where
//     neither equality nor difference is proven, the answer is [Unproven].
//
// No value is dropped, except those that are no measurement at all: NaN,
// infinities and, in ratios, values that are not above zero.
package stats

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Confidence is the level of the intervals of medians.
const Confidence = 0.95

// Proof is the level at which a difference must show to be called one. It is
// stricter than [Confidence] so that, where all noise is between processes, 2 %
// of equal pairs are called different and not 5 %: a run makes dozens of
// comparisons, and if the true rate were 5 %, half of all runs would break a
// promise of "at most 5 %" by chance.
const Proof = 0.98

// An interval is a range of the scale that a method works on.
type interval struct{ lo, hi float64 }

// cover returns the smallest interval around both.
func (i interval) cover(j interval) interval { return interval{min(i.lo, j.lo), max(i.hi, j.hi)} }

// widen moves both ends outwards.
func (i interval) widen(by float64) interval { return interval{i.lo - by, i.hi + by} }

func (i interval) width() float64 { return i.hi - i.lo }

// A Summary is a median with its interval.
type Summary struct{ Median, Lo, Hi float64 }

// Summarize returns the median of values with a 95 % interval. cluster[i] tells
// which process values[i] came from; a nil cluster means one process.
//
// The interval covers the medians of a two-level bootstrap (processes first,
// then values inside each) and the t interval over the processes' medians. With
// two processes that is wide, as it should be. With one process nothing can be
// known about the spread between processes: the interval is then that of the
// median inside this process, or the whole range below six values, and a reader
// must be told that it is the interval of one process.
//
// The Summary of no values is zero. One value is its own interval. Median, Lo
// and Hi are never NaN or infinite.
func Summarize(values []float64, cluster []int, seed uint64) Summary {
	groups := group(values, cluster)
	var all []float64
	for _, g := range groups {
		all = append(all, g...)
	}
	if len(all) == 0 {
		return Summary{}
	}
	slices.Sort(all)
	median := middle(all)
	var in interval
	if len(groups) == 1 {
		in = orderInterval(all, Confidence)
	} else {
		in = bootstrapPooled(groups, all, seed).cover(processInterval(groups, all[0] > 0))
	}
	if len(groups) >= rangeCovers {
		// Of a few disturbed processes a t interval would say that the others might have
		// taken a tenth of the least that was ever seen.
		in = interval{max(in.lo, all[0]), min(in.hi, all[len(all)-1])}
	}
	// A t interval is centred on a mean, which may lie far from the median.
	in = in.cover(interval{median, median})
	return Summary{median, max(in.lo, -math.MaxFloat64), min(in.hi, math.MaxFloat64)}
}

// rangeCovers is how many processes it takes until their range covers the median with 93 %,
// and the range of their values with more: an interval goes no further than that.
const rangeCovers = 5

// processInterval is the t interval over the medians of processes. Positive
// values get it on a logarithmic scale, so that it stays positive.
func processInterval(groups [][]float64, positive bool) interval {
	medians := processMedians(groups)
	if slices.Min(medians) == slices.Max(medians) {
		return interval{medians[0], medians[0]} // a logarithm would round it
	}
	if !positive {
		return tInterval(medians, Confidence)
	}
	for i, m := range medians {
		medians[i] = math.Log(m)
	}
	in := tInterval(medians, Confidence)
	return interval{exp(in.lo), exp(in.hi)}
}

func processMedians(groups [][]float64) []float64 {
	medians := make([]float64, len(groups))
	for i, g := range groups {
		medians[i] = middle(g)
	}
	return medians
}

// orderInterval is the distribution-free interval of the median between two
// order statistics, as benchstat gives it. sorted is not empty. The range
// stands in where there are too few values for the level.
func orderInterval(sorted []float64, level float64) interval {
	ci := benchmath.AssumeNothing.Summary(&benchmath.Sample{
		Values:     sorted,
		Thresholds: &benchmath.DefaultThresholds,
	}, level)
	return interval{max(ci.Lo, sorted[0]), min(ci.Hi, sorted[len(sorted)-1])}
}

// Outliers labels the values beyond Tukey's outer fences (three times the
// interquartile range outside the quartiles; Tukey, "Exploratory Data
// Analysis", 1977). The fences stand at least 1 % of the median away from the
// quartiles: where a coarse clock makes most values equal, its last digit is no
// outlier. Fewer than four values have no outliers, except that NaN and
// infinities always are.
func Outliers(values []float64) []bool {
	out := make([]bool, len(values))
	var sorted []float64
	for i, v := range values {
		out[i] = !finite(v)
		if !out[i] {
			sorted = append(sorted, v)
		}
	}
	if len(sorted) < 4 {
		return out
	}
	slices.Sort(sorted)
	q1, q3 := quantile(sorted, 0.25), quantile(sorted, 0.75)
	fence := max(3*(q3-q1), 0.01*math.Abs(middle(sorted)))
	for i, v := range values {
		out[i] = out[i] || v < q1-fence || v > q3+fence
	}
	return out
}

// group sorts the finite values into one ascending slice per cluster, in the
// order of the clusters' first values. Values without a cluster belong to
// cluster 0.
func group(values []float64, cluster []int) [][]float64 {
	var groups [][]float64
	index := map[int]int{}
	for i, v := range values {
		if !finite(v) {
			continue
		}
		c := 0
		if i < len(cluster) {
			c = cluster[i]
		}
		at, ok := index[c]
		if !ok {
			at = len(groups)
			index[c] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], v)
	}
	for _, g := range groups {
		slices.Sort(g)
	}
	return groups
}

// Median is the median of values, of which there is at least one.
func Median(values []float64) float64 { return middle(slices.Sorted(slices.Values(values))) }

// middle is the median of a sorted slice that is not empty.
func middle(sorted []float64) float64 { return quantile(sorted, 0.5) }

// quantile interpolates between order statistics (Hyndman and Fan's type 7,
// the default of R). sorted is not empty.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) || sorted[i] == sorted[i+1] {
		return sorted[i]
	}
	f := at - float64(i)
	// Not a + f*(b-a): the difference of two large values may overflow.
	return sorted[i]*(1-f) + sorted[i+1]*f
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// exp keeps the ends of absurdly wide intervals finite and above zero, so that
// they can be divided by and written as JSON.
func exp(v float64) float64 { return math.Exp(max(-700, min(700, v))) }
