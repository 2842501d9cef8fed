package stats

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

// tQuantile returns the t for which Student's distribution lies within ±t with
// probability level. Broken degrees of freedom, as Welch's method has them, are
// rounded down and those above 1000 cut: both widen an interval.
func tQuantile(level, freedom float64) float64 {
	n := 1.0
	if freedom > 1 {
		n = math.Floor(min(freedom, 1000))
	}
	return stats.InvCDF(stats.TDist{V: n})((1 + level) / 2)
}

// tInterval returns the t interval of the mean of at least two values.
func tInterval(values []float64, level float64) interval {
	mean, sem2 := meanError(values)
	half := tQuantile(level, float64(len(values)-1)) * math.Sqrt(sem2)
	return interval{mean - half, mean + half}
}

// welch returns the interval of the difference of the means b-a, without taking
// their spreads for equal (Welch, Biometrika 34, 1947). Both have at least two
// values.
func welch(a, b []float64, level float64) interval {
	ma, va := meanError(a)
	mb, vb := meanError(b)
	freedom := math.Inf(1)
	if va+vb > 0 {
		// Shares of the sum instead of its square: variances may be tiny.
		sa, sb := va/(va+vb), vb/(va+vb)
		freedom = 1 / (sa*sa/float64(len(a)-1) + sb*sb/float64(len(b)-1))
	}
	half := tQuantile(level, freedom) * math.Sqrt(va+vb)
	return interval{mb - ma - half, mb - ma + half}
}

// meanError returns the mean and the square of its standard error.
func meanError(values []float64) (mean, sem2 float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		sem2 += (v - mean) * (v - mean)
	}
	return mean, sem2 / (n - 1) / n
}
