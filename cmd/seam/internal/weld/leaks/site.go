package leaks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// A cause is what the stacks of a place have in common: the C function, and the
// innermost line of Go, which calls it. They are judged together.
type cause struct {
	what string
	at   recording.Frame
}

func causeOf(what string, stack []recording.Frame) cause {
	if len(stack) == 0 {
		return cause{what: what}
	}
	return cause{what, stack[0]}
}

// verdicts judges each place of a process that holds blocks. What was made while a
// package was initialised says nothing of the rest.
func verdicts(list []*group, wall time.Duration) map[cause]verdict {
	type series struct {
		made, madeBytes, live, liveBytes uint64
		parts                            []*group
	}
	var places recording.Ordered[cause, series]
	found := map[cause]verdict{}
	for _, g := range list {
		key := causeOf(g.what, g.stack)
		if g.atStart() {
			if g.live > 0 {
				found[key] = verdict{class: Init}
			}
			continue
		}
		s := places.At(key, series{})
		s.made, s.live = plus(s.made, g.made), plus(s.live, g.live)
		s.madeBytes, s.liveBytes = plus(s.madeBytes, g.madeBytes), plus(s.liveBytes, g.liveBytes)
		s.parts = append(s.parts, g)
	}
	for _, s := range places.List {
		if s.live == 0 {
			continue
		}
		v := judge(wall, s.made, func(ns int64) (live uint64) {
			for _, g := range s.parts {
				live = plus(live, g.at(ns))
			}
			return live
		})
		if each, average := s.liveBytes/s.live, s.madeBytes/max(1, s.made); v.class == Steady && each > average+average/2 && (each-average)*s.live >= leastMalloc {
			v = verdict{Unclear, fmt.Sprintf("as many blocks, but larger ones: %s each, and on average of all that were made %s", size(each), size(average))}
		}
		found[causeOf(s.parts[0].what, s.parts[0].stack)] = v
	}
	return found
}

// mostDepth is how many frames of a stack the text shows without All.
const mostDepth = 8

// A site is what the text shows as one leak: all stacks that have its cause.
type site struct {
	Leak             // sums; Stack is what all have in common
	callers []caller // where the stacks differ, most bytes first
	stacks  int
	all     []*Leak
}

// A caller is the first frame in which stacks of a site differ.
type caller struct {
	recording.Frame
	blocks, bytes uint64
}

// sitesOf are those of leaks, most bytes first.
func sitesOf(list []Leak) []*site {
	var sites recording.Ordered[cause, site]
	for i := range list {
		l := &list[i]
		p := sites.At(causeOf(l.What, l.Stack), site{Leak: Leak{What: l.What, Class: l.Class, Why: l.Why, Stack: l.Stack, History: make([]uint64, parts)}})
		p.all = append(p.all, l)
		p.stacks++
		p.Blocks, p.Bytes = plus(p.Blocks, l.Blocks), plus(p.Bytes, l.Bytes)
		p.Made, p.MadeBytes = plus(p.Made, l.Made), plus(p.MadeBytes, l.MadeBytes)
		for k := range p.History {
			p.History[k] = plus(p.History[k], l.History[k])
		}
		p.Stack = p.Stack[:shared(p.Stack, l.Stack)]
	}
	for _, p := range sites.List {
		p.split()
	}
	slices.SortStableFunc(sites.List, func(a, b *site) int {
		return cmp.Or(cmp.Compare(slices.Index(worse, a.Class), slices.Index(worse, b.Class)), cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Blocks, a.Blocks))
	})
	return sites.List
}

// shared is how many frames two stacks begin with alike.
func shared(a, b []recording.Frame) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// split finds the callers.
func (p *site) split() {
	if p.stacks < 2 {
		return
	}
	var callers recording.Ordered[recording.Frame, caller]
	for _, l := range p.all {
		var f recording.Frame
		if rest := l.Stack[len(p.Stack):]; len(rest) > 0 {
			f = rest[0]
		}
		c := callers.At(f, caller{Frame: f})
		c.blocks, c.bytes = plus(c.blocks, l.Blocks), plus(c.bytes, l.Bytes)
	}
	for _, c := range callers.List {
		p.callers = append(p.callers, *c)
	}
	slices.SortStableFunc(p.callers, func(a, b caller) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(b.blocks, a.blocks), recording.CompareFrames(a.Frame, b.Frame))
	})
}

// Sites is from how many lines of Go the leaks come.
func (f *File) Sites() int { return len(sitesOf(f.Leaks)) }

// SitesOf is how many of them are of a class.
func (f *File) SitesOf(c Class) int { return count(sitesOf(f.Leaks), c) }

// count is how many places are of a class.
func count(list []*site, c Class) (n int) {
	for _, p := range list {
		if p.Class == c {
			n++
		}
	}
	return n
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
