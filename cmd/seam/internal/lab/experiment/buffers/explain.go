package buffers

import (
	"fmt"
	"math"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

func explain(e *result.Experiment) {
	f := analysis{lab.Analysis{Experiment: e}}
	f.yardsticks()
	f.addCrossings()
	for _, s := range situations {
		f.advise(s)
	}
	f.kept()
	f.tellParts()
	f.notes()
	f.Draw(f.ratioChart(false), f.ratioChart(true), f.partsChart(false), f.partsChart(true), f.table())
}

// yardsticks are the plainest of the bases. There are so many others that lab
// compare would judge the machine's drift by these buffers alone.
func (f analysis) yardsticks() {
	s := situation{state: stateWarm}
	for _, size := range f.measured(s, fromReuse) {
		f.Yardsticks = append(f.Yardsticks, s.name(fromReuse, size))
	}
}

// advise says where a buffer is best kept in a situation.
func (f analysis) advise(s situation) {
	points := f.points(s)
	c, w := cross(points)
	var text string
	stack, pool := at(points, stats.Slower), at(points, stats.Faster)
	switch w {
	case unmeasured:
		return
	case crosses:
		below, above := fromStack, fromPool
		if !c.poolAbove {
			below, above = above, below
		}
		text = fmt.Sprintf("%s below %s, %s above%s", below, c, above, beyond(points, c))
	case unproven:
		text = "stack or pool, no difference is shown " + span(points)
	case tangled:
		text = fmt.Sprintf("stack at %s, pool at %s", ranges(points, stack), ranges(points, pool))
	case stackOnly:
		text = "stack " + where(points, stack)
	case poolOnly:
		text = "pool " + where(points, pool)
	}
	if never := f.never(s); len(never) > 0 {
		text += ", never " + lab.List(never, "or")
	}
	if better := f.better(s, points); len(better) > 0 {
		text += ". Faster than both: " + lab.List(better, "and")
	}
	f.Sayf("%s, on this machine: %s.", situationWords(s), text)
}

// where says at which sizes a way was shown to be faster, and what about the others.
func where(points []point, proven []int) string {
	if len(proven) == len(points) {
		return span(points)
	}
	// Where nothing is proven they may cross.
	return "at " + ranges(points, proven) + rest(points, points)
}

// beyond says of which sizes outside a crossing's interval nothing is proven.
func beyond(points []point, c crossing) string {
	var outside []point
	for _, p := range points {
		if float64(p.size) < c.lo || float64(p.size) > c.hi {
			outside = append(outside, p)
		}
	}
	return rest(points, outside)
}

// rest says of some points where no difference was shown.
func rest(points, some []point) (text string) {
	if same := at(some, stats.Same); len(same) > 0 {
		text += ", equally fast at " + ranges(points, same)
	}
	if open := at(some, stats.Unproven); len(open) > 0 {
		text += ", not clear at " + ranges(points, open)
	}
	return text
}

// situationWords begin a sentence.
func situationWords(s situation) string {
	text := map[string]string{stateWarm: "Warm goroutine", stateFresh: "Fresh goroutine", stateGC: "Right after a collection"}[s.state]
	if s.all {
		text += ", all processors busy"
	}
	return text + ", " + withWords(s.io)
}

// never lists what was shown to be slower than the stack or slower than the pool
// at each size.
func (f analysis) never(s situation) []string {
	var never []string
	for _, y := range []struct{ from, word string }{{fromMake, "make"}, {fromFreelist, "a free list"}} {
		sizes := f.measured(s, y.from)
		if len(sizes) > 1 && !slices.ContainsFunc(sizes, func(size int) bool { return !f.beaten(s, y.from, size) }) {
			never = append(never, y.word)
		}
	}
	return never
}

// better says what was shown to be faster than the stack and the pool, and where.
func (f analysis) better(s situation, points []point) (list []string) {
	for _, y := range []struct{ from, word string }{{fromMake, "make"}, {fromFreelist, "a free list"}} {
		var sizes []int
		for _, p := range points {
			c := f.Compared(s.name(y.from, p.size))
			if c != nil && c.Verdict == string(stats.Faster) && f.slower(s.name(fromPool, p.size), s.name(y.from, p.size), f.margin(s.name(fromStack, p.size))) {
				sizes = append(sizes, p.size)
			}
		}
		if len(sizes) > 0 {
			list = append(list, y.word+" at "+ranges(points, sizes))
		}
	}
	return list
}

// beaten reports whether the stack or the pool was shown to be faster than y.
func (f analysis) beaten(s situation, y string, size int) bool {
	if c := f.Compared(s.name(y, size)); c != nil && c.Verdict == string(stats.Slower) {
		return true
	}
	return f.slower(s.name(y, size), s.name(fromPool, size), f.margin(s.name(fromStack, size)))
}

// kept says what keeping a slice saves, where that is possible.
func (f analysis) kept() {
	least, most, of := math.Inf(1), 0.0, 0
	for _, s := range situations {
		if s.state != stateWarm || s.all {
			continue
		}
		for _, size := range sizes {
			if c := f.Compared(s.name(fromReuse, size)); c != nil && c.Verdict == string(stats.Faster) {
				least, most, of = min(least, c.Ratio), max(most, c.Ratio), of+1
			}
		}
	}
	if of > 0 {
		f.Sayf("A slice that a warm goroutine keeps is faster than an array on its stack: it takes %s the time, where there is a difference.", between(least, most))
	}
}

// between is a range of ratios.
func between(lo, hi float64) string {
	if lo == hi {
		return quantity.Ratio(lo)
	}
	return quantity.Ratio(lo) + " to " + quantity.Ratio(hi)
}
