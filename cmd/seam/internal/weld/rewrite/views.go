package rewrite

import (
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf"
)

// selected reports whether the plan has a line for a helper of cgo's in the package.
func selected(p *cgofile.Package, helper string) bool {
	return slices.ContainsFunc(p.Selected, func(f cgofile.Function) bool { return f.Name == helper })
}

// cannotView says why it can't; "" if it can.
func cannotView(p *cgofile.Package) string {
	if p.Gotypes.GoString {
		return ""
	}
	return "the package doesn't use C.GoString, or cgo wrote it in a form that this version of seam doesn't know"
}

// findFixed has C note where strings may stay.
func (l *Leaves) findFixed(p *cgofile.Package) error {
	if selected(p, cgofile.GoString) {
		p.Export().Insert("#include \"" + leaf.ViewName + "\"\n")
	}
	return nil
}

// viewStrings has Go look there. What lies elsewhere is copied as ever.
func (l *Leaves) viewStrings(p *cgofile.Package) error {
	if selected(p, cgofile.GoString) {
		p.Gotypes.EnterGoString(importC("_seam_fixed_v1"), `
	if s, ok := _seam_View(unsafe.Pointer(&__seam_fixed_v1), unsafe.Pointer(p)); ok {
		return s
	}`)
	}
	return nil
}
