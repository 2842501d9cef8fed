package view

import (
	"cmp"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

// figures are sums over a report that the text and the page share.
type figures struct {
	stacks   int64 // allocated for new goroutines and threads
	allocs   int64
	steps    []report.Step // over all sites, by From and To
	others   report.Totals // growths of which no step is told: sites were too many
	cpu      int64         // without what the tracing took; 0 if not known
	waited   bool          // cpu is left out: growths took longer, by the clock
	largest  int64         // stack that a growth made
	refills  int64
	released int64
}

func sum(f *report.File) figures {
	var s figures
	for _, z := range f.Sizes {
		s.stacks += z.New
		s.allocs += z.Allocs
		if z.Grown > 0 {
			s.largest = max(s.largest, z.Bytes)
		}
	}
	for _, r := range f.Refills {
		s.refills += r.Refills
		s.released += r.Releases
	}
	known := len(f.Processes) > 0
	for _, p := range f.Processes {
		known = known && p.CPU > 0
		s.cpu += max(0, p.CPU-p.Tracing)
	}
	// Earlier versions timed growths and the log by the wall clock. If threads had to wait
	// for a core or for the log, that can't be compared with CPU time.
	if s.waited = known && s.cpu < f.Growth.Time; s.waited || !known {
		s.cpu = 0
	}
	s.steps = steps(f.Sites)
	s.others = f.Growth
	for _, st := range s.steps {
		s.others.Count -= st.Count
		s.others.Copied -= st.Copied
		s.others.Time -= st.Time
	}
	return s
}

// steps adds up what all sites grew.
func steps(sites []report.Site) []report.Step {
	type key struct{ from, to int64 }
	index := map[key]int{}
	var list []report.Step
	for i := range sites {
		for _, st := range sites[i].Steps {
			k := key{st.From, st.To}
			at, ok := index[k]
			if !ok {
				at = len(list)
				index[k] = at
				list = append(list, report.Step{From: st.From, To: st.To})
			}
			list[at].Sum(st.Totals)
		}
	}
	slices.SortFunc(list, func(a, b report.Step) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return list
}

// weigh is what shares are shares of: time or, without times, bytes copied.
func weigh(f *report.File) func(report.Totals) int64 {
	if f.Growth.Time > 0 {
		return func(t report.Totals) int64 { return t.Time }
	}
	return func(t report.Totals) int64 { return t.Copied }
}

// groupChains groups chains by kind of goroutine, in order of their first.
func groupChains(list []report.Chain) [][]report.Chain {
	byOrigin := map[origin][]report.Chain{}
	var order []origin
	for _, c := range list {
		o := origin{c.Entry.Func, c.Entry.Go}
		if byOrigin[o] == nil {
			order = append(order, o)
		}
		byOrigin[o] = append(byOrigin[o], c)
	}
	var groups [][]report.Chain
	for _, o := range order {
		groups = append(groups, byOrigin[o])
	}
	return groups
}
