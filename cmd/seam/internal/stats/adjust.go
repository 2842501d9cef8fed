package stats

import (
	"maps"
	"math"
	"slices"
)

// A Base is a benchmark that holds none of the code under test.
type Base struct {
	Pair
	Beside bool // it was measured in the processes of the row that is judged
}

// FewestAdjusted is the number of processes of each run that must have measured both the
// row and a base, for a slope to be read from them.
const FewestAdjusted = 6

const (
	// slopePrior is how far a row's slope may be from 1, as a deviation: what runs beside it
	// on the core slows one loop down by a tenth and the next by two thirds.
	slopePrior = 0.5
	// slopeKnown is the deviation up to which a slope counts as known: a row that waits for a
	// timer has a slope of 0, and must not be taken for one that follows the base.
	slopeKnown = 0.2
	// slopeError is how well a slope is known at the best: that between the runs need not be
	// that within them.
	slopeError = 0.03
)

// Beside compares as Compare does or, where that tells more, at an equal speed of the
// machine (an analysis of covariance). The log time y of a row in process p of a run is
// taken as
//
//	y = run + slope·x + error
//
// with x the log time of a base in the same process, and the runs are compared by y -
// slope·x. The slope is the same for both runs and comes from what differs within them; it
// is a robust one (Tukey's bisquare), drawn towards 1, and what is not known about it widens
// the interval by how far x moved between the runs. So a machine that got faster is not
// credited to a row that doesn't follow the base, and there must be something to read a
// slope from. Noise of x flattens a slope, which therefore lies between that of y on x and
// the inverse of that of x on y.
//
// A base may move for a reason of its own: another linker puts its loop elsewhere. Where
// the other bases moved less or more, the interval therefore reaches to what follows if it
// is they that tell of the machine.
//
// Of the bases beside the row, and the mean of them all, that one is taken which the row
// follows most closely within the runs, so chance between the runs has no part in the
// choice. All processes count, by Yuen's trimmed mean. It reports false, with what Compare
// returns, if fewer than [FewestAdjusted] processes of a run have the row and a base, if
// they vary too little to tell of a slope, or if the interval that proves a row is narrower
// without: on a quiet machine a base adds noise.
func (j Judge) Beside(a, b Sample, n Nature, bases []Base) (Comparison, Drift, bool) {
	plain, drift, width := j.plain(a, b, n)
	if n != Time {
		return plain, drift, false
	}
	f, ok := closest(byProcess(a), byProcess(b), bases)
	if !ok {
		return plain, drift, false
	}
	own := -f.slope * f.private // what the row moved by less, if the others tell of the machine
	c, strict := j.judge(trimmed(alone(f.a)), trimmed(alone(f.b)), f.shift*f.shift*f.variance, plain.Blocks, interval{-max(0, own), -min(0, own)})
	if strict.width() >= width {
		return plain, drift, false
	}
	if c.Verdict == Slower && strict.lo <= 0 || c.Verdict == Faster && strict.hi >= 0 {
		c.Verdict = Unproven
	}
	c.Finds = j.finds(strict, math.Log(c.Ratio), 0)
	return c, Drift{}, true
}

// byProcess returns the logarithm of each process's median, or nil where a value has none.
func byProcess(s Sample) map[int]float64 {
	values := map[int][]float64{}
	for i, v := range s.Values {
		if !(v > 0) || !finite(v) {
			return nil
		}
		c := 0
		if i < len(s.Cluster) {
			c = s.Cluster[i]
		}
		values[c] = append(values[c], math.Log(v))
	}
	logs := map[int]float64{}
	for c, l := range values {
		logs[c] = Median(l)
	}
	return logs
}

// A covariate is what tells of the machine's speed in each process of two runs.
type covariate struct {
	a, b   map[int]float64
	others []float64 // how far the bases moved that can confirm it
}

