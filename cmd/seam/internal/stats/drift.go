package stats

import (
	"math"
	"slices"
)

// A Drift is what the machine added to everything that the second of two runs
// measured: other tenants, another clock rate, another memory layout of the
// kernel. Both fields are logarithms, and zero where nothing is known.
type Drift struct {
	Shift float64 // of the second run's times over the first's
	Reach float64 // how far a benchmark's own drift may be from Shift, at [Confidence]
}

// Inverse is the drift of what is counted per second.
func (d Drift) Inverse() Drift { return Drift{-d.Shift, d.Reach} }

// Band returns the ratios that drift alone explains. 1 is always among them:
// that the machine moved the bases is no proof that it moved the rest.
func (d Drift) Band() (lo, hi float64) {
	in := d.band()
	return exp(in.lo), exp(in.hi)
}

func (d Drift) band() interval {
	return interval{min(0, d.Shift) - d.Reach, max(0, d.Shift) + d.Reach}
}

// A Pair is one benchmark in two runs.
type Pair struct{ A, B Sample }

// DriftOf estimates the drift from benchmarks that hold none of the code under
// test. Shift is the median of their log ratios: one that changed for its own
// reasons doesn't move it. Reach is how much such a benchmark differs from the
// others or, if that is more, how much its own processes leave open; it doesn't
// shrink with the number of pairs, since it must hold for one more benchmark
// and not for their mean. It reports false where no pair has a ratio.
func DriftOf(bases []Pair) (Drift, bool) {
	var shifts, errors []float64
	freedom := 0.0
	for _, p := range bases {
		a, okA := logGroups(p.A)
		b, okB := logGroups(p.B)
		if !okA || !okB {
			continue
		}
		shift, sem2, free := shiftError(a, b)
		shifts = append(shifts, shift)
		errors = append(errors, math.Sqrt(sem2))
		freedom += free
	}
	if len(shifts) == 0 {
		return Drift{}, false
	}
	center, spread := medianSpread(shifts)
	slices.Sort(errors)
	return Drift{center, tQuantile(Confidence, freedom) * max(spread, middle(errors))}, true
}

// shiftError returns the log ratio of two runs, the square of its standard error
// and the degrees of freedom behind that. A single process is as uncertain as
// its layout, of which [Layout] is twice the deviation.
func shiftError(a, b [][]float64) (shift, sem2, freedom float64) {
	ma, mb := processMedians(a), processMedians(b)
	if len(ma) < 2 || len(mb) < 2 {
		slices.Sort(ma)
		slices.Sort(mb)
		half := math.Log1p(Layout) / 2
		return middle(mb) - middle(ma), half * half, 8
	}
	meanA, va := meanError(ma)
	meanB, vb := meanError(mb)
	return meanB - meanA, va + vb, float64(min(len(ma), len(mb)) - 1)
}

// DriftOfAll estimates the drift as the median of all log ratios, for runs in
// which no benchmark is known to be free of the code under test. It reports
// false below five of them. Reach is the uncertainty of that median.
func DriftOfAll(all []Pair) (Drift, bool) {
	const fewest = 5
	var shifts []float64
	for _, p := range all {
		a, okA := logGroups(p.A)
		b, okB := logGroups(p.B)
		if okA && okB {
			shift, _, _ := shiftError(a, b)
			shifts = append(shifts, shift)
		}
	}
	n := float64(len(shifts))
	if n < fewest {
		return Drift{}, false
	}
	center, spread := medianSpread(shifts)
	// The median of normal values has sqrt(π/2) times the error of their mean.
	return Drift{center, tQuantile(Confidence, n-1) * math.Sqrt(math.Pi/2/n) * spread}, true
}

// medianSpread returns the median of at least one value and the median distance
// from it, scaled to be the deviation of normal values.
func medianSpread(values []float64) (median, spread float64) {
	median = Median(values)
	deviations := make([]float64, len(values))
	for i, v := range values {
		deviations[i] = math.Abs(v - median)
	}
	return median, 1.4826 * Median(deviations)
}
