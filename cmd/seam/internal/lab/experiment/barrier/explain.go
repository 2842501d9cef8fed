package barrier

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/barrier/cpuprofile"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

func explain(e *result.Experiment) {
	compare(e)
	f := analysis{lab.Analysis{Experiment: e}}
	f.stores()
	f.renewals()
	f.collections()
	f.pauses()
	f.profile()
	f.advice()
	f.notes()
	e.Charts = append(e.Charts, f.charts()...)
}

type analysis struct{ lab.Analysis }

// compare sets each collection with references against the one beside it without. What
// the numbers make no difference is the control.
func compare(e *result.Experiment) {
	for _, n := range sizes {
		for _, unit := range []string{unitWall, unitCPU, unitMark, unitPause} {
			margin := lab.Margin
			for _, k := range kinds { // none comes first
				s, beside := e.Find(costName(k.name, n, unit), unit), e.Find(besideName(k.name, n, unit), unit)
				if s == nil || beside == nil {
					continue
				}
				c := stats.Compare(blocks(s, beside), margin, 1)
				if c.Blocks == 0 {
					continue
				}
				if c.Verdict == stats.Same && (c.Lo < 1/(1+lab.Margin) || c.Hi > 1+lab.Margin) {
					c.Verdict = stats.Unproven // noise proves nothing
				}
				r := result.Comparison{Name: s.Name, Base: beside.Name, Unit: unit,
					Ratio: c.Ratio, Lo: c.Lo, Hi: c.Hi, Blocks: c.Blocks, Verdict: string(c.Verdict)}
				if k.name == kindNone {
					e.Controls = append(e.Controls, r)
					margin = max(margin, c.Ratio-1, 1/c.Ratio-1)
				} else {
					e.Comparisons = append(e.Comparisons, r)
				}
			}
		}
	}
	// Else lab compare would tell the machine's drift from the collections.
	for _, n := range sizes {
		if e.Find(restName(kindNone, n), "ns/op") != nil {
			e.Yardsticks = append(e.Yardsticks, restName(kindNone, n))
		}
	}
}

// A pair was measured next to each other.
type pair struct{ with, beside float64 }

// paired finds the pairs of two series, and for each the process that it is from.
func paired(s, beside *result.Series) (pairs []pair, rounds []int) {
	type place struct{ round, block int }
	at := map[place]float64{}
	for _, b := range beside.Samples {
		at[place{b.Round, b.Block}] = b.Value
	}
	for _, a := range s.Samples {
		if v, ok := at[place{a.Round, a.Block}]; ok {
			pairs, rounds = append(pairs, pair{a.Value, v}), append(rounds, a.Round)
		}
	}
	return pairs, rounds
}

func blocks(s, beside *result.Series) []stats.Block {
	var list []stats.Block
	pairs, rounds := paired(s, beside)
	for i, p := range pairs {
		if p.beside > 0 {
			list = append(list, stats.Block{Cluster: rounds[i], Ratio: p.with / p.beside})
		}
	}
	return list
}

// proven tells what a comparison has shown.
func (f analysis) proven(name, unit string) string {
	for _, c := range f.Comparisons {
		if c.Name == name && c.Unit == unit {
			return c.Verdict
		}
	}
	return ""
}

// typical is the number of references that stores and renewals are told of.
func (f analysis) typical(named func(string, int) string) int {
	for _, n := range []int{1000, 100_000, 10} {
		for _, k := range kinds {
			if f.Find(named(k.name, n), "ns/op") != nil {
				return n
			}
		}
	}
	return 0
}

