package table

import (
	"fmt"
	"math"
)

// The tool's package quantity writes numbers too, but is internal to its module.

// Duration is a time in nanoseconds with three digits: "1.93 µs".
func Duration(ns float64) string { return scaled(ns, 1000, "ns", "µs", "ms", "s") }

// Size is a number of bytes with three digits: "15.2 KB".
func Size(bytes float64) string {
	if bytes < 0 {
		return "-" + Size(-bytes)
	}
	return scaled(bytes, 1024, "B", "KB", "MB", "GB")
}

// scaled writes v in the first unit that leaves it below 999.5.
func scaled(v, step float64, units ...string) string {
	for len(units) > 1 && v >= 999.5 {
		v /= step
		units = units[1:]
	}
	return fmt.Sprintf("%.*f %s", max(0, 2-int(math.Floor(math.Log10(max(v, 1))))), v, units[0])
}
