package callback

import (
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

const unit = "ns/op"

// batchSize is how many items C collects.
const batchSize = 64

func explain(e *result.Experiment) {
	a := lab.Analysis{Experiment: e}
	figure := func(via string) lab.Part { return a.Figure(name(via), unit) }
	a.Headline(name(viaCgo), unit, "a callback exported by cgo")
	a.Headline(name(viaCoro), unit, "an upcall of a coroutine")
	a.Advise(lab.Advice{Name: name(viaCoro), Base: name(viaCgo), Unit: unit,
		Faster: "Run C that calls Go often as a coroutine (package coro): an upcall against a cgo callback ",
		Slower: "Stay with cgo callbacks: an upcall against one ", Same: "Stay with cgo callbacks: an upcall takes ",
	})
	a.Say(
		lab.Tell("A call from C into Go costs %s exported by cgo and %s as an upcall of a coroutine; upcall against cgo: %s.", figure(viaCgo), figure(viaCoro), a.Compare(name(viaCoro), name(viaCgo), unit)),
		lab.Tell("An upcall of a coroutine that is not locked to its thread, against a locked one: %s.", a.Each(unit, name(viaCoro), lab.Named{Name: name(viaFloating), Words: "Floating"})),
		lab.Tell("In batches of %s items, one item costs, against cgo: %s.", lab.Set(batchSize),
			a.Each(unit, name(viaCgoBatch), lab.Named{Name: name(viaCgoBatch), Words: "cgo"}, lab.Named{Name: name(viaCoroBatch), Words: "upcalls"})),
		lab.Tell("From a thread that Go did not start, against one on which Go called C: %s. Coroutines are not available there.",
			a.Each(unit, name(viaCgo), lab.Named{Name: name(viaCgoThread), Words: "exported by cgo"})),
		lab.Tell("A Go function that waits for another goroutine costs C, against cgo: %s.", a.Each(unit, name(viaCgoChannel),
			lab.Named{Name: name(viaCgoChannel), Words: "cgo"}, lab.Named{Name: name(viaCoroChannel), Words: "upcalls"}, lab.Named{Name: name(viaFloatingChannel), Words: "upcalls with Floating"})),
	)
	if len(e.Findings) > 0 {
		a.Note(lab.Tell("A goroutine that is locked to its thread is woken by the system, which is why upcalls of locked coroutines gain nothing where they wait."))
	}
	var names []string
	for _, w := range ways {
		names = append(names, name(w.via))
	}
	a.Draw(a.Bars(result.Chart{Title: "From C into Go and back, one item", Unit: "ns",
		Caption: "Batches: 64 items asked for at once, the time of one. Channel: the Go function waits for another goroutine."}, unit, names...))
}