func (f analysis) stores() {
	n := f.typical(markedName)
	rest, ok1 := f.Median(restName(kindGo, n), "ns/op")
	marked, ok2 := f.Median(markedName(kindGo, n), "ns/op")
	if !ok1 || !ok2 {
		return
	}
	text := fmt.Sprintf("Storing a Go pointer takes %s, and %s while the collector marks: that is the write barrier.", quantity.Time(rest), quantity.Time(marked))
	var with, without []string
	for _, k := range kinds {
		v, ok := f.Median(markedName(k.name, n), "ns/op")
		if !ok || k.name == kindGo || k.name == kindNone {
			continue
		}
		said := fmt.Sprintf("%s (%s)", words[k.name], quantity.Time(v))
		if v > (rest+marked)/2 {
			with = append(with, said)
		} else {
			without = append(without, said)
		}
	}
	if len(with) > 0 {
		text += " It is also paid for " + lab.List(with, "and") + ", where the collector finds nothing to do."
	}
	if len(without) > 0 {
		text += " It is not paid for " + lab.List(without, "and") + "."
	}
	f.Say(text)
}

func (f analysis) renewals() {
	n := f.typical(renewName)
	var said []string
	for _, k := range kinds {
		if v, ok := f.Median(renewName(k.name, n), "ns/op"); ok && k.name != kindNone {
			said = append(said, fmt.Sprintf("%s %s", words[k.name], quantity.Time(v)))
		}
	}
	if len(said) > 0 {
		f.Sayf("Dropping a reference and making another, with %s of them: %s.", quantity.Number(float64(n)), strings.Join(said, ", "))
	}
}

// words name kinds in a sentence.
var words = map[string]string{
	kindNone:      "numbers",
	kindGo:        "Go pointers",
	kindC:         "C pointers",
	kindOpaque:    "C pointers of an incomplete type",
	kindUintptr:   "C addresses as uintptr",
	kindCgoHandle: "cgo.Handle",
	kindMemHandle: "mem.Handles",
	kindPin:       "pins with a Pinner each",
	kindPinAll:    "pins of one Pinner",
	kindPool:      "registered buffers",
}

// measures are those of a collection.
var measures = []struct{ unit, more string }{{unitWall, "longer"}, {unitCPU, "more CPU"}, {unitMark, "more mark time"}}

