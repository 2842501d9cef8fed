package buffers

import (
	"fmt"
	"math"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// A point is the pool's time over the stack's, for buffers of one size.
type point struct {
	size          int
	ratio, lo, hi float64
	verdict       stats.Verdict // of the pool
}

func (f analysis) points(s situation) []point {
	var list []point
	for _, size := range sizes {
		if c := f.Compared(s.name(fromPool, size)); c != nil && c.Ratio > 0 && c.Lo > 0 {
			list = append(list, point{size, c.Ratio, c.Lo, c.Hi, stats.Verdict(c.Verdict)})
		}
	}
	return list
}

// A crossing is the size at which one way overtakes the other. Its interval holds
// the sizes at which the ratio's interval holds 1: there neither is shown to be
// faster.
type crossing struct {
	at, lo, hi float64 // bytes
	poolAbove  bool    // the pool is faster above; else the stack
}

// An outcome says how pool and stack compare over all sizes.
type outcome int

const (
	unmeasured outcome = iota
	unproven           // nowhere is a difference shown
	stackOnly          // the stack is shown to be faster somewhere, the pool nowhere
	poolOnly
	crosses // one below, the other above
	tangled // they change places more than once
)

// cross finds where pool and stack change places. It relies on the sizes at
// which a difference is proven; between them the ratio is taken to be a straight
// line on logarithmic scales.
func cross(points []point) (crossing, outcome) {
	if len(points) == 0 {
		return crossing{}, unmeasured
	}
	var turns []int // the proven points, as long as they change
	signs := map[stats.Verdict]int{stats.Slower: 1, stats.Faster: -1}
	for i, p := range points {
		sign := signs[p.verdict]
		if sign == 0 {
			continue
		}
		if n := len(turns); n > 0 && signs[points[turns[n-1]].verdict] == sign {
			if len(turns) == 1 {
				turns[0] = i // the last one before the change
			}
			continue
		}
		turns = append(turns, i)
	}
	switch {
	case len(turns) == 0:
		return crossing{}, unproven
	case len(turns) > 2:
		return crossing{}, tangled
	case len(turns) == 1 && points[turns[0]].verdict == stats.Slower:
		return crossing{}, stackOnly
	case len(turns) == 1:
		return crossing{}, poolOnly
	}
	between := points[turns[0] : turns[1]+1]
	c := crossing{poolAbove: points[turns[0]].verdict == stats.Slower}
	lo, hi := func(p point) float64 { return p.lo }, func(p point) float64 { return p.hi }
	if !c.poolAbove {
		lo, hi = hi, lo
	}
	at := zeros(between, func(p point) float64 { return p.ratio })
	c.at = at[len(at)/2] // an odd number: the ends differ
	c.lo = min(zeros(between, lo)[0], c.at)
	last := zeros(between, hi)
	c.hi = max(last[len(last)-1], c.at)
	return c, crosses
}

// zeros are the sizes at which a curve that begins on one side of 1 and ends on
// the other meets it.
func zeros(points []point, of func(point) float64) []float64 {
	var list []float64
	for i, p := range points[:len(points)-1] {
		q := points[i+1]
		a, b := math.Log(of(p)), math.Log(of(q))
		if a > 0 == (b > 0) {
			continue
		}
		x, y := math.Log(float64(p.size)), math.Log(float64(q.size))
		list = append(list, math.Exp(x+(y-x)*a/(a-b)))
	}
	return list
}

// crossingName is the series that holds the crossing of a situation.
func (s situation) crossingName() string {
	text := "Buffers/what=crossing/state=" + s.state
	if !s.io {
		text += "/io=none"
	}
	if s.all {
		text += "/procs=all"
	}
	return text
}

// addCrossings adds the sizes at which the pool overtakes the stack as rows of
// their own.
func (f analysis) addCrossings() {
	for _, s := range situations {
		if c, w := cross(f.points(s)); w == crosses && c.poolAbove {
			f.Series = append(f.Series, result.Series{
				Name: s.crossingName(), Unit: "B", Label: "pool overtakes stack, " + s.String(),
				Median: c.at, Lo: c.lo, Hi: c.hi,
			})
		}
	}
}

// span is the range of sizes that was measured.
func span(points []point) string {
	first, last := points[0].size, points[len(points)-1].size
	if first == last {
		return "at " + kb(first)
	}
	return fmt.Sprintf("from %d to %s", first>>10, kb(last))
}

// String is the crossing with its interval, in KB.
func (c crossing) String() string {
	number := func(bytes float64) string {
		v := bytes / 1024
		if v < 10 {
			return fmt.Sprintf("%.1f", v)
		}
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%s KB (%s to %s)", number(c.at), number(c.lo), number(c.hi))
}

// at is those of points that have a verdict.
func at(points []point, v stats.Verdict) (list []int) {
	for _, p := range points {
		if p.verdict == v {
			list = append(list, p.size)
		}
	}
	return list
}

// ranges names sizes, neighbours among all of points together: "4 to 16 KB and 64 KB".
func ranges(points []point, which []int) string {
	var parts []string
	for i := 0; i < len(points); i++ {
		if !slices.Contains(which, points[i].size) {
			continue
		}
		first := i
		for i+1 < len(points) && slices.Contains(which, points[i+1].size) {
			i++
		}
		if first == i {
			parts = append(parts, kb(points[i].size))
		} else {
			parts = append(parts, fmt.Sprintf("%d to %s", points[first].size>>10, kb(points[i].size)))
		}
	}
	return lab.List(parts, "and")
}
