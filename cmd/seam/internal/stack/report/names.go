package report

import (
	"cmp"
	"maps"
	"slices"
)

// names are the places that have been counted, with names. Addresses that have the same
// name are one.
type names struct {
	sites   []Site // without Entries
	siteOf  []int32
	entries []Entry // without Count
	entryOf []int32
}

// name looks up all addresses.
func (b *Builder) name() *names {
	n := &names{siteOf: make([]int32, len(b.sites)), entryOf: make([]int32, len(b.entries))}
	sites := map[[2]Place]int32{}
	for i := range b.tables.sites {
		site := Site{Callee: special(i), Caller: special(i)}
		if i > others {
			site.Callee, site.Frame = b.function(b.sites[i].callee)
			site.Caller = b.call(b.sites[i].caller)
			if site.Frame >= largeFrame {
				site.Variable = b.variable(b.sites[i].callee)
			}
			b.calls(&b.sites[i], &site)
		}
		n.siteOf[i] = intern(sites, &n.sites, [2]Place{site.Callee, site.Caller}, site)
	}
	entries := map[[2]Place]int32{}
	for i := range b.tables.entries {
		entry := Entry{Func: special(i), Go: special(i)}
		if i > others {
			entry.Func, _ = b.function(b.entries[i].fn)
			entry.Go = b.call(b.entries[i].statement)
		}
		n.entryOf[i] = intern(entries, &n.entries, [2]Place{entry.Func, entry.Go}, entry)
	}
	return n
}

// special names the first two of a table.
func special(i int) Place {
	if i == unknown {
		return Place{Func: Unknown}
	}
	return Place{Func: Others}
}

// intern returns the number of a value, which is appended to the list if its key is new.
func intern[K comparable, V any](at map[K]int32, list *[]V, key K, value V) int32 {
	i, ok := at[key]
	if !ok {
		i = int32(len(*list))
		*list = append(*list, value)
		at[key] = i
	}
	return i
}

// reportSites adds up the sites by their names.
func (n *names) reportSites(t *tables) []Site {
	for i := range t.sites {
		s := &n.sites[n.siteOf[i]]
		s.Sum(t.sites[i].Totals)
		s.Used = max(s.Used, t.sites[i].used)
		s.Largest = max(s.Largest, t.sites[i].largest)
	}
	// The ones with the highest rank are listed, the rest is one.
	order := make([]int32, 0, len(n.sites))
	for i := range n.sites {
		if n.sites[i].Count > 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(x, y int32) int {
		a, b := &n.sites[x], &n.sites[y]
		return cmp.Or(a.compare(&b.Totals), a.Callee.compare(&b.Callee), a.Caller.compare(&b.Caller))
	})
	listed := make([]int32, len(n.sites))
	for i := range listed {
		listed[i] = -1
	}
	out := []Site{}
	rest := int32(-1)
	for rank, i := range order {
		if rank < mostSites {
			listed[i] = int32(len(out))
			out = append(out, n.sites[i])
			if rank >= mostCalls {
				out[rank].Calls = nil
			}
			continue
		}
		if rest < 0 {
			if rest = listed[n.siteOf[others]]; rest < 0 {
				rest = int32(len(out))
				out = append(out, Site{Callee: special(others), Caller: special(others)})
			}
		}
		listed[i] = rest
		s := &out[rest]
		s.Sum(n.sites[i].Totals)
		s.Used, s.Largest = max(s.Used, n.sites[i].Used), max(s.Largest, n.sites[i].Largest)
	}
	n.steps(t, listed, out)
	n.where(t, listed, out)
	return out
}

// steps gives listed sites their steps.
func (n *names) steps(t *tables, listed []int32, out []Site) {
	sums := map[stepKey]Totals{}
	for _, s := range t.steps {
		if s.site = listed[n.siteOf[s.site]]; s.site >= 0 {
			sum := sums[s.stepKey]
			sum.Sum(s.Totals)
			sums[s.stepKey] = sum
		}
	}
	for i := range out {
		out[i].Steps, out[i].Entries = []Step{}, []Entry{}
	}
	for _, key := range slices.SortedFunc(maps.Keys(sums), func(x, y stepKey) int {
		return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.to, y.to))
	}) {
		s := &out[key.site]
		s.Steps = append(s.Steps, Step{From: 1 << key.from, To: 1 << key.to, Totals: sums[key]})
	}
}

// where tells of listed sites in which goroutines they were.
func (n *names) where(t *tables, listed []int32, out []Site) {
	sums := map[whereKey]int64{}
	for key, count := range t.where {
		if site := listed[n.siteOf[key.site]]; site >= 0 {
			sums[whereKey{site, n.entryOf[key.entry]}] += count
		}
	}
	keys := slices.SortedFunc(maps.Keys(sums), func(x, y whereKey) int {
		a, b := &n.entries[x.entry], &n.entries[y.entry]
		return cmp.Or(cmp.Compare(sums[y], sums[x]), a.Func.compare(&b.Func), a.Go.compare(&b.Go))
	})
	for _, key := range keys {
		if s := &out[key.site]; len(s.Entries) < mostEntries {
			e := n.entries[key.entry]
			e.Count = sums[key]
			s.Entries = append(s.Entries, e)
		}
	}
}
