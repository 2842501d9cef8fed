package buffers

import (
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

func (f analysis) notes() {
	f.againstPublished()
	f.clearingAgainstPublished()
	f.heap()
	f.startingStack()
	f.moved()
}

// againstPublished compares the pool's ratio with the published one.
func (f analysis) againstPublished() {
	s := situation{state: stateWarm, io: true}
	var said []string
	for _, a := range reference.Buffers {
		if c := f.Compared(s.name(fromPool, a.Size)); c != nil {
			said = append(said, fmt.Sprintf("%s at %s (published %s)", quantity.NearOne(c.Ratio), kb(a.Size), quantity.NearOne(a.Ratio())))
		}
	}
	f.Note(lab.Sentence("The published benchmark ("+reference.StackBuffers.Setting()+"), pool over stack: ", said, ", ", "."))
}

// clearingAgainstPublished compares the share of clearing with that in
// the published profile.
func (f analysis) clearingAgainstPublished() {
	s := situation{state: stateWarm, io: true}
	var said []string
	for _, size := range sizes {
		stack := f.Find(s.name(fromStack, size), nsPerOp)
		g, ok := f.gap([]string{s.name(fromStack, size)}, []string{s.clearedOnce(size)})
		switch {
		case stack == nil || !ok || stack.Median <= 0:
		case g.shown():
			said = append(said, fmt.Sprintf("%.1f %% at %s", 100*g.ns/stack.Median, kb(size)))
		default:
			said = append(said, "not shown at "+kb(size))
		}
	}
	f.Note(lab.Sentence("Share of the time that clearing the arrays takes in the published benchmark: ", said, ", ",
		fmt.Sprintf(" (published: %.0f %%, %s).", reference.Clearing.Value, reference.Clearing.What)))
}

// heap says what make's price depends on.
func (f analysis) heap() {
	if len(f.measured(situation{state: stateWarm}, fromMake)) > 0 {
		f.Note("The time of make includes the collections that it causes: here one for every few MB, as in any program with a small heap. In a large heap they are rarer, and each costs more. A higher GOGC makes them rarer.")
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
		f.Notef("Fresh goroutines began with up to %s of stack, because the collector had last seen deep ones: the figures of %s may leave growth out. GODEBUG=adaptivestackstart=0 starts all with 2 KB.",
			kb(int(most)), lab.List(fit, "and"))
	}
}

// moved says which arrays were not on the stack.
func (f analysis) moved() {
	seen := map[string]bool{}
	for _, s := range f.Series {
		if strings.Contains(s.NotMeasured, "moves to the heap") && !seen[s.NotMeasured] {
			seen[s.NotMeasured] = true
			f.Notef("Not compared: %s.", s.NotMeasured)
		}
	}
}