// dearer tells what references have been shown to add to a collection. Where many things
// are compared, one measure may be taken in by chance: two of the three have to agree.
func (f analysis) dearer(kind string, n int) []string {
	var list []string
	for _, m := range measures {
		if f.proven(costName(kind, n, m.unit), m.unit) != string(stats.Slower) {
			continue
		}
		if more, ok := f.more(kind, n, m.unit); ok && more > 0 {
			list = append(list, quantity.Time(more)+" "+m.more)
		}
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

func (f analysis) collections() {
	var harmless []string // numbers of references
	for i := range sizes {
		n := sizes[len(sizes)-1-i]
		var dear, free []string
		for _, k := range kinds {
			if _, ok := f.more(k.name, n, unitWall); !ok || k.name == kindNone {
				continue
			}
			more := f.dearer(k.name, n)
			if len(more) == 0 {
				free = append(free, words[k.name])
				continue
			}
			if m, ok := f.Median(costName(k.name, n, unitMemory), unitMemory); ok {
				more = append(more, quantity.Bytes(m)+" of heap each")
			}
			dear = append(dear, fmt.Sprintf("%s (%s)", words[k.name], strings.Join(more, ", ")))
		}
		count := quantity.Tick(float64(n), "")
		switch {
		case len(dear) == 0 && len(free) > 0:
			harmless = append(harmless, count)
		case len(dear) > 0:
			text := fmt.Sprintf("%s references make a collection more expensive where they are %s.", count, lab.List(dear, "and"))
			if len(free) > 0 {
				text += fmt.Sprintf(" For %s that could not be shown.", lab.List(free, "and"))
			}
			f.Say(text)
		}
	}
	if len(harmless) > 0 {
		f.Sayf("With %s references no collection could be shown to cost more, whatever their kind.", strings.Join(harmless, " or "))
	}
}

// more is what the references cost beyond the collections next to them.
func (f analysis) more(kind string, n int, unit string) (float64, bool) {
	s, beside := f.Find(costName(kind, n, unit), unit), f.Find(besideName(kind, n, unit), unit)
	if s == nil || beside == nil {
		return 0, false
	}
	pairs, _ := paired(s, beside)
	if len(pairs) == 0 {
		return s.Median - beside.Median, true
	}
	list := make([]float64, len(pairs))
	for i, p := range pairs {
		list[i] = p.with - p.beside
	}
	return stats.Summarize(list, nil, 1).Median, true
}

func (f analysis) pauses() {
	worst, most, n := "", 0.0, sizes[len(sizes)-1]
	for _, k := range kinds {
		if m, ok := f.more(k.name, n, unitPause); ok && m > most && f.proven(costName(k.name, n, unitPause), unitPause) == string(stats.Slower) {
			worst, most = k.name, m
		}
	}
	if worst == "" {
		return
	}
	v, _ := f.Median(costName(worst, n, unitPause), unitPause)
	f.Sayf("The world is stopped longest with %s: %s a collection with %s of them, %s without.",
		words[worst], quantity.Time(v), quantity.Tick(float64(n), ""), quantity.Time(v-most))
}

func (f analysis) profile() {
	p := f.largest()
	if p == nil || p.Total() <= 0 {
		return
	}
	var said []string
	of := p.Of()
	for _, k := range []cpuprofile.Kind{cpuprofile.Barrier, cpuprofile.Mark, cpuprofile.Sweep} {
		if i := slices.Index(p.Kinds, k.String()); i >= 0 {
			said = append(said, fmt.Sprintf("%.0f %% %s", 100*of[i]/p.Total(), k))
		}
	}
	if len(said) > 0 {
		f.Sayf("Of the CPU time of a program that does nothing but store references (%s) while one collection follows another, %s.", p.Label, lab.List(said, "and"))
	}
}

// advice compares the ways for C to keep hold of Go objects: what one costs in a
// collection with many of them.
func (f analysis) advice() {
	n := sizes[len(sizes)-1]
	best, least := "", math.Inf(1)
	worst, most := "", math.Inf(-1)
	for _, k := range []string{kindCgoHandle, kindMemHandle, kindPin, kindPinAll} {
		m, ok := f.more(k, n, unitCPU)
		if !ok {
			m, ok = f.more(k, n, unitWall)
		}
		if !ok {
			continue
		}
		if m < least {
			best, least = k, m
		}
		if m > most {
			worst, most = k, m
		}
	}
	if best == worst {
		return
	}
	each := func(m float64) string {
		if m < float64(n) {
			return "less than 1 ns"
		}
		return quantity.Time(m / float64(n))
	}
	text := fmt.Sprintf("Where C holds on to many Go objects, %s are the cheapest in a collection (%s a reference) and %s the most expensive (%s).",
		words[best], each(least), words[worst], each(most))
	if r, ok := f.Median(renewName(best, f.typical(renewName)), "ns/op"); ok {
		text += fmt.Sprintf(" Dropping one and making another costs %s.", quantity.Time(r))
	}
	if best == kindPinAll {
		text += " A Pinner unpins all that it has pinned, or nothing."
	}
	f.Say(text)
	rest, ok1 := f.Median(markedName(kindUintptr, f.typical(markedName)), "ns/op")
	marked, ok2 := f.Median(markedName(kindC, f.typical(markedName)), "ns/op")
	if ok1 && ok2 && marked > 2*rest {
		f.Sayf("A table of C pointers that is written to often is better kept as uintptr, or with a type that C only declares: %s a store while the collector marks, not %s.",
			quantity.Time(rest), quantity.Time(marked))
	}
}

func (f analysis) notes() {
	for _, s := range f.Series {
		if s.Name == profileName && s.NotMeasured != "" {
			f.Notef("There is no flame graph: %s.", s.NotMeasured)
		}
	}
}
