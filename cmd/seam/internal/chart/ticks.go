package chart

import (
	"math"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// Rounding says which values are round, and so may have a tick.
type Rounding int

const (
	Decimal Rounding = iota // 1, 2 and 5 times powers of ten
	Whole                   // those of them that are whole numbers
	Binary                  // powers of two, or on a linear axis their multiples
)

// roundingOf is what is round in a unit: bytes are told in KiB and MiB.
func roundingOf(unit string) Rounding {
	if base, _, _ := strings.Cut(unit, "/"); base == "B" {
		return Binary
	}
	return Decimal
}

// ticks returns round values on the axis: some n on a linear one, all on a logarithmic
// one, where a minor grid shows those between them.
func (x axis) ticks(n int, r Rounding) (major, minor []float64) {
	switch {
	case !x.log:
		return linearTicks(x.lo, x.hi, n, r), nil
	case r == Binary:
		first, last := math.Ceil(math.Log2(max(x.lo, 1))), math.Floor(math.Log2(max(x.hi, 1)))
		const most = 8
		each := math.Ceil((last - first + 1) / most)
		for e := first; e <= last; e += each {
			major = append(major, math.Exp2(e))
		}
		return major, nil
	case r == Whole:
		return logTicks(max(x.lo, 1), x.hi)
	}
	return logTicks(x.lo, x.hi)
}

// logTicks returns the powers of ten in [lo, hi], and between them the
// multiples that a minor grid shows. Where there are fewer than two powers, the
// multiples by 2 and 5 are major too, so that an axis always has a scale.
func logTicks(lo, hi float64) (major, minor []float64) {
	if !quantity.Usable(lo) || !quantity.Usable(hi) || lo <= 0 || hi <= lo {
		return nil, nil
	}
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	for n := first; n <= last; n++ {
		if p := pow10(n); p >= lo && p <= hi {
			major = append(major, p)
		}
	}
	few := len(major) < 2
	if last-first > 12 {
		return major, nil // a minor grid would be a grey field
	}
	for n := first; n <= last; n++ {
		for k := 2.0; k < 10; k++ {
			v := k * pow10(n)
			if v < lo || v > hi || !quantity.Usable(v) {
				continue
			}
			if few && (k == 2 || k == 5) {
				major = append(major, v)
			} else {
				minor = append(minor, v)
			}
		}
	}
	slices.Sort(major)
	return major, minor
}

// linearTicks returns about n round values in [lo, hi], zero among them where
// it lies inside.
func linearTicks(lo, hi float64, n int, r Rounding) []float64 {
	if !quantity.Usable(lo) || !quantity.Usable(hi) || hi <= lo || n < 1 {
		return nil
	}
	raw := hi/float64(n) - lo/float64(n)
	base := pow10(math.Floor(math.Log10(raw)))
	step := base
	for _, k := range []float64{1, 2, 5, 10} {
		step = k * base
		if step >= raw {
			break
		}
	}
	switch r {
	case Whole:
		step = max(step, 1)
	case Binary:
		step = math.Exp2(math.Ceil(math.Log2(raw)))
	}
	if step <= 0 || !quantity.Usable(step) {
		return nil
	}
	var ticks []float64
	for i := math.Ceil(lo / step); i*step <= hi; i++ {
		ticks = append(ticks, i*step+0) // a sum is never the negative zero that reads "-0"
	}
	return ticks
}

// thin keeps every n-th tick so that labels of the given width don't touch.
func thin(ticks []float64, x axis, width func(float64) float64) []float64 {
	for n := 1; n <= len(ticks); n++ {
		var kept []float64
		for i := 0; i < len(ticks); i += n {
			kept = append(kept, ticks[i])
		}
		fits := true
		for i := 1; i < len(kept); i++ {
			room := math.Abs(x.at(kept[i]) - x.at(kept[i-1]))
			fits = fits && room >= (width(kept[i])+width(kept[i-1]))/2+8
		}
		if fits {
			return kept
		}
	}
	return nil
}
