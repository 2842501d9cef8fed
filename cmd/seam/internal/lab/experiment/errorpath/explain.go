package errorpath

import (
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/gen"
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// explain adds what the figures say. cache is the size of the L1 instruction
// cache, 0 where it is not known.
func explain(e *result.Experiment, cache int) {
	t := analysis{lab.Analysis{Experiment: e}, float64(cache)}
	if list := t.sizes(); len(list) > 0 {
		n := list[len(list)-1]
		t.Advise(lab.Advice{Name: name(gen.LayoutInline, n), Base: name(gen.LayoutBare, n), Unit: unitTime,
			Slower: "Keep errors out of the decoders' way (seam gen does): wrapped in place, against bare ones, ",
			Same:   "Wrap errors where you like: in place, against bare ones, ", Faster: "Wrap errors where you like: in place, against bare ones, ",
		})
	}
	for _, n := range t.sizes() {
		t.Say(t.against(n))
	}
	t.Say(t.choice(), t.code(), t.missing())
	t.Note(t.outgrown(), t.source(), t.leftOut())
	t.charts()
}

type analysis struct {
	lab.Analysis
	cache float64
}

// sizes are the numbers of types for which something was timed.
func (t analysis) sizes() []int {
	return slices.DeleteFunc(sizes(lab.Full), func(n int) bool {
		return !slices.ContainsFunc(layouts, func(l string) bool { return t.Find(name(l, n), unitTime) != nil })
	})
}

func (t analysis) median(layout string, types int, unit string) (float64, bool) {
	return t.Median(name(layout, types), unit)
}

// each lists the layouts with a number of types, compared with bare.
func (t analysis) each(types int, unit string) lab.Part {
	var all []lab.Named
	for _, l := range layouts {
		all = append(all, lab.Named{Name: name(l, types), Words: l})
	}
	return t.Each(unit, name(gen.LayoutBare, types), all...)
}

// against says what each way to return errors costs decoders that meet none.
func (t analysis) against(types int) lab.Sentence {
	return lab.Tell("Decoders of %s that meet no error, against bare ones: %s.", lab.Set(typesLabel(types)), t.each(types, unitTime))
}

// code compares the sizes of the decoders.
func (t analysis) code() lab.Sentence {
	for _, n := range slices.Backward(t.sizes()) {
		if t.Find(name(gen.LayoutBare, n), unitCode) != nil {
			return lab.Tell("Code of the decoders of %s, against bare ones: %s.", lab.Set(typesLabel(n)), t.each(n, unitCode))
		}
	}
	return lab.Sentence{}
}

// missing compares the misses.
func (t analysis) missing() lab.Sentence {
	for _, n := range slices.Backward(t.sizes()) {
		if t.Find(name(gen.LayoutBare, n), unitMisses) != nil {
			return lab.Tell("Instruction misses of one decode with %s, by %s, against bare ones: %s.", lab.Set(typesLabel(n)), lab.Set(t.counter()), t.each(n, unitMisses))
		}
	}
	return lab.Sentence{}
}

// outgrown says with how many types the decoders, which are largest inline, are more than
// the cache for instructions holds.
func (t analysis) outgrown() lab.Sentence {
	var told []string
	for _, n := range t.sizes() {
		if code, ok := t.median(gen.LayoutInline, n, unitCode); ok && t.cache > 0 && code > t.cache {
			told = append(told, typesLabel(n))
		}
	}
	if len(told) == 0 {
		return lab.Sentence{}
	}
	return lab.Tell("The first cache for instructions is outgrown by the code of inline decoders of %s.", lab.Set(strings.Join(told, ", ")))
}

// choice says which layout the figures favour: one that is proven faster than
// bare somewhere and slower nowhere, or else bare.
func (t analysis) choice() lab.Sentence {
	best, most, compared := "", 0, false
	var slower []string
	for _, l := range layouts[1:] {
		wins, losses := 0, 0
		for _, n := range t.sizes() {
			switch t.Proven(name(l, n), name(gen.LayoutBare, n), unitTime) {
			case stats.Faster:
				wins++
			case stats.Slower:
				losses++
			}
			compared = compared || t.Find(name(l, n), unitTime) != nil && t.Find(name(gen.LayoutBare, n), unitTime) != nil
		}
		if losses > 0 {
			slower = append(slower, l)
		}
		if losses == 0 && wins > most {
			best, most = l, wins
		}
	}
	switch {
	case !compared:
		return lab.Sentence{}
	case best != "":
		return lab.Tell("These figures favour %s: against bare it wins with some numbers of types and loses with none.", lab.Set(best))
	case len(slower) > 0:
		return lab.Tell("These figures favour bare: no layout wins against it with some numbers of types and loses with none. These lose somewhere: %s.", lab.Set(strings.Join(slower, ", ")))
	}
	return lab.Tell("These figures favour no layout: none wins or loses against bare for certain.")
}

// counter is who counted misses, or "".
func (t analysis) counter() string {
	for i := range t.Series {
		s := &t.Series[i]
		if s.Unit != unitMisses || s.NotMeasured != "" {
			continue
		}
		for _, source := range []string{byCounter, byCachegrind} {
			if strings.HasSuffix(s.Label, source) {
				return source
			}
		}
	}
	return ""
}

func (t analysis) source() lab.Sentence {
	switch t.counter() {
	case byCounter:
		return lab.Tell("Instruction misses are counted by the processor (perf_event).")
	case byCachegrind:
		return lab.Tell("Instruction misses are Cachegrind's: it runs the program with a model of this machine's first cache for instructions, which neither prefetches nor speculates. A processor hides part of these misses.")
	}
	return lab.Sentence{}
}

// leftOut says what the quick mode leaves out, which is known by its sizes.
func (t analysis) leftOut() lab.Sentence {
	all, had := sizes(lab.Full), t.sizes()
	if len(had) == 0 || slices.Contains(had, all[len(all)-1]) {
		return lab.Sentence{}
	}
	return lab.Tell("--quick leaves out the largest number of types, tries fewer orders of the functions, and has Cachegrind, where it is needed, count only once.")
}
