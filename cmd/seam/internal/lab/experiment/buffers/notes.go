package buffers

import (
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func (f analysis) notes() {
	f.heap()
	f.startingStack()
	f.moved()
}

// heap says what make's price depends on.
func (f analysis) heap() {
	if len(f.measured(situation{state: stateWarm}, fromMake)) > 0 {
		f.Note(lab.Tell("The time of make includes the collections that it causes: here one for every few MB, as in any program with a small heap. In a large heap they are rarer, and each costs more. A higher GOGC makes them rarer."))
	}
}

// startingStack warns where fresh goroutines began with a stack that they
// needn't outgrow. Its size depends on what the collector last saw.
func (f analysis) startingStack() {
	s := f.Find(startName, "B")
	if s == nil {
		return
	}
	most := s.Hi
	for _, x := range s.Samples {
		most = max(most, x.Value)
	}
	var fit []string
	for _, size := range sizes {
		if float64(2*size) < most && f.Find(situation{state: stateFresh}.name(fromStack, size), nsPerOp) != nil {
			fit = append(fit, kb(size))
		}
	}
	if len(fit) > 0 {
		f.Note(lab.Tell("Fresh goroutines began with a larger stack than the least, because the collector had last seen deep ones: the figures of %s may leave growth out. GODEBUG's adaptivestackstart turns that off.",
			lab.Set(lab.List(fit, "and"))))
	}
}

// moved says which arrays were not on the stack.
func (f analysis) moved() {
	seen := map[string]bool{}
	for _, s := range f.Series {
		if strings.Contains(s.NotMeasured, "moves to the heap") && !seen[s.NotMeasured] {
			seen[s.NotMeasured] = true
			f.Note(lab.Tell("Not compared: %s.", lab.Set(s.NotMeasured)))
		}
	}
}
