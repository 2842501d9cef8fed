package chart

import (
	"math"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// logSpan is how many times the largest bar may be the smallest before a linear axis
// hides the small ones.
//
// Lengths are read as ratios, so it is a last resort: a bar of a five hundredth is a hair,
// and its value stands beside it.
const logSpan = 500

// barAxis chooses the axis for bars of these values and places its ends. A linear one
// includes zero; a logarithmic one begins at a power of ten clearly below the smallest
// value, so that every bar can be seen.
func barAxis(values []float64, from, to float64) axis {
	lo, hi := math.Inf(1), math.Inf(-1) // of positive values
	least := 0.0
	for _, v := range values {
		if !quantity.Usable(v) {
			continue
		}
		least = min(least, v)
		if v > 0 {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	switch {
	case hi < lo && least == 0:
		return axis{0, 1, from, to, false} // nothing to show
	case hi < lo:
		return axis{least, 0, from, to, false}
	case least == 0 && hi/lo > logSpan:
		return axis{pow10(math.Floor(math.Log10(max(lo, tiny) / 1.5))), widen(hi, 1.1), from, to, true}
	}
	return axis{least, hi, from, to, false}
}

// logAxis is a logarithmic axis that shows all positive values with a little
// air at both ends.
func logAxis(values []float64, from, to float64) (axis, bool) {
	lo, hi := math.Inf(1), 0.0
	for _, v := range values {
		if quantity.Usable(v) && v > 0 {
			lo, hi = min(lo, max(v, tiny)), max(hi, v, tiny)
		}
	}
	if hi == 0 {
		return axis{}, false
	}
	if hi/lo < 2 { // one value, or close ones: don't blow noise up to the full height
		mid := math.Sqrt(lo) * math.Sqrt(hi)
		lo, hi = min(lo, mid/1.5), max(hi, widen(mid, 1.5))
	}
	air := math.Exp(0.04 * (math.Log(hi) - math.Log(lo)))
	return axis{lo / air, widen(hi, air), from, to, true}, true
}

// tiny is where logarithmic axes end at the latest: logarithms of denormal
// numbers are not to be trusted. Smaller values lie on the end.
const tiny = 1e-300

// widen is v·by, short of infinity.
func widen(v, by float64) float64 { return min(v*by, math.MaxFloat64) }

func pow10(n float64) float64 { return math.Pow(10, n) }
