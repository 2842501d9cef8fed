package rewrite

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/nearest"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
)

// A Mistake is one in the plan, found when a package was built.
type Mistake struct{ err error }

func (m *Mistake) Error() string { return m.err.Error() }
func (m *Mistake) Unwrap() error { return m.err }

// selectFunctions selects those functions of this package that the plan welds and that can
// be welded.
func (l *Leaves) selectFunctions(p *cgofile.Package) error {
	known := map[string]cgofile.Function{}
	for _, f := range p.Functions() {
		known[f.Name] = f
	}
	var errs []error
	chosen := map[string]bool{}
	weld := func(f cgofile.Function) {
		switch {
		case l.Off != "":
			p.Skip(f.Name, l.Off)
		case f.Reason != "":
			p.Skip(f.Name, f.Reason)
		default:
			chosen[f.Name] = true
		}
	}
	for _, e := range l.Plan.Entries {
		if e.Package != p.ImportPath {
			continue
		}
		switch e.Func { // cgo's own
		case cgofile.GoString:
			known[e.Func] = cgofile.Function{Name: e.Func, Reason: cannotView(p)}
		case cgofile.CString:
			known[e.Func] = cgofile.Function{Name: e.Func, Reason: cannotReuse(p)}
		}
		f, ok := known[e.Func]
		wrong := func(format string, a ...any) {
			errs = append(errs, fmt.Errorf("%s:%d: %s: %s", l.Plan.Name, e.Line, e.Path(), fmt.Sprintf(format, a...)))
		}
		switch {
		case !ok:
			wrong("the package calls no C function of this name%s; fix the line, or make the plan again with: seam plan", didYouMean(e.Func, known))
		case e.Mode == plan.Cgo:
		case e.Mode == plan.Leaf && f.TakesCallback():
			wrong("it takes a C function pointer, through which it can call Go (%s), so it can't be a leaf; write coro, or cgo", f.Signature())
		case l.Off == "" && f.Reason == "" && e.Sig != "" && e.Sig != f.Sig():
			p.Skip(e.Func, fmt.Sprintf("its signature has changed since the plan was made: it is %s now; make the plan again with: seam plan", f.Signature()))
		case e.Mode == plan.Coro && cannotCallGo(f) != "":
			p.Skip(e.Func, cannotCallGo(f))
		case e.Mode == plan.Park && cannotPark(f) != "":
			p.Skip(e.Func, cannotPark(f))
		default:
			weld(f)
		}
	}
	for _, f := range p.Functions() {
		if l.Counts(p.ImportPath, f.Name) && !l.Has(p.ImportPath, f.Name) {
			weld(f)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return &Mistake{err}
	}
	if len(chosen) == 0 {
		return cgofile.ErrSkipRest
	}
	for _, f := range p.Functions() {
		if chosen[f.Name] {
			p.Selected = append(p.Selected, f)
		}
	}
	for _, helper := range []string{cgofile.GoString, cgofile.CString} {
		if chosen[helper] {
			p.Selected = append(p.Selected, known[helper])
		}
	}
	return nil
}

func didYouMean(name string, known map[string]cgofile.Function) string {
	near := nearest.Names(name, slices.Sorted(maps.Keys(known)))
	if len(near) == 0 {
		return ""
	}
	return " (did you mean " + near[0] + "?)"
}
