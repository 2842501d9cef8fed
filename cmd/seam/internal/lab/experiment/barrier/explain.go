package barrier

import (
	"fmt"
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
	f.charts()
}

type analysis struct{ lab.Analysis }

// typical is the number of references for which stores and renewals are reported.
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
	f.Say(lab.Sentence(fmt.Sprintf("Dropping a reference and making another, with %s of them: ", quantity.Number(float64(n))), said, ", ", "."))
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

// dearer says what references have been shown to add to a collection. Where so much is
// compared, chance may fool one measure: two of the three have to agree.
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
	for _, n := range slices.Backward(sizes) {
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
	f.Say(lab.Sentence("With ", harmless, " or ", " references no collection could be shown to cost more, whatever their kind."))
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
		f.Sayf("A program that does nothing but store references (%s) during back-to-back collections spends its CPU time as follows: %s.", p.Label, lab.List(said, "and"))
	}
}
