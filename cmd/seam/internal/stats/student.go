package stats

import "math"

// within returns the probability that Student's t with a whole number of degrees
// of freedom lies within ±t (Abramowitz and Stegun 26.7.3 and 26.7.4).
func within(t float64, freedom int) float64 {
	angle := math.Atan(t / math.Sqrt(float64(freedom)))
	cos2 := math.Cos(angle) * math.Cos(angle)
	sum := 0.0
	if freedom%2 == 0 {
		term := 1.0
		for i := 2; i <= freedom; i += 2 {
			sum += term
			term *= cos2 * float64(i-1) / float64(i)
		}
		return math.Sin(angle) * sum
	}
	term := math.Cos(angle)
	for i := 3; i <= freedom; i += 2 {
		sum += term
		term *= cos2 * float64(i-1) / float64(i)
	}
	return 2 / math.Pi * (angle + math.Sin(angle)*sum)
}

// tQuantile returns the t for which Student's distribution lies within ±t with
// probability level. Broken degrees of freedom, as Welch's method has them, are
// rounded down and those above 1000 cut: both widen an interval.
func tQuantile(level, freedom float64) float64 {
	n := 1
	if freedom > 1 {
		n = int(min(freedom, 1000))
	}
	lo, hi := 0.0, 1000.0
	for range 60 {
		mid := (lo + hi) / 2
		if within(mid, n) < level {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
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
