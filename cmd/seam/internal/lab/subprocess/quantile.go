package subprocess

import "slices"

// Quantile returns the value that the share q (0 to 1) of the values does not
// exceed: the smallest such, never one between two. It sorts values and returns
// 0 where there are none.
func Quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	i := int(q * float64(len(values)))
	if float64(i) == q*float64(len(values)) && i > 0 {
		i-- // exactly so many are below
	}
	return values[min(max(i, 0), len(values)-1)]
}
