// Package quantity writes measured numbers for people: with a unit of readable
// size, three significant digits and no exponents, the same in every table,
// chart and sentence.
package quantity

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Missing stands in for a number that is missing.
const Missing = "–"

// Usable reports whether v is a number that can be shown.
func Usable(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// A scale is a multiple of a unit that has a name.
type scale struct {
	size float64
	name string
}

var (
	timeScales  = []scale{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}
	byteScales  = []scale{{1, "B"}, {1 << 10, "KiB"}, {1 << 20, "MiB"}, {1 << 30, "GiB"}, {1 << 40, "TiB"}}
	countScales = []scale{{1, ""}}
)

// scales returns the scales of a unit. What the figure is divided by ("/op",
// "/unit") and which kind it is ("p99-ns", "cpu-ns") is in the row's label, and
// isn't repeated in each cell.
func scales(unit string) []scale {
	base, _, _ := strings.Cut(Printable(unit), "/")
	base = base[strings.LastIndexByte(base, '-')+1:]
	switch base {
	case "ns":
		return timeScales
	case "B":
		return byteScales
	case "", "count", "ratio", "op":
		return countScales
	}
	if r := []rune(base); len(r) > longestUnit {
		base = string(r[:longestUnit-1]) + "…"
	}
	return []scale{{1, base}}
}

// Printable is s without what would upset a terminal or a page.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// longestUnit is how many characters of a unit are shown: it stands on every
// tick of an axis.
const longestUnit = 14

// scaleFor chooses the scale in which v reads best.
func scaleFor(v float64, unit string) scale {
	all := scales(unit)
	best := all[0]
	for _, s := range all[1:] {
		// Compare as printed: 999.7 ns reads 1.00 µs.
		if max(math.Abs(v), math.Abs(rounded(v/best.size, 3))*best.size) >= s.size {
			best = s
		}
	}
	return best
}

// Format is v with its unit and three significant digits: "3.86 ns".
func Format(v float64, unit string) string {
	if !Usable(v) {
		return Missing
	}
	s := scaleFor(v, unit)
	return withUnit(digits(v/s.size, 3), s.name)
}

// Tick is Format without trailing zeros, for the ticks of an axis: "10 µs".
func Tick(v float64, unit string) string {
	if !Usable(v) {
		return Missing
	}
	s := scaleFor(v, unit)
	n := strconv.FormatFloat(rounded(v/s.size, 3), 'f', -1, 64)
	if s.name == "" {
		n = grouped(rounded(v, 3))
	}
	return withUnit(n, s.name)
}

func withUnit(number, unit string) string {
	switch unit {
	case "":
		return number
	case "×", "%":
		return number + unit
	}
	return number + " " + unit
}

// Interval is lo–hi with as many digits as it takes to tell the ends apart, or ""
// if there is no interval.
func Interval(lo, hi float64, unit string) string {
	if !Usable(lo) || !Usable(hi) || lo > hi || lo == 0 && hi == 0 {
		return ""
	}
	s := scaleFor(hi, unit)
	if low := scaleFor(lo, unit); lo > 0 && low.name != s.name && lo < hi/100 {
		return Format(lo, unit) + " to " + Format(hi, unit) // 2.70 ns to 11.4 µs, not 0.00270–11.4 µs
	}
	n, most := 3, 5
	if s.name == "×" {
		n = 4 // ratios are read for how far they are from 1
	}
	if lo == hi {
		most = n
	}
	a, b := "", ""
	for ; n <= most && a == b; n++ {
		a, b = digits(lo/s.size, n), digits(hi/s.size, n)
	}
	return withUnit(a+"–"+b, s.name)
}

// Whole is Format without decimals that a count doesn't have: "9 threads".
func Whole(v float64, unit string) string {
	if v == math.Trunc(v) && scaleFor(v, unit).size == 1 {
		return Tick(v, unit)
	}
	return Format(v, unit)
}

// PlusMinus is the wider half of an interval as a share of the median.
func PlusMinus(median, lo, hi float64) string {
	if !Usable(median) || !Usable(lo) || !Usable(hi) || lo > hi || median <= 0 || lo == 0 && hi == 0 {
		return ""
	}
	p := 100 * max(hi-median, median-lo, 0) / median
	switch {
	case p < 0.05:
		return "±0.0%"
	case p < 9.95:
		return "±" + strconv.FormatFloat(p, 'f', 1, 64) + "%"
	case p < 999.5:
		return "±" + strconv.FormatFloat(p, 'f', 0, 64) + "%"
	}
	return "±>999%"
}

// Ratio is a comparison's ratio: "13.7×".
func Ratio(v float64) string {
	if !Usable(v) {
		return Missing
	}
	if math.Abs(v) < 1 {
		return digits(v, 4) + "×" // 0.145 says as much as 6.90
	}
	return digits(v, 3) + "×"
}

// NearOne is a ratio of nearly equal things, with one more digit: "1.004×".
func NearOne(v float64) string {
	if !Usable(v) {
		return Missing
	}
	return digits(v, 4) + "×"
}

// rounded is v to n significant digits.
func rounded(v float64, n int) float64 {
	if v == 0 || !Usable(v) {
		return v
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', n-1, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// Number is v with three significant digits and no unit.
func Number(v float64) string {
	if !Usable(v) {
		return Missing
	}
	return digits(v, 3)
}

// Time is a time in nanoseconds.
func Time(ns float64) string { return Format(ns, "ns") }

// Bytes is a size in bytes.
func Bytes(n float64) string { return Format(n, "B") }

// digits writes v with n significant digits and no exponent in the range where
// people read plain numbers.
func digits(v float64, n int) string {
	if v == 0 {
		return "0"
	}
	r := rounded(v, n)
	abs := math.Abs(r)
	if abs >= 1e15 || abs < 1e-6 {
		return strconv.FormatFloat(r, 'g', n, 64)
	}
	before := int(math.Floor(math.Log10(abs))) + 1 // digits before the point
	if math.Pow(10, float64(before)) <= abs {      // Log10 may fall short at powers of ten
		before++
	}
	if before >= n {
		return grouped(math.Round(v)) // whole numbers lose nothing
	}
	if before < 1 {
		// 0.29, 0.034: a leading zero is a digit to the eye.
		return strconv.FormatFloat(v, 'f', n-1-before, 64)
	}
	return strconv.FormatFloat(r, 'f', n-before, 64)
}

// grouped writes a number with commas at the thousands.
func grouped(v float64) string {
	if math.Abs(v) >= 1e15 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	s := strconv.FormatFloat(v, 'f', -1, 64)
	whole, frac, point := strings.Cut(s, ".")
	if whole = commas(whole); point {
		whole += "." + frac
	}
	return whole
}

// Compact is a number for the ticks of an axis without a unit: "10k", "5M".
func Compact(v float64) string {
	if !Usable(v) {
		return Missing
	}
	for _, s := range []scale{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) >= s.size {
			if math.Abs(v) >= 1e15 {
				return strconv.FormatFloat(v, 'g', 3, 64)
			}
			return strconv.FormatFloat(rounded(v/s.size, 3), 'f', -1, 64) + s.name
		}
	}
	if v != 0 && math.Abs(v) < 1e-4 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(rounded(v, 3), 'f', -1, 64)
}
