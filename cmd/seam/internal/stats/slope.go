package stats

import (
	"math"
	"slices"
)

// bisquare is where Tukey's weights end, in deviations: it loses 5 % on normal values.
const bisquare = 4.685

// slopeOf returns the slope of y on x within two runs, with its variance, and how far the
// values are from the line, as a deviation.
func slopeOf(ya, xa, yb, xb []float64) (slope, variance, scale float64) {
	w := within{na: len(ya), x: slices.Concat(xa, xb), y: slices.Concat(ya, yb)}
	const (
		most  = 50
		close = 1e-6
	)
	slope = 1
	for i := range most {
		next := 0.0
		next, variance, scale = w.step(slope)
		if i > most/5 {
			next = (next + slope) / 2 // weights that take turns
		}
		if math.Abs(next-slope) < close {
			break
		}
		slope = next
	}
	return slope, variance + slopeError*slopeError, scale
}

// within holds the processes of two runs, na of which are of the first.
type within struct {
	na   int
	x, y []float64
}

// step fits a slope with the weights that follow from another.
func (w within) step(slope float64) (next, variance, scale float64) {
	rest := less(w.y, slope, w.x)
	for _, run := range [][]float64{rest[:w.na], rest[w.na:]} {
		at := Median(run)
		for i := range run {
			run[i] -= at
		}
	}
	n := float64(len(rest))
	const spent = 3 // two runs and a slope
	sizes := make([]float64, len(rest))
	for i, r := range rest {
		sizes[i] = math.Abs(r)
	}
	scale = max(layoutSpread, 1.4826*Median(sizes)*math.Sqrt(n/(n-spent)))
	weights, total := make([]float64, len(rest)), 0.0
	for i, r := range rest {
		if u := r / (bisquare * scale); math.Abs(u) < 1 {
			weights[i] = (1 - u*u) * (1 - u*u)
			total += weights[i]
		}
	}
	x, y := w.centered(w.x, weights), w.centered(w.y, weights)
	var xx, xy, yy, squares float64
	for i, k := range weights {
		r := y[i] - slope*x[i]
		xx, xy, yy, squares = xx+k*x[i]*x[i], xy+k*x[i]*y[i], yy+k*y[i]*y[i], squares+k*r*r
	}
	const prior = 1 / (slopePrior * slopePrior)
	if xx < 1e-12 || yy < 1e-12 {
		return 1, 1 / prior, scale // what doesn't vary tells of no slope
	}
	scale = max(scale, math.Sqrt(squares/max(1, total-spent)))
	// The slope is somewhere between y on x and the inverse of x on y.
	explained := max(1e-3, min(1, xy*xy/(xx*yy)))
	half := (1/explained - 1) / 2 * xy / xx
	seen := scale*scale/xx + half*half/3
	return ((xy/xx+half)/seen + prior) / (1/seen + prior), 1 / (1/seen + prior), scale
}

// centered takes each run's weighted mean off its values.
func (w within) centered(values, weights []float64) []float64 {
	out := make([]float64, len(values))
	for _, run := range [][2]int{{0, w.na}, {w.na, len(values)}} {
		sum, total := 0.0, 0.0
		for i := run[0]; i < run[1]; i++ {
			sum += weights[i] * values[i]
			total += weights[i]
		}
		for i := run[0]; i < run[1]; i++ {
			out[i] = values[i] - sum/max(total, 1e-12)
		}
	}
	return out
}
