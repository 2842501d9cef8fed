package dlcall

import (
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

const unit = "ns/op"

func explain(e *result.Experiment) {
	a := lab.Analysis{Experiment: e}
	a.Headline(name("int2", viaDlLeaf), unit, "a C call without cgo, by package dl as a leaf")
	a.Advise(lab.Advice{Name: name("int2", viaDlLeaf), Base: name("int2", viaCgo), Unit: unit,
		Faster: "Cgo isn't needed to call C fast: package dl, a leaf, against cgo ",
		Slower: "Call C through cgo where the call's price counts: package dl, a leaf, against it ", Same: "Choose package dl or cgo by what is easier to build: a leaf of package dl takes, against cgo, ",
	})
	for _, k := range kinds {
		var list []lab.Named
		for _, via := range k.vias {
			list = append(list, lab.Named{Name: name(k.args, via), Words: viaLabels[via]})
		}
		a.Say(lab.Tell("A call with %s, against cgo: %s.", lab.Set(k.label), a.Each(unit, name(k.args, viaCgo), list...)))
	}
	a.Say(lab.Tell("Package dl with %s, against purego's RegisterFunc: %s.", lab.Set("2 integers"), a.Each(unit, name("int2", viaRegister),
		lab.Named{Name: name("int2", viaDlLeaf), Words: "as a leaf"}, lab.Named{Name: name("int2", viaDl), Words: "announced, so that C may block"})))
	if len(e.Findings) > 0 {
		a.Note(lab.Tell("RegisterFunc makes Go functions by reflection, which allocates on each call."))
	}
	table := &result.Table{Head: []string{"arguments"}}
	for _, via := range all {
		table.Head = append(table.Head, viaLabels[via])
	}
	for _, k := range kinds {
		var cells []lab.Cell
		var names []string
		for _, via := range all {
			cells = append(cells, lab.Cell{Name: name(k.args, via), Unit: unit, Write: quantity.Time})
		}
		for _, via := range k.vias {
			names = append(names, name(k.args, via))
		}
		a.Row(table, []string{k.label}, cells)
		if k.args == "int2" || k.args == "callback" {
			a.Draw(a.Bars(result.Chart{Title: "A call with " + k.label, Unit: "ns"}, unit, names...))
		}
	}
	a.Draw(result.Chart{Kind: result.Grid, Title: "A call of C", Table: table})
}
