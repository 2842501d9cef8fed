package explain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// overview lists the C functions that the package calls.
func (k *pkg) overview() *Doc {
	d := &Doc{
		Kicker: k.ImportPath, Title: "How Go calls C here",
		Lead: fmt.Sprintf("The package calls %s.", quantity.Plural(len(k.functions), "C function")),
	}
	functions := slices.Clone(k.functions)
	if k.Trace != nil { // those that cost most first
		slices.SortStableFunc(functions, func(a, b cgofile.Function) int { return cmp.Compare(k.cost(b.Name), k.cost(a.Name)) })
	}
	t := &Table{
		Head: []string{"function", "args", "escape", "sites"}, Right: []bool{false, true, false, true},
		Code: []bool{true, false, false, false},
	}
	column := func(head string, right bool) {
		t.Head, t.Right, t.Code = append(t.Head, head), append(t.Right, right), append(t.Code, false)
	}
	if k.Plan != nil {
		column("plan", false)
	}
	if k.Trace != nil {
		column("calls", true)
		column("p50", true)
		column("in all", true)
	}
	weldable := 0
	var reasons [][]string
	for _, f := range functions {
		if why := k.cannot(f); why == "" {
			weldable++
		} else if !k.Standard && why != k.Off {
			reasons = append(reasons, []string{quotedName(f.Name), why})
		}
		t.Rows = append(t.Rows, k.overviewRow(f))
	}
	s := Section{Title: "The functions"}
	s.add(Block{Table: t})
	s.add(note("args: size in bytes of the struct that C gets. escape: whether what a parameter points to has to be on the heap; “–” if there is no pointer. sites: the places that call it in this package's cgo files."))
	if k.Trace != nil {
		s.add(note(fmt.Sprintf("calls, p50 and in all (time in C): from %s.", quantity.Printable(k.TraceName))))
	}
	d.Sections = append(d.Sections, s)

	s = Section{Title: "Welded"}
	switch {
	case k.Standard:
		s.add(prose("Packages of the standard library are not welded."))
	case k.Off != "":
		s.add(prose("Nothing can be welded here: " + k.Off + "."))
	case weldable == len(functions):
		s.add(prose("All of them have a form that can be welded. seam plan says which of them may be leaves."))
	default:
		s.add(prose(fmt.Sprintf("%d of %d have a form that can be welded. seam plan says which of them may be leaves. The others:", weldable, len(functions))))
		s.add(Block{Table: &Table{Head: []string{"function", "because"}, Right: []bool{false, false}, Code: []bool{true, false}, Wide: 1, Rows: reasons}})
	}
	s.add(note(fmt.Sprintf("How a call travels: seam explain %s.%s", k.ImportPath, quotedName(functions[0].Name))))
	d.Sections = append(d.Sections, s)
	return d
}

func (k *pkg) cost(name string) uint64 {
	if f := k.traced(name); f != nil {
		return f.TotalNS
	}
	return 0
}

func (k *pkg) overviewRow(f cgofile.Function) []string {
	size, escape := quantity.Missing, quantity.Missing
	if l, err := k.layout(k.stubs(f.Name)[0]); err == nil {
		size = fmt.Sprintf("%d B", l.Size)
		if len(l.Pointers()) > 0 {
			escape = "yes"
		}
	} else {
		escape = "?"
	}
	if f.NoEscape && escape == "yes" {
		escape = "no"
	}
	row := []string{k.signature(f), size, escape, fmt.Sprint(len(k.sites[f.Name]))}
	if k.Plan != nil {
		mode := quantity.Missing
		if e := k.entry(f.Name); e != nil {
			mode = e.Word()
		}
		row = append(row, mode)
	}
	if k.Trace != nil {
		t := k.traced(f.Name)
		if t == nil || t.Calls == 0 {
			return append(row, "0", quantity.Missing, quantity.Missing)
		}
		row = append(row, quantity.Compact(float64(t.Calls)), quantity.Time(float64(t.P50NS)), quantity.Time(float64(t.TotalNS)))
	}
	return row
}
