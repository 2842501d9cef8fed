package grid

import (
	"errors"
	"math"
)

// A search looks for the count from which on C is faster than Go.
//
// It assumes that C's time over Go's falls as the count grows. That holds where
// C costs more a call and less a step, since then (a+c·n)/(b+g·n) has a > b and
// c < g. It does not assume that a single ratio is right: each of them is a
// measurement on a machine that does other things as well.
type search struct {
	low, high int64   // the counts to look between
	tight     float64 // the bracket's ends may differ by this share
	margin    float64 // C that is faster by less than this at high doesn't count as faster
}

var (
	errNone     = errors.New("even at the highest count C is no faster")
	errAlways   = errors.New("even at the lowest count C is no slower")
	errUnsteady = errors.New("timings contradict each other")
)

// A ratioFunc returns C's time over Go's for a count.
type ratioFunc func(count int64) (float64, error)

// widenings is how often a bracket that turned out wrong is widened. The
// factor squares each time, 2 to 65536, so the last attempts see most of any
// range.
const widenings = 5

// A bracket is what a search found: C loses at lo and wins at hi.
type bracket struct {
	lo, hi int64
	at     float64 // the crossing, interpolated between them
}

// find bisects for the crossing. A ratio that is far off, once, would send a
// plain bisection to the wrong half for good; so both ends of the final bracket
// are timed again, and if they don't hold, the bracket is widened and the
// bisection repeated.
func (s search) find(ratio ratioFunc) (bracket, error) {
	// Where both sides are equally fast, chance alone decides which looks
	// faster. A figure needs more than that.
	wins, _, err := ratio.agreed(s.high, 1-s.margin, 4)
	if err != nil {
		return bracket{}, err
	}
	if !wins {
		return bracket{}, errNone
	}
	wins, _, err = ratio.agreed(s.low, 1, 2)
	if err != nil {
		return bracket{}, err
	}
	if wins {
		return bracket{}, errAlways
	}

	lo, hi := s.low, s.high
	factor := 2.0
	for range widenings {
		lo, hi, err = s.bisect(ratio, lo, hi)
		if err != nil {
			return bracket{}, err
		}
		// Near the crossing the ratio is 1 within the noise. An end is wrong
		// only when it is on the wrong side by more than the bracket is wide.
		loWins, atLo, err := ratio.agreed(lo, 1/(1+s.tight), 2)
		if err != nil {
			return bracket{}, err
		}
		hiWins, atHi, err := ratio.agreed(hi, 1+s.tight, 2)
		if err != nil {
			return bracket{}, err
		}
		if !loWins && hiWins {
			return bracket{lo, hi, interpolate(lo, hi, atLo, atHi)}, nil
		}
		lo = max(s.low, int64(float64(lo)/factor))
		hi = int64(min(float64(s.high), float64(hi)*factor))
		factor *= factor
	}
	return bracket{}, errUnsteady
}

// bisect halves the bracket, by factors rather than by differences, until it is
// tight.
func (s search) bisect(ratio ratioFunc, lo, hi int64) (int64, int64, error) {
	for hi-lo > 1 && float64(hi) > float64(lo)*(1+s.tight) {
		mid := int64(math.Round(math.Sqrt(float64(lo) * float64(hi))))
		mid = min(max(mid, lo+1), hi-1)
		r, err := ratio(mid)
		if err != nil {
			return 0, 0, err
		}
		if r < 1 {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo, hi, nil
}

// agreed measures until votes ratios are on the same side of limit. It
// returns whether they are below it, and their geometric mean.
func (ratio ratioFunc) agreed(count int64, limit float64, votes int) (below bool, mean float64, err error) {
	var n [2]int
	var logs [2]float64
	for {
		r, err := ratio(count)
		if err != nil {
			return false, 0, err
		}
		side := 0
		if r < limit {
			side = 1
		}
		n[side]++
		logs[side] += math.Log(r)
		if n[side] == votes {
			return side == 1, math.Exp(logs[side] / float64(votes)), nil
		}
	}
}

// interpolate returns where the ratio is 1, on a straight line between both
// ends in logarithms. It matters at small counts, where 5 and 6 are far apart.
func interpolate(lo, hi int64, atLo, atHi float64) float64 {
	share := 0.5
	if atLo > 1 && atHi < 1 && atHi > 0 {
		share = math.Log(atLo) / math.Log(atLo/atHi)
	}
	return float64(lo) * math.Pow(float64(hi)/float64(lo), share)
}
