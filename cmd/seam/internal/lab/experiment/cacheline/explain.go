package cacheline

import (
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// explain says what the figures mean. A sentence is left out where its figures are
// missing.
func explain(e *result.Experiment) {
	t := analysis{lab.Analysis{Experiment: e}}
	t.Advise(
		lab.Advice{Name: name(straddled, shapes[0], set{cold, viaLeaf}), Base: name(aligned, shapes[0], set{cold, viaLeaf}), Unit: unitTime,
			Slower: "Align small structs that C reads from a large array to cache lines: straddled against aligned ",
			Same:   "Leave the structs as they are: straddled against aligned ", Faster: "Leave the structs as they are: straddled against aligned ",
		},
		lab.Advice{Name: sharings[0].name(viaLeaf), Base: sharings[2].name(viaLeaf), Unit: unitTime,
			Slower: "Give each thread's struct a cache line of its own: side by side against that ", Same: "Structs of two threads may lie side by side here: against lines of their own ",
		},
	)
	for _, place := range []string{cold, hot, chain} {
		for _, shape := range shapes {
			t.Say(t.places(place, shape))
		}
	}
	for _, via := range []string{viaLeaf, viaCgo, viaCounter} {
		t.Say(t.sharing(via))
	}
	for _, shape := range shapes {
		t.Say(t.lines(shape))
	}
	t.Say(t.alone())
	t.Note(t.hidden(), t.sameCore())
	t.draw()
}

type analysis struct{ lab.Analysis }

// about says in words where structs are.
var about = map[string]string{
	hot:   "In the cache next to the processor",
	cold:  "In a large array in random order",
	chain: "Where each struct names the next, so that nothing is prefetched,",
}

// others are the layouts that are compared with aligned, the one without its memory first.
var others = []string{straddled, natural, packed}

// places says what leaf calls cost in one place.
func (t analysis) places(place, shape string) lab.Sentence {
	s := set{place, viaLeaf}
	var all []lab.Named
	for _, layout := range others {
		all = append(all, lab.Named{Name: name(layout, shape, s), Words: layout})
	}
	base := name(aligned, shape, s)
	return lab.Tell("%s a leaf call takes %s with %s structs aligned to lines; against those: %s.", lab.Set(about[place]), t.Figure(base, unitTime), lab.Set(shape), t.Each(unitTime, base, all...))
}

// sharing says what two threads do to each other.
func (t analysis) sharing(via string) lab.Sentence {
	all := sharings
	if via == viaCounter {
		all = counters
	}
	var base string
	var list []lab.Named
	for _, s := range all {
		if s.key == aligned {
			base = s.name(via)
		} else {
			list = append(list, lab.Named{Name: s.name(via), Words: s.label})
		}
	}
	what := map[string]string{viaLeaf: "a leaf call", viaCgo: "a cgo call", viaCounter: "adding to a counter, without C,"}[via]
	return lab.Tell("With two threads, each with lines of its own, %s takes %s; against that: %s.", lab.Set(what), t.Figure(base, unitTime), t.Each(unitTime, base, list...))
}

// lines says what the layouts do to lines.
func (t analysis) lines(shape string) lab.Sentence {
	var all []lab.Named
	for _, layout := range layouts {
		all = append(all, lab.Named{Name: linesName(layout, shape), Words: layout})
	}
	return lab.Tell("Of the %s structs in an array these lie on more lines than their fields need: %s.", lab.Set(shape), t.Each(unitSplit, "", all...))
}

// alone says where structs lie that are not in an array.
func (t analysis) alone() lab.Sentence {
	var all []lab.Named
	for _, placer := range placers {
		for _, shape := range shapes {
			all = append(all, lab.Named{Name: placeName(shape, placer)})
		}
	}
	return lab.Tell("Of structs that are allocated one by one these lie on more lines than they need: %s.", t.Each(unitSplit, "", all...))
}

// hidden says why lines may make no difference, where it is proven that they
// don't or that layouts with less memory still win.
func (t analysis) hidden() lab.Sentence {
	var list []string
	is := func(layout string, want stats.Verdict) bool {
		s := set{cold, viaLeaf}
		return t.Proven(name(layout, small, s), name(aligned, small, s), unitTime) == want
	}
	if is(straddled, stats.Same) || is(straddled, stats.Faster) {
		list = append(list, "The second line is fetched at the same time as the first, often along with it (processors fetch lines in pairs): that is why straddling does not show in the large array.")
	}
	if is(natural, stats.Faster) || is(packed, stats.Faster) {
		list = append(list, "Padding makes an array larger, and there is that much less room in the caches and the TLB for others: that is why aligned structs lose to smaller ones there.")
	}
	if len(list) == 0 {
		return lab.Sentence{}
	}
	return lab.Tell(strings.Join(list, " "))
}

// sameCore warns where false sharing can't be seen.
func (t analysis) sameCore() lab.Sentence {
	on, off := counters[0].name(viaCounter), counters[1].name(viaCounter)
	if t.Find(on, unitTime) == nil || t.Find(off, unitTime) == nil || t.Proven(on, off, unitTime) == stats.Slower {
		return lab.Sentence{}
	}
	return lab.Tell("Two counters on one line against two on lines of their own: %s. If they hardly disturb each other, the two CPUs share a cache or never ran at the same time, and this run says nothing about false sharing.", t.Compare(on, off, unitTime))
}
