package wake

import (
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

const unit = "ns/op"

func explain(e *result.Experiment) {
	a := lab.Analysis{Experiment: e}
	a.Headline(name("futex", rtt), unit, "to wake a thread and be woken by it")
	a.Advise(lab.Advice{Name: name("eventfd", rtt), Base: name("futex", rtt), Unit: unit,
		Slower: "Wake by futex, or by a flag that says who sleeps: eventfd against futex ",
		Faster: "Wake by eventfd: against futex ", Same: "Wake by what is at hand: eventfd takes, against futex, ",
	})
	a.Say(
		lab.Tell("There and back, against futexes: %s.", each(a, rtt)),
		lab.Tell("Told while nobody sleeps: %s.", each(a, signal)),
	)
	if len(e.Findings) > 0 {
		a.Note(lab.Tell("A thread that spins needs a processor of its own: where both threads share one, each look lasts until the kernel takes it away. A flag that says who sleeps saves the kernel's part while nobody does."))
	}
	table := &result.Table{Head: []string{"by", "there and back", "nobody sleeps"}}
	for _, by := range bys {
		a.Row(table, []string{by}, []lab.Cell{{Name: name(by, rtt), Unit: unit, Write: quantity.Time}, {Name: name(by, signal), Unit: unit, Write: quantity.Time}})
	}
	for _, op := range []string{rtt, signal} {
		var names []string
		for _, by := range bys {
			names = append(names, name(by, op))
		}
		a.Draw(a.Bars(result.Chart{Title: "Waking: " + titles[op], Unit: "ns"}, unit, names...))
	}
	a.Draw(result.Chart{Kind: result.Grid, Title: "Ways to wake", Table: table})
}

func each(a lab.Analysis, op string) lab.Part {
	var all []lab.Named
	for _, by := range bys {
		all = append(all, lab.Named{Name: name(by, op), Words: by})
	}
	return a.Each(unit, name("futex", op), all...)
}
