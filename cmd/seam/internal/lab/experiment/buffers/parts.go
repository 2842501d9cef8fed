package buffers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// A part is a piece of the time of one operation.
type part struct {
	what string
	gap
}

// Parts of the time.
const (
	partWork    = "work"
	partClear   = "clearing"
	partStart   = "starting the goroutine"
	partGrow    = "growth of the stack"
	partCold    = "cold caches"
	partAlloc   = "allocating and clearing" // also what refills a pool
	partCollect = "collecting"
	partRest    = "not split" // known to the report, which gives it no colour
)

// A split is the time of one operation, as in the table, in parts that were
// shown to exist and add up to no more.
type split struct {
	parts []part
	rest  float64  // ns that no part explains
	none  []string // parts whose interval holds 0
	apart []string // parts that are larger than what the others leave
}

// split takes the time of a source apart. What was measured at other times, by
// differences, need not add up: the last part shrinks as far as its interval
// allows, and what doesn't fit stays in the rest.
func (f analysis) split(from string, s situation, size int) (split, bool) {
	x := f.Find(s.name(from, size), nsPerOp)
	if x == nil {
		return split{}, false
	}
	t := split{rest: x.Median}
	parts, whole := f.parts(from, s, size)
	for _, p := range parts {
		switch words := p.words(from, s.state); {
		case !p.shown():
			t.none = append(t.none, words)
		case p.lo > t.rest:
			t.apart = append(t.apart, words)
		default:
			p.ns = min(p.ns, t.rest)
			t.rest -= p.ns
			t.parts = append(t.parts, p)
		}
	}
	if n := len(t.parts); whole && n > 0 && n == len(parts) && t.parts[n-1].ns+t.rest <= t.parts[n-1].hi {
		t.parts[n-1].ns += t.rest
		t.rest = 0
	}
	return t, true
}

// parts takes the time of a source apart by what other cases leave out. Each
// part is a difference: cleared once against each time, a goroutine with nothing
// to do, a slice that is kept. What is not known is missing; whole says that
// there are no other parts.
func (f analysis) parts(from string, s situation, size int) (list []part, whole bool) {
	warm := s
	warm.state = stateWarm
	whole = true
	add := func(what string, plus, minus []string) {
		g, ok := f.gap(plus, minus)
		if ok {
			list = append(list, part{what, g})
		}
		whole = whole && ok
	}
	names := func(list ...string) []string { return list }
	stack, kept := warm.name(fromStack, size), warm.name(fromReuse, size)
	if from == fromStack {
		add(partWork, names(warm.clearedOnce(size)), nil)
		add(partClear, names(stack), names(warm.clearedOnce(size)))
	} else {
		add(partWork, names(kept), nil)
	}
	switch {
	case from == fromStack && s.state == stateFresh:
		add(partStart, names(s.name(fromNone, size)), nil)
		add(partGrow, names(s.name(fromStack, size)), names(s.name(fromNone, size), stack))
	case from == fromStack && s.state == stateGC:
		add(partCold, names(s.name(fromReuse, size)), names(kept))
		add(partGrow, names(s.name(fromStack, size), kept), names(stack, s.name(fromReuse, size)))
	case from == fromPool && s.state == stateGC:
		add(partCold, names(s.name(fromReuse, size)), names(kept))
		add(partAlloc, names(s.name(fromPool, size)), names(s.name(fromReuse, size)))
	case from == fromMake && s.state == stateWarm:
		add(partAlloc, names(s.uncollected(size)), names(kept))
		add(partCollect, names(s.name(fromMake, size)), names(s.uncollected(size)))
	}
	return list, whole
}

// tellParts says where the time of one size goes, with and without system calls.
func (f analysis) tellParts() {
	for _, io := range []bool{false, true} {
		warm := situation{state: stateWarm, io: io}
		size := f.typical(warm)
		if size == 0 {
			continue
		}
		tell := func(beyond string, of ...wanted) {
			if said := f.listed(warm, size, of); said != "" {
				f.Sayf("Two buffers of %s %s%s: %s.", kb(size), withWords(io), beyond, said)
			}
		}
		tell("", wanted{fromStack, stateWarm, []string{partWork, partClear}})
		tell(", and beyond that in a fresh goroutine", wanted{fromStack, stateFresh, []string{partStart, partGrow}})
		tell(", and beyond that right after a collection", wanted{fromStack, stateGC, []string{partCold, partGrow}}, wanted{fromPool, stateGC, []string{partAlloc}})
		tell(", make beyond the work", wanted{fromMake, stateWarm, []string{partAlloc, partCollect}})
	}
}

// wanted are some parts of a source's time in a state.
type wanted struct {
	from, state string
	parts       []string
}

// listed has the figures of some parts, or nothing where nothing is known of them.
func (f analysis) listed(s situation, size int, of []wanted) string {
	var said, none, apart []string
	for _, w := range of {
		s.state = w.state
		t, _ := f.split(w.from, s, size)
		for _, p := range t.parts {
			if slices.Contains(w.parts, p.what) {
				said = append(said, fmt.Sprintf("%s %s (%s)", p.words(w.from, w.state), quantity.Time(p.ns), quantity.Interval(p.lo, p.hi, "ns")))
			}
		}
		for _, what := range w.parts {
			words := part{what: what}.words(w.from, w.state)
			if slices.Contains(t.none, words) {
				none = append(none, words)
			}
			if slices.Contains(t.apart, words) {
				apart = append(apart, words)
			}
		}
	}
	if len(none) > 0 {
		said = append(said, "not shown to take time: "+strings.Join(none, ", "))
	}
	if len(apart) > 0 {
		said = append(said, "not told apart: "+strings.Join(apart, ", "))
	}
	return strings.Join(said, "; ")
}

// words name a part in a sentence.
func (p part) words(from, state string) string {
	switch {
	case p.what == partClear:
		return "clearing two arrays"
	case p.what == partGrow && state == stateFresh:
		return "growth of a fresh stack"
	case p.what == partGrow:
		return "growth of a stack that two collections have shrunk"
	case p.what == partCold:
		return "cold caches after a collection"
	case p.what == partAlloc && from == fromPool:
		return "refilling a pool that two collections have emptied"
	}
	return p.what
}

// typical is the size for which the parts of the time are reported.
func (f analysis) typical(s situation) int {
	for _, size := range []int{64 << 10, 32 << 10, 16 << 10, 128 << 10, 8 << 10, 4 << 10} {
		if f.Find(s.clearedOnce(size), nsPerOp) != nil {
			return size
		}
	}
	return 0
}
