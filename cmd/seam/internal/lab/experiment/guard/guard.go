// Package guard shows what the guard of a welded program is for and what it
// costs.
package guard

import (
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Experiment is `seam lab guard`.
var Experiment = lab.Experiment{
	Name:  "guard",
	Title: "What does a leaf that is too slow do to the garbage collector, and what does the guard do about it?",
	About: "A goroutine calls a C function that keeps its CPU busy for a millisecond, again and again, while another one collects garbage; " +
		"what is measured is the pause of a collection: the time from the request to stop the world until it runs again, both stops together. " +
		"A function called through cgo does not hold up a stop; one that the plan wrongly calls leaf does, until it returns. " +
		"With the guard the function is called through cgo as soon as three of its calls have exceeded its budget of 20 µs. " +
		"The guard's own cost is measured on an empty C function, called as a leaf with and without it; both wrappers and the guard's code are those of a welded program.",
	Cases:   cases,
	Explain: explain,
}

// How C is called.
const (
	viaCgo     = "cgo"
	viaLeaf    = "leaf"
	viaGuarded = "guarded"
)

var labels = map[string]string{
	viaCgo:     "through cgo",
	viaLeaf:    "leaf, no guard",
	viaGuarded: "leaf, guarded",
}

func priceName(via string) string { return "Guard/what=price/via=" + via }
func pauseName(via string) string { return "Guard/what=pause/via=" + via }
func worstName(via string) string { return "Guard/what=longest-pause/via=" + via }

// collections is how many pauses a process looks at.
func collections(mode lab.Mode) int {
	return lab.ByMode(mode, 15, 60, 300)
}

func cases(lab.Mode) []lab.Case {
	var list []lab.Case
	for _, via := range []string{viaLeaf, viaGuarded, viaCgo} {
		list = append(list, lab.Case{
			Name: priceName(via), Label: "empty function, " + labels[via],
			Group: "price", Base: via == viaLeaf,
			Setup: func() (*lab.Op, error) { return setupPrice(via) },
		})
	}
	for _, via := range []string{viaCgo, viaLeaf, viaGuarded} {
		list = append(list, lab.Case{
			Name: pauseName(via), Label: "collector's pause beside a slow function, " + labels[via],
			Probe: probePause(via),
		})
	}
	return list
}

func explain(e *result.Experiment) {
	a := lab.Analysis{Experiment: e}
	named := func(of func(string) string, via string) lab.Named {
		return lab.Named{Name: of(via), Words: labels[via]}
	}
	a.Advise(
		lab.Advice{Name: pauseName(viaLeaf), Base: pauseName(viaCgo), Unit: "ns",
			Slower: "Call slow C through cgo, and keep the guard on while you test: a collection's pause beside slow leaf calls, against cgo, ",
		},
		lab.Advice{Name: priceName(viaGuarded), Base: priceName(viaLeaf), Unit: "ns/op",
			Slower: "Keep the guard on while you test: a leaf call with it, against one without, ", Same: "Keep the guard on: a leaf call with it, against one without, takes ",
		},
	)
	a.Say(
		lab.Tell("Next to a slow C function that should not be a leaf, a collection stops the program for, against cgo: %s.", a.Each("ns", pauseName(viaCgo),
			named(pauseName, viaCgo), named(pauseName, viaLeaf), named(pauseName, viaGuarded))),
		lab.Tell("A leaf call with the guard, against one without (%s): %s.", a.Figure(priceName(viaLeaf), "ns/op"),
			a.Each("ns/op", priceName(viaLeaf), lab.Named{Name: priceName(viaGuarded), Words: "guarded"})),
	)
	a.Draw(a.Bars(result.Chart{Title: "Pause of a collection next to a C function of 1 ms", Unit: "ns",
		Caption: "The median over collections; the function is called again and again."}, "ns", pauseName(viaCgo), pauseName(viaLeaf), pauseName(viaGuarded)))
}
