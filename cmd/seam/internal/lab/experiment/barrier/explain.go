package barrier

import (
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

func explain(e *result.Experiment) {
	compare(e)
	f := analysis{lab.Analysis{Experiment: e}}
	f.Headline(markedName(kindGo, f.typical(markedName)), "ns/op", "to store a Go pointer during a collection")
	if n := f.typical(renewName); n > 0 {
		f.Advise(lab.Advice{Name: renewName(kindMemHandle, n), Base: renewName(kindCgoHandle, n), Unit: "ns/op",
			Faster: "Keep Go values for C in mem.Handles: dropping one and making another, against cgo.Handle, ",
			Slower: "Stay with cgo.Handle: mem.Handles against it ", Same: "Stay with cgo.Handle: mem.Handles against it ",
		})
	}
	f.Say(f.stores(), f.renewals())
	for _, n := range slices.Backward(sizes) {
		f.Say(f.collections(n))
	}
	f.Say(f.pauses())
	if len(e.Findings) > 0 {
		f.Note(lab.Tell("A write barrier is also paid for C pointers, where the collector finds nothing to do, unless they are kept as uintptr or are of a type that C only declares. A Pinner unpins everything that it has pinned, or nothing."))
	}
	for _, s := range f.Series {
		if s.Name == profileName && s.NotMeasured != "" {
			f.Note(lab.Tell("There is no flame graph: %s.", lab.Set(s.NotMeasured)))
		}
	}
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

// stores compares a store while the collector marks with one at rest: what is dearer is
// the write barrier.
func (f analysis) stores() lab.Sentence {
	n := f.typical(markedName)
	var all []lab.Named
	for _, k := range kinds {
		if k.name != kindNone {
			all = append(all, lab.Named{Name: markedName(k.name, n), Words: words[k.name], Base: restName(k.name, n)})
		}
	}
	return lab.Tell("Storing a reference while the collector marks takes, against the same store at rest: %s.", f.Each("ns/op", "", all...))
}

func (f analysis) renewals() lab.Sentence {
	n := f.typical(renewName)
	var all []lab.Named
	for _, k := range kinds {
		if k.name != kindNone {
			all = append(all, lab.Named{Name: renewName(k.name, n), Words: words[k.name]})
		}
	}
	return lab.Tell("Dropping a reference and making another takes, against cgo.Handle: %s.", f.Each("ns/op", renewName(kindCgoHandle, n), all...))
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

// collections compares collections with n references with those beside them without.
func (f analysis) collections(n int) lab.Sentence {
	return lab.Tell("With %s references a collection takes, against the ones beside it without: %s.", lab.Set(refs(n)), f.beside(n, unitWall))
}

func (f analysis) pauses() lab.Sentence {
	n := sizes[len(sizes)-1]
	return lab.Tell("With %s references the world is stopped for, against the collections beside it without: %s.", lab.Set(refs(n)), f.beside(n, unitPause))
}

func (f analysis) beside(n int, unit string) lab.Part {
	var all []lab.Named
	for _, k := range kinds {
		if k.name != kindNone {
			all = append(all, lab.Named{Name: costName(k.name, n, unit), Words: words[k.name], Base: besideName(k.name, n, unit)})
		}
	}
	return f.Each(unit, "", all...)
}
