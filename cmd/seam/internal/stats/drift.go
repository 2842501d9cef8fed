package stats

import "math"

// A Drift is what the machine added to everything that the second of two runs
// measured: other tenants, another clock rate, another memory layout of the
// kernel. All fields are logarithms, and zero where nothing is known.
type Drift struct {
	Shift float64 // of the second run's times over the first's
	Reach float64 // how far a benchmark's own drift may be from Shift, at [Confidence]
	// Spread is how far apart the processes of the benchmarks are that tell of it,
	// as a deviation. What spreads more is reached further.
	Spread float64
}

// Inverse is the drift of what is counted per second.
func (d Drift) Inverse() Drift { return Drift{-d.Shift, d.Reach, d.Spread} }

// Band returns the ratios that drift alone explains. 1 is always among them:
// that the machine moved the bases is no proof that it moved the rest.
func (d Drift) Band() (lo, hi float64) {
	in := d.band()
	return exp(in.lo), exp(in.hi)
}

func (d Drift) band() interval {
	return interval{min(0, d.Shift) - d.Reach, max(0, d.Shift) + d.Reach}
}

// forSpread is the drift of a benchmark whose processes are that far apart: load that
// moves one process more than the next moves one run more than the next.
func (d Drift) forSpread(spread float64) Drift {
	if d.Spread > 0 && spread > d.Spread {
		d.Reach *= spread / d.Spread
	}
	return d
}

// widen adds the reach to an interval, as independent errors add up.
func (d Drift) widen(in interval, center float64) interval {
	return interval{center - math.Hypot(center-in.lo, d.Reach), center + math.Hypot(in.hi-center, d.Reach)}
}

// A Pair is one benchmark in two runs.
type Pair struct{ A, B Sample }

// DriftOf estimates the drift from benchmarks that hold none of the code under
// test. Shift is the median of their log ratios: one that changed for its own
// reasons doesn't move it. Reach is how much such a benchmark differs from the
// others or, if that is more, how much its own processes leave open; it doesn't
// shrink with the number of pairs, since it must hold for one more benchmark
// and not for their mean. It reports false where no pair has a ratio and [Fewest]
// processes on both sides.
func DriftOf(bases []Pair) (Drift, bool) {
	all := shiftsOf(bases)
	if len(all) == 0 {
		return Drift{}, false
	}
	center, spread := medianSpread(field(all, func(s shift) float64 { return s.value }))
	wide := max(spread, Median(field(all, func(s shift) float64 { return s.error })))
	freedom := 0.0
	for _, s := range all {
		freedom += s.freedom
	}
	return Drift{center, tQuantile(Confidence, freedom) * wide, spreadOf(all)}, true
}

// A shift is the log ratio of a benchmark in two runs.
type shift struct {
	value, error float64 // with its standard error
	freedom      float64 // the degrees behind that
	spread       float64 // of the processes
}

// shiftsOf leaves out what has no ratio or too few processes to tell of one.
func shiftsOf(pairs []Pair) (list []shift) {
	for _, p := range pairs {
		ga, okA := logGroups(p.A)
		gb, okB := logGroups(p.B)
		if !okA || !okB || min(len(ga), len(gb)) < Fewest {
			continue
		}
		a, b := Time.center(ga), Time.center(gb)
		na, nb := float64(len(a.groups)), float64(len(b.groups))
		list = append(list, shift{
			value:   b.at - a.at,
			error:   math.Sqrt(a.variance/na + b.variance/nb),
			freedom: min(na, nb) - 1,
			spread:  math.Sqrt(max(a.variance, b.variance)),
		})
	}
	return list
}

func field(all []shift, of func(shift) float64) []float64 {
	list := make([]float64, len(all))
	for i, s := range all {
		list[i] = of(s)
	}
	return list
}

func spreadOf(all []shift) float64 {
	return Median(field(all, func(s shift) float64 { return s.spread }))
}

// DriftOfAll estimates the drift as the median of all log ratios, for runs in
// which no benchmark is known to be free of the code under test. It reports
// false below five of them. Reach is the uncertainty of that median.
func DriftOfAll(all []Pair) (Drift, bool) {
	const fewest = 5
	shifts := shiftsOf(all)
	n := float64(len(shifts))
	if n < fewest {
		return Drift{}, false
	}
	center, spread := medianSpread(field(shifts, func(s shift) float64 { return s.value }))
	// The median of normal values has sqrt(π/2) times the error of their mean.
	return Drift{center, tQuantile(Confidence, n-1) * math.Sqrt(math.Pi/2/n) * spread, spreadOf(shifts)}, true
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
