package report

import (
	"math"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// An axis maps values to places on a line of the picture.
type axis struct {
	lo, hi float64 // values at the ends, lo < hi
	a, b   float64 // places of the ends
	log    bool
}

// at is the place of v. Values outside the axis lie on its nearer end.
func (x axis) at(v float64) float64 {
	lo, hi := x.lo, x.hi
	v = min(max(v, lo), hi)
	if x.log {
		lo, hi, v = math.Log(lo), math.Log(hi), math.Log(v)
	}
	// Divided before it is subtracted: hi-lo may be beyond the largest float.
	span := hi/2 - lo/2
	return x.a + (x.b-x.a)*((v/2-lo/2)/span)
}

// logSpan is how many times the largest value of a bar chart may be the
// smallest before a linear axis hides the small ones.
const logSpan = 50

// barAxis chooses the axis for bars of these values and places its ends at a
// and b. A linear one includes zero; a logarithmic one begins at a power of ten
// clearly below the smallest value, so that every bar can be seen.
func barAxis(values []float64, a, b float64) axis {
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
		return axis{0, 1, a, b, false} // nothing to show
	case hi < lo:
		return axis{least, 0, a, b, false}
	case least == 0 && hi/lo > logSpan:
		return axis{pow10(math.Floor(math.Log10(max(lo, tiny) / 1.5))), widen(hi, 1.1), a, b, true}
	}
	return axis{least, hi, a, b, false}
}

// logAxis is a logarithmic axis that shows all positive values with a little
// air at both ends.
func logAxis(values []float64, a, b float64) (axis, bool) {
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
	return axis{lo / air, widen(hi, air), a, b, true}, true
}

// tiny is where logarithmic axes end at the latest: logarithms of denormal
// numbers are not to be trusted. Smaller values lie on the end.
const tiny = 1e-300

// widen is v·by, short of infinity.
func widen(v, by float64) float64 { return min(v*by, math.MaxFloat64) }

func pow10(n float64) float64 { return math.Pow(10, n) }

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
func linearTicks(lo, hi float64, n int) []float64 {
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
	if step <= 0 || !quantity.Usable(step) {
		return nil
	}
	var ticks []float64
	for i := math.Ceil(lo / step); i*step <= hi; i++ {
		ticks = append(ticks, i*step+0) // a sum is never the negative zero that reads "-0"
	}
	return ticks
}

// spread moves places apart so that neighbours are at least gap away from each
// other, inside [lo, hi] as far as they fit, each as near to where it was as its
// neighbours let it. The order of the result is that of places.
func spread(places []float64, gap, lo, hi float64) []float64 {
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case places[i] < places[j]:
			return -1
		case places[i] > places[j]:
			return 1
		}
		return 0
	})
	// Neighbours that touch form a cluster around the middle of what they want.
	type cluster struct{ sum, n float64 }
	start := func(c cluster) float64 { return c.sum/c.n - gap*(c.n-1)/2 }
	var stack []cluster
	for _, i := range order {
		c := cluster{places[i], 1}
		for len(stack) > 0 {
			prev := stack[len(stack)-1]
			if start(prev)+gap*prev.n <= start(c) {
				break
			}
			c = cluster{prev.sum + c.sum, prev.n + c.n}
			stack = stack[:len(stack)-1]
		}
		stack = append(stack, c)
	}
	moved := make([]float64, len(places))
	k := 0
	for _, c := range stack {
		for n := range int(c.n) {
			moved[order[k]] = start(c) + gap*float64(n)
			k++
		}
	}
	// Push back what the ends cut off, the far end first.
	limit := hi
	for k := len(order) - 1; k >= 0; k-- {
		moved[order[k]] = min(moved[order[k]], limit)
		limit = moved[order[k]] - gap
	}
	limit = lo
	for _, i := range order {
		moved[i] = max(moved[i], limit)
		limit = moved[i] + gap
	}
	return moved
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
