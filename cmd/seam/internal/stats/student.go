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
	return tAround(mean, sem2, len(values), level)
}

// tAround is the t interval of a mean of n values, with the square of its standard error.
func tAround(mean, sem2 float64, n int, level float64) interval {
	half := tQuantile(level, float64(n-1)) * math.Sqrt(sem2)
	return interval{mean - half, mean + half}
}

// welch returns the interval of a difference of two means, without taking their
// spreads for equal (Welch, Biometrika 34, 1947). va and vb are the variances of na
// and nb values; between is what moves a mean as a whole, however many values it is of.
func welch(center, va float64, na int, vb float64, nb int, between, level float64) interval {
	a, b := va/float64(na), vb/float64(nb)
	freedom := math.Inf(1)
	if a+b > 0 {
		// Shares of the sum instead of its square: variances may be tiny.
		sa, sb := a/(a+b), b/(a+b)
		freedom = 1 / (sa*sa/float64(na-1) + sb*sb/float64(nb-1))
	}
	half := tQuantile(level, freedom) * math.Sqrt(a+b+between)
	return interval{center - half, center + half}
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
