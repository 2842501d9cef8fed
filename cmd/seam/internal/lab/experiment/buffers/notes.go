package buffers

import (
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

func (f finder) notes() {
	f.againstArticle()
	f.clearingAgainstArticle()
	f.heap()
	f.startingStack()
	f.moved()
}

// againstArticle sets the pool's ratio against the article's.
func (f finder) againstArticle() {
	s := situation{state: stateWarm, io: true}
	var said []string
	for _, a := range article {
		if c := f.Compared(s.name(fromPool, a.size)); c != nil {
			said = append(said, fmt.Sprintf("%s at %s (article %s)", quantity.NearOne(c.Ratio), kb(a.size), quantity.NearOne(a.pool/a.stack)))
		}
	}
	if len(said) > 0 {
		f.Notef("Article 4's benchmark, pool over stack: %s.", strings.Join(said, ", "))
	}
}

// clearingAgainstArticle sets the share of clearing against that of the
// article's profile.
func (f finder) clearingAgainstArticle() {
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
	if len(said) > 0 {
		f.Notef("Share of clearing the arrays in article 4's benchmark: %s (the article's profile: 10 %%, 120 ms of 1.25 s).", strings.Join(said, ", "))
	}
}

// heap says what make's price hangs on.
func (f finder) heap() {
	if len(f.measured(situation{state: stateWarm}, fromMake)) > 0 {
		f.Note("The time of make includes the collections that it causes: here one for every few MB, as in any program with a small heap. In a large heap they are rarer, and each costs more. A higher GOGC makes them rarer.")
	}
}

// startingStack warns where fresh goroutines began with a stack that they need
// not outgrow. How large they begin follows what the collector last saw.
func (f finder) startingStack() {
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
		f.Notef("Fresh goroutines began with up to %s of stack, since the collector had last seen deep ones: growth may be missing in the figures of %s. GODEBUG=adaptivestackstart=0 starts all with 2 KB.",
			kb(int(most)), list(fit, "and"))
	}
}

// moved says which arrays are none of the stack's.
func (f finder) moved() {
	seen := map[string]bool{}
	for _, s := range f.Series {
		if strings.Contains(s.NotMeasured, "moves to the heap") && !seen[s.NotMeasured] {
			seen[s.NotMeasured] = true
			f.Notef("Not compared: %s.", s.NotMeasured)
		}
	}
}
