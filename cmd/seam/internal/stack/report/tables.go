package report

// tables are what was counted by place, before places have names. The first two sites,
// entries and roots of the tree are for what isn't known, and for what there was no room
// for.
type tables struct {
	sites   []site
	siteAt  map[siteKey]int32
	steps   []step
	stepAt  map[stepKey]int32
	entries []entryKey
	entryAt map[entryKey]int32
	where   map[whereKey]int64 // growths
	nodes   []node
	nodeAt  map[nodeKey]int32
}

const (
	unknown = 0
	others  = 1
)

type siteKey struct{ callee, caller place }

type site struct {
	siteKey
	Totals
	used, largest int64
	calls         []uint64 // that were going on when most was in use, as event.Event has them, in the caller's program
}

type stepKey struct {
	site     int32
	from, to uint8
}

type step struct {
	stepKey
	Totals
}

type entryKey struct{ fn, statement place }

type whereKey struct{ site, entry int32 }

type nodeKey struct {
	parent   int32 // of a root, -1
	site     int32 // of a root, its entry
	from, to uint8
}

// A node is a step in the tree of doublings, or a root of it.
type node struct {
	nodeKey
	Totals        // of this step
	rest   Totals // of growths below for which there is no node
	grown  int64  // of a root: goroutines
	// Goroutines that got this far and ended, and all growths of theirs.
	ended  int64
	chains Totals
}

func (t *tables) init() {
	*t = tables{
		sites: make([]site, 2), siteAt: map[siteKey]int32{}, stepAt: map[stepKey]int32{}, entries: make([]entryKey, 2),
		entryAt: map[entryKey]int32{}, where: map[whereKey]int64{}, nodeAt: map[nodeKey]int32{},
	}
	for i := range int32(2) {
		key := nodeKey{parent: -1, site: i}
		t.nodeAt[key] = i
		t.nodes = append(t.nodes, node{nodeKey: key})
	}
}

// number returns what number a key has in list, where it gets a place if it has none;
// full if there is no room.
func number[K comparable, T any](at map[K]int32, list *[]T, most int, full int32, key K, value T) int32 {
	if i, ok := at[key]; ok {
		return i
	}
	if len(*list) >= most {
		return full
	}
	i := int32(len(*list))
	*list = append(*list, value)
	at[key] = i
	return i
}

// site returns the number of a call for which a stack had to grow.
func (t *tables) site(callee, caller place) int32 {
	key := siteKey{callee, caller}
	return number(t.siteAt, &t.sites, maxSites, others, key, site{siteKey: key})
}

// entry returns the number of a go statement and what it started.
func (t *tables) entry(fn, statement place) int32 {
	key := entryKey{fn, statement}
	return number(t.entryAt, &t.entries, maxEntries, others, key, key)
}

// node returns the number of a step in the tree; -1 if the tree is full.
func (t *tables) node(key nodeKey) int32 {
	return number(t.nodeAt, &t.nodes, maxNodes, -1, key, node{nodeKey: key})
}

// countSite counts a growth where it happened.
func (t *tables) countSite(m *move, time int64) {
	s := &t.sites[m.site]
	s.add(m.used, time)
	if m.used > s.used {
		s.used, s.calls = m.used, append(s.calls[:0], m.calls...)
	}
	s.largest = max(s.largest, m.to)

	key := stepKey{m.site, class(m.from), class(m.to)}
	if i := number(t.stepAt, &t.steps, maxSteps, -1, key, step{stepKey: key}); i >= 0 {
		t.steps[i].add(m.used, time)
	}

	where := whereKey{m.site, m.entry}
	if n, ok := t.where[where]; ok || len(t.where) < maxWhere {
		t.where[where] = n + 1
	}
}
