package results

import (
	"math"
	"strconv"
	"strings"
)

// Words says a figure as the documents do: to three digits, with its unit. A ratio is said
// with its interval.
func (f Row) Words() string {
	switch f.Unit {
	case "×":
		if f.Low == f.High {
			return digits(f.Value) + "×"
		}
		return digits(f.Value) + "× (" + f.Interval() + ")"
	case "ns":
		return scaled(f.Value, 1000, "ns", "µs", "ms", "s")
	case "B":
		return scaled(f.Value, 1024, "B", "KiB", "MiB", "GiB")
	case "":
		return thousands(math.Round(f.Value))
	}
	return digits(f.Value) + " " + f.Unit
}

// Interval is the interval without a unit: of times in the unit that Words uses for the
// value, so that they can stand side by side.
func (f Row) Interval() string {
	scale := 1.0
	if f.Unit == "ns" || f.Unit == "B" {
		scale, _ = step(f.Value, map[string]float64{"ns": 1000, "B": 1024}[f.Unit], 4)
	}
	return digits(f.Low/scale) + "–" + digits(f.High/scale)
}

// step is what a value is divided by to be below the step, and how many steps that is.
func step(v, by float64, units int) (scale float64, n int) {
	scale = 1
	for ; n < units-1 && math.Abs(v)/scale >= by*0.9995; n++ {
		scale *= by
	}
	return scale, n
}

func scaled(v, by float64, units ...string) string {
	scale, n := step(v, by, len(units))
	return digits(v/scale) + " " + units[n]
}

// digits says three of them, and thousands with commas.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case a == 0:
		return "0"
	case a >= 99.95:
		return thousands(math.Round(v))
	case a >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 0.01:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

func thousands(v float64) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
	var parts []string
	for len(s) > 3 {
		parts = append([]string{s[len(s)-3:]}, parts...)
		s = s[:len(s)-3]
	}
	s = strings.Join(append([]string{s}, parts...), ",")
	if v < 0 {
		return "-" + s
	}
	return s
}
