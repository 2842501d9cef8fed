package explain

import (
	"fmt"
	"path/filepath"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
)

// cString shows what C.CString does, which calls C for malloc alone.
func (k *pkg) cString() (*Doc, error) {
	s, err := k.gen.Strings()
	if err != nil {
		return nil, err
	}
	d := &Doc{Kicker: k.ImportPath, Title: "What C.CString does"}
	now := Section{Title: "As cgo has it"}
	now.add(prose("It calls malloc, a crossing, and copies the string and a 0 byte there in Go. C.free is another crossing."))
	welded := Section{Title: "What it becomes when welded"}
	line := fmt.Sprintf("reuse %s.%s", k.ImportPath, cgofile.CString)
	const what = "strings of less than 512 bytes that are freed by the function that makes them lie in blocks of malloc's which Go keeps when they are freed, for the next ones: no malloc, no free, and no crossing for them"
	if e := k.entry(cgofile.CString); e != nil && e.Mode == plan.Reuse {
		welded.add(prose(fmt.Sprintf("The plan has it reuse (%s:%d): %s.", k.Plan.Name, e.Line, what)))
	} else {
		welded.add(prose("The same, or with leaf lines for _CMalloc and free two short calls. With the line \"" + line + "\" in seam.plan, " + what + "."))
	}
	if len(s.Frees) > 0 {
		t := &Table{Head: []string{"C.free of such a string"}, Right: []bool{false}, Code: []bool{true}}
		for _, p := range s.Frees {
			t.Rows = append(t.Rows, []string{fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)})
		}
		welded.add(Block{Table: t})
	}
	welded.add(note(fmt.Sprintf("Calls of C.CString in the package: %d, of such strings: %d. Their variable gets the string when it is declared, C.free is called with it, it is not assigned to again, and its address is not taken.", s.Made, s.Freed)))
	d.Sections = []Section{now, welded}
	return d, nil
}
