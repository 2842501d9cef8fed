package memoryleak

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/ownership"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
	"github.com/seamgo/seam/cmd/seam/internal/weld/callgraph"
)

// fields knows which fields of structs are ever freed, or handed to somebody who may.
type fields struct {
	*rule.Pass
	exports map[string]bool
	freed   map[*types.Var]bool
	handed  map[*types.Var]string    // the C function, of which nothing is known, that gets what a field holds
	types   map[*types.TypeName]bool // structs of C that a C function frees as a whole
}

func newFields(p *rule.Pass) *fields {
	f := &fields{p, p.Exports(), map[*types.Var]bool{}, map[*types.Var]string{}, map[*types.TypeName]bool{}}
	for _, file := range p.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if v, ok := p.Info.Uses[n.Sel].(*types.Var); ok && v.IsField() {
					if f.mayFree(n) {
						f.freed[v] = true
					} else if u := flow.UseOf(p.Package, n); p.Owns.Effect(u) == ownership.Doubtful || p.Owns.Asks(u) {
						f.handed[v] = u.Name
					}
				}
			case *ast.CallExpr:
				if name, ok := p.CCall(n); ok && name != "free" {
					f.wholeTo(name, n)
				}
			}
			return true
		})
	}
	return f
}

// mayFree reports whether a use of a field can be the one that frees what it holds.
func (f *fields) mayFree(sel *ast.SelectorExpr) bool {
	u := flow.UseOf(f.Package, sel)
	switch f.Owns.Effect(u) {
	case ownership.Released, ownership.Escaped:
		return true
	}
	if u.Kind == flow.Moved {
		fn := flow.Function(f.Package, sel)
		if fn == nil {
			return true
		}
		for _, u := range flow.Follow(f.Package, fn, u.To).Uses {
			switch f.Owns.Effect(u) {
			case ownership.Released, ownership.Escaped:
				return true
			}
		}
	}
	if index, ok := f.Parent(sel).(*ast.IndexExpr); ok && index.X == sel {
		switch f.Owns.Effect(flow.UseOf(f.Package, index)) {
		case ownership.Released, ownership.Escaped:
			return true
		}
	}
	r, ranged := f.Parent(sel).(*ast.RangeStmt)
	return ranged && r.X == sel
}

// wholeTo notes the struct types that are given to a C function which may free what is in them.
func (f *fields) wholeTo(name string, call *ast.CallExpr) {
	for i, a := range call.Args {
		t := f.Info.TypeOf(flow.Strip(f.Package, a))
		if t == nil {
			continue
		}
		n := source.Named(t)
		if n == nil {
			continue
		}
		if f.onlyAsksGo(name) {
			continue
		}
		if fate := f.C.Fate(name, i); fate.Frees || fate.Keeps || f.C.Reaches(name, f.mayFreeMembers) != nil {
			f.types[n.Obj()] = true
		}
	}
}

// mayFreeMembers reports whether a C function may free what members of its argument point to:
// by its name, unless its body is seen and calls nothing through a pointer.
func (f *fields) mayFreeMembers(name string) bool {
	if fn := f.C.Func(name); fn != nil && fn.Defined {
		return fn.Indirect && flow.FreesByName(name)
	}
	return flow.FreesByName(name)
}

// onlyAsksGo reports whether a C function frees nothing itself, but calls through a pointer, in
// a package that exports Go functions: what those free is seen.
func (f *fields) onlyAsksGo(name string) bool {
	fn := f.C.Func(name)
	if fn == nil || !fn.Defined || !fn.Indirect || len(f.exports) == 0 {
		return false
	}
	return f.C.Reaches(name, func(c string) bool {
		if g := f.C.Func(c); g != nil && g.Defined {
			return false
		}
		switch callgraph.ClassOf(c) {
		case callgraph.Harmless, callgraph.NoReturn:
			return false
		}
		return true
	}) == nil
}

// check reports memory that is stored in a field which nothing ever frees, and whether it did.
func (f *fields) check(s site, u flow.Use) bool {
	if u.Kind != flow.Stored || u.To == nil || !u.To.IsField() || f.freed[u.To] || u.To.Exported() && !source.IsC(u.To.Type()) {
		return false
	}
	owner := f.owner(u.Into)
	if owner == nil || f.types[owner] {
		return false
	}
	severity := s.severity(false)
	if source.IsC(owner.Type()) || owner.Pkg() != f.Types {
		severity = s.severity(true) // C may free it with the struct
		if s.answersC() {
			severity = rule.Note
		}
	}
	what := fmt.Sprintf("is stored in field %s, which nothing in this package frees", u.To.Name())
	if to := f.handed[u.To]; to != "" {
		what += fmt.Sprintf(", unless C.%s takes it over", to)
		if severity = s.severity(true); !s.isText() {
			severity = rule.Note // a buffer is handed over more often than a string
		}
	}
	s.report(severity, what, nil)
	return true
}

// checkList reports memory that is stored in a list of a field, of which nothing ever frees an
// element.
func (f *fields) checkList(s site, u flow.Use) {
	if u.To.Exported() {
		return // a user of the package may free them
	}
	if owner := f.owner(u.Into); owner == nil || owner.Pkg() != f.Types || f.types[owner] {
		return
	}
	s.fieldListLeaks(u.To)
}

// isText reports whether the memory is a copy of a string or slice of Go's.
func (s site) isText() bool {
	name, ok := s.CCall(s.call)
	return ok && (name == "CString" || name == "CBytes")
}

// answersC reports whether the memory is made in a function that C calls: what that puts into a
// struct of C is often C's to free.
func (s site) answersC() bool {
	d, ok := s.Enclosing(s.call, func(n ast.Node) bool { _, ok := n.(*ast.FuncDecl); return ok }).(*ast.FuncDecl)
	return ok && s.fields.exports[d.Name.Name]
}

// owner is the struct type that a place belongs to.
func (f *fields) owner(into ast.Expr) *types.TypeName {
	for {
		switch x := ast.Unparen(into).(type) {
		case *ast.IndexExpr:
			into = x.X
			continue
		case *ast.SelectorExpr:
			into = x.X
		}
		break
	}
	if t := f.Info.TypeOf(into); t != nil {
		if n := source.Named(t); n != nil {
			return n.Obj()
		}
	}
	return nil
}
