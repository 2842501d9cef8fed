package buffers

import (
	"cmp"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

func explain(e *result.Experiment) {
	f := analysis{lab.Analysis{Experiment: e}}
	f.yardsticks()
	f.addCrossings()
	for _, s := range situations {
		f.Say(f.advise(s))
	}
	for _, s := range situations {
		if s.state == stateWarm && !s.all {
			f.Say(f.kept(s))
		}
	}
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
func (f analysis) advise(s situation) lab.Sentence {
	points := f.points(s)
	c, w := cross(points)
	var text string
	stack, pool := at(points, stats.Slower), at(points, stats.Faster)
	switch {
	case w == unmeasured:
		return lab.Sentence{}
	case w == crosses && c.poolAbove:
		return lab.Tell("%s: stack below %s, pool above%s.", lab.Set(situationWords(s)), f.Range(s.crossingName(), "B"), lab.Set(cmp.Or(beyond(points, c), " that")))
	case w == unproven:
		text = "between stack and pool no difference is proven here " + span(points)
	case w == crosses, w == tangled:
		text = "stack at " + ranges(points, stack) + ", pool at " + ranges(points, pool)
	case w == stackOnly:
		text = "stack " + where(points, stack)
	case w == poolOnly:
		text = "pool " + where(points, pool)
	}
	return lab.Tell("%s: %s.", lab.Set(situationWords(s)), lab.Set(text))
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

// kept says what keeping a slice does, where that is possible.
func (f analysis) kept(s situation) lab.Sentence {
	var all []lab.Named
	for _, size := range f.measured(s, fromReuse) {
		all = append(all, lab.Named{Name: s.name(fromReuse, size), Words: kb(size), Base: s.name(fromStack, size)})
	}
	return lab.Tell("A slice that a warm goroutine keeps, %s, against an array on its stack: %s.", lab.Set(withWords(s.io)), f.Each(nsPerOp, "", all...))
}
