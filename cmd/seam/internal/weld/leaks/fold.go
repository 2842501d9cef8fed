package leaks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// mostDepth is how many frames of a stack the text shows without All.
const mostDepth = 8

// A site is what the text shows as one leak: stacks that differ only farther
// out than is shown.
type site struct {
	Leak
	stacks int
}

// fold makes sites of leaks, most bytes first. The stack of each is that of its
// first leak.
func fold(list []Leak) []*site {
	var sites recording.Ordered[string, site]
	for _, l := range list {
		shown, _ := visible(l.Stack)
		s := sites.At(fmt.Sprintf("%s %q", l.What, shown), site{l, 0})
		if s.stacks++; s.stacks == 1 {
			s.History = slices.Clone(l.History)
			continue
		}
		s.Blocks, s.Bytes = plus(s.Blocks, l.Blocks), plus(s.Bytes, l.Bytes)
		s.Made, s.MadeBytes = plus(s.Made, l.Made), plus(s.MadeBytes, l.MadeBytes)
		for k := range s.History {
			s.History[k] = plus(s.History[k], l.History[k])
		}
		if s.Class != Init || l.Class != Init {
			s.Class = Steady
			if half, later, end := s.History[parts/2-1], s.History[parts/4*3-1], s.History[parts-1]; grows(half, later, end) {
				s.Class = Growing
			}
		}
	}
	slices.SortStableFunc(sites.List, func(a, b *site) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Blocks, a.Blocks))
	})
	return sites.List
}

// visible is the part of a stack that is shown without All, and how many frames
// there are behind it. What the runtime calls the program by says nothing.
func visible(stack []recording.Frame) (shown []recording.Frame, rest int) {
	for len(stack) > 1 && (strings.HasPrefix(stack[len(stack)-1].Func, "runtime.") || stack[len(stack)-1].Func == "testing.tRunner") {
		stack = stack[:len(stack)-1]
	}
	n := min(len(stack), mostDepth)
	return stack[:n], len(stack) - n
}

// grows tells whether a number of live blocks went on growing in the last half
// of a run: from its middle to three quarters of it, and from there to the end.
func grows(half, later, end uint64) bool {
	return end > later && later > half && end-half >= half/4
}
