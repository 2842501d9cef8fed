package explain

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
)

// goString shows what C.GoString does, which calls no C.
func (k *pkg) goString() *Doc {
	d := &Doc{Kicker: k.ImportPath, Title: "What C.GoString does"}
	copies := Section{Title: "As cgo has it"}
	copies.add(prose("It makes no C call. Go's runtime looks for the first 0 byte, allocates as many bytes on Go's heap as are before it, and copies them."))
	view := Section{Title: "What it becomes when welded"}
	line := fmt.Sprintf("view %s.%s", k.ImportPath, cgofile.GoString)
	if e := k.entry(cgofile.GoString); e != nil && e.Mode == plan.View {
		view.add(prose(fmt.Sprintf("The plan has it a view (%s:%d). It first looks whether the string lies in memory that can neither change nor go away: the constants of the program's file, of the libraries that were loaded with it, and of those that are never unloaded. There the result is the string itself: no copy, no allocation. Any other is copied as ever; looking costs a few nanoseconds.", k.Plan.Name, e.Line)))
	} else {
		view.add(prose("The same. With the line \"" + line + "\" in seam.plan, strings that can neither change nor go away are not copied: the constants of the program's file, of the libraries that were loaded with it, and of those that are never unloaded."))
	}
	names := []string(nil)
	for _, f := range k.functions {
		if f.Result == "*_Ctype_char" {
			names = append(names, f.Name)
		}
	}
	if len(names) > 0 {
		t := &Table{Head: []string{"returns char *"}, Right: []bool{false}, Code: []bool{true}}
		for _, n := range names {
			t.Rows = append(t.Rows, []string{quotedName(n)})
		}
		view.add(Block{Table: t})
		view.add(note(fmt.Sprintf("%s of this package could return constants; which do, their types don't say.", quantity.Plural(len(names), "function"))))
	}
	d.Sections = []Section{copies, view}
	return d
}