// covariatesOf returns each base beside the row, and the mean of them all.
func covariatesOf(bases []Base) []covariate {
	type moved struct {
		a, b   map[int]float64
		shift  float64
		beside bool
	}
	var all []moved
	for _, p := range bases {
		m := moved{a: byProcess(p.A), b: byProcess(p.B), beside: p.Beside}
		if min(len(m.a), len(m.b)) < FewestAdjusted {
			continue
		}
		m.shift = shiftOf(slices.Collect(maps.Values(m.a)), slices.Collect(maps.Values(m.b)))
		all = append(all, m)
	}
	var list []covariate
	var sum covariate
	n := 0.0
	for i, m := range all {
		sum.others = append(sum.others, m.shift)
		if !m.beside {
			continue
		}
		c := covariate{a: m.a, b: m.b}
		for k, o := range all {
			if k != i {
				c.others = append(c.others, o.shift)
			}
		}
		list = append(list, c)
		sum.a, sum.b = added(sum.a, m.a), added(sum.b, m.b)
		n++
	}
	if n > 1 {
		for _, side := range []map[int]float64{sum.a, sum.b} {
			for p := range side {
				side[p] /= n
			}
		}
		list = append(list, sum)
	}
	return list
}

// added sums what both have; nothing is added to a nil map.
func added(sum, more map[int]float64) map[int]float64 {
	if sum == nil {
		return maps.Clone(more)
	}
	both := map[int]float64{}
	for p, v := range sum {
		if w, ok := more[p]; ok {
			both[p] = v + w
		}
	}
	return both
}

// shiftOf is how far the center of b is from that of a.
func shiftOf(a, b []float64) float64 { return trimmed(alone(b)).at - trimmed(alone(a)).at }

// alone makes a group of each value.
func alone(values []float64) [][]float64 {
	groups := make([][]float64, len(values))
	for i, v := range values {
		groups[i] = []float64{v}
	}
	return groups
}

// An adjustment is a row set right by a covariate.
type adjustment struct {
	a, b     []float64 // of each process, y less slope times x
	slope    float64
	variance float64 // of the slope
	scale    float64 // how far processes are off, as a deviation
	shift    float64 // of x between the runs
	private  float64 // how far that is from what other bases moved by
}

// closest adjusts a row by the covariate that it follows most closely.
func closest(a, b map[int]float64, bases []Base) (best adjustment, ok bool) {
	for _, c := range covariatesOf(bases) {
		ya, xa := common(a, c.a)
		yb, xb := common(b, c.b)
		if min(len(xa), len(xb)) < FewestAdjusted {
			continue
		}
		f := adjustment{shift: shiftOf(xa, xb)}
		f.slope, f.variance, f.scale = slopeOf(ya, xa, yb, xb)
		if f.variance > slopeKnown*slopeKnown || ok && f.scale >= best.scale {
			continue
		}
		f.a, f.b = less(ya, f.slope, xa), less(yb, f.slope, xb)
		f.private = f.shift
		if len(c.others) > 0 {
			f.private -= Median(c.others)
		}
		best, ok = f, true
	}
	return best, ok
}

// common returns what both have, process by process.
func common(y, x map[int]float64) (ys, xs []float64) {
	for _, p := range slices.Sorted(maps.Keys(y)) {
		if v, ok := x[p]; ok {
			ys, xs = append(ys, y[p]), append(xs, v)
		}
	}
	return ys, xs
}

// less takes slope times x off y.
func less(y []float64, slope float64, x []float64) []float64 {
	rest := make([]float64, len(y))
	for i := range y {
		rest[i] = y[i] - slope*x[i]
	}
	return rest
}

// trimmed returns the center of processes that may be off either way: the mean without the
// lowest and the highest fifth, and the variance that belongs to it (Yuen, Biometrika 61, 1974).
func trimmed(groups [][]float64) center {
	groups = slices.Clone(groups)
	slices.SortStableFunc(groups, byMiddle)
	values := processMedians(groups)
	n, cut := len(values), len(values)/5
	kept := n - 2*cut
	mean, _ := meanError(values[cut : n-cut])
	for i := range cut {
		values[i], values[n-1-i] = values[cut], values[n-1-cut]
	}
	_, sem2 := meanError(values)
	squares := sem2 * float64(n) * float64(n-1)
	return center{mean, max(layoutSpread*layoutSpread, squares/float64(kept-1)), groups[cut : n-cut]}
}
