package buffers

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
