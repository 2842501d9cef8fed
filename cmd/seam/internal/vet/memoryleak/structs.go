package memoryleak

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/ownership"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// structLeaks is for memory in a field of a struct that stays in the function, which doesn't free
// it, though others of the package free that field of theirs.
func (s site) structLeaks(u flow.Use) {
	fn := flow.Function(s.Package, s.call)
	if fn == nil || u.Kind != flow.Stored || u.To == nil || !u.To.IsField() {
		return
	}
	v := s.structOf(u)
	if v == nil || v.IsField() || v.Pos() < flow.Body(fn).Pos() || fn.End() < v.Pos() || isParameter(s.Package, fn, v) || !s.isOwn(fn, v) {
		return
	}
	doubt := ""
	whole := flow.Follow(s.Package, fn, v)
	for id, use := range whole.InOrder() {
		if sel, ok := s.Parent(id).(*ast.SelectorExpr); ok && sel.X == id {
			if field, ok := s.Info.Uses[sel.Sel].(*types.Var); ok && field.IsField() {
				if field == u.To && s.memberGone(fn, sel, &doubt) {
					return
				}
				continue
			}
		}
		switch use.Kind {
		case flow.Read, flow.Changed:
		case flow.Moved:
			if use.To == nil || use.To.Pos() < flow.Body(fn).Pos() || fn.End() < use.To.Pos() {
				return
			}
		case flow.ToC:
			if s.wholeGone(use.Name, use.Arg, &doubt) {
				return
			}
		case flow.Lost:
			name, arg, ok := s.addressToC(id)
			if !ok || s.wholeGone(name, arg, &doubt) {
				return
			}
		default:
			return
		}
	}
	unless := ""
	if doubt != "" {
		unless = fmt.Sprintf(", unless C.%s does", doubt)
	}
	s.report(s.severity(doubt != ""), fmt.Sprintf("is stored in %s.%s, which is not freed in this function%s", v.Name(), u.To.Name(), unless), nil)
}

// isOwn reports whether a variable is a struct, or the only pointer to one that the function makes.
func (s site) isOwn(fn ast.Node, v *types.Var) bool {
	if _, ok := types.Unalias(v.Type()).Underlying().(*types.Struct); ok {
		return true
	}
	made, other := false, false
	note := func(e ast.Expr) {
		switch x := ast.Unparen(e).(type) {
		case *ast.UnaryExpr:
			_, lit := ast.Unparen(x.X).(*ast.CompositeLit)
			made, other = made || lit, other || !lit
		case *ast.CallExpr:
			isNew := s.IsBuiltin(x, "new")
			made, other = made || isNew, other || !isNew
		default:
			other = true
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if s.Variable(l) != v {
					continue
				}
				if len(n.Lhs) != len(n.Rhs) {
					other = true
				} else {
					note(n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if s.Info.Defs[name] == v && i < len(n.Values) {
					note(n.Values[i])
				}
			}
		case *ast.RangeStmt:
			other = other || n.Value != nil && s.Variable(n.Value) == v
		}
		return true
	})
	return made && !other
}

// structOf is the variable whose field a use stores in.
func (s site) structOf(u flow.Use) *types.Var {
	switch into := ast.Unparen(u.Into).(type) {
	case *ast.SelectorExpr:
		return s.Variable(into.X)
	case *ast.CompositeLit:
		var e ast.Expr = into
		if a, ok := s.Parent(into).(*ast.UnaryExpr); ok && a.Op == token.AND {
			e = a
		}
		switch p := s.Parent(e).(type) {
		case *ast.AssignStmt:
			if len(p.Lhs) == len(p.Rhs) {
				if i := slices.Index(p.Rhs, e); i >= 0 {
					return s.Variable(p.Lhs[i])
				}
			}
		case *ast.ValueSpec:
			if i := slices.Index(p.Values, e); i >= 0 && i < len(p.Names) {
				return s.Variable(p.Names[i])
			}
		}
	}
	return nil
}

// memberGone reports whether a use of the field frees what it holds, or lets it get away.
func (s site) memberGone(fn ast.Node, sel *ast.SelectorExpr, doubt *string) bool {
	u := flow.UseOf(s.Package, sel)
	if u.Kind == flow.Changed {
		return false
	}
	all := []flow.Use{u}
	if u.Kind == flow.Moved {
		all = nil
		for _, use := range flow.Follow(s.Package, fn, u.To).InOrder() {
			all = append(all, use)
		}
	}
	for _, use := range all {
		switch s.Owns.Effect(use) {
		case ownership.Released, ownership.Escaped:
			return true
		case ownership.Doubtful:
			*doubt = use.Name
		}
	}
	return false
}

// addressToC is the C function that is given the address of a whole variable.
func (s site) addressToC(id *ast.Ident) (name string, arg int, ok bool) {
	a, ok := s.Parent(id).(*ast.UnaryExpr)
	if !ok || a.Op != token.AND {
		return "", 0, false
	}
	u := flow.UseOf(s.Package, a)
	return u.Name, u.Arg, u.Kind == flow.ToC
}

// wholeGone reports whether a C function that gets a struct may free what is in it, or keep it.
func (s site) wholeGone(name string, arg int, doubt *string) bool {
	fate, lower := s.C.Fate(name, arg), strings.ToLower(name)
	for _, w := range []string{"clear", "reset", "term", "deinit", "uninit"} { // of structs, beside those of FreesByName
		if fate.Unknown && strings.Contains(lower, w) {
			return true
		}
	}
	if fate.Frees || fate.Keeps || fate.Returns || s.C.Reaches(name, s.fields.mayFreeMembers) != nil {
		return true
	}
	if fate.Unknown && !s.C.Const(name, arg) {
		*doubt = name
	}
	return false
}

func isParameter(p *source.Package, fn ast.Node, v *types.Var) bool {
	var lists []*ast.FieldList
	switch f := fn.(type) {
	case *ast.FuncDecl:
		lists = []*ast.FieldList{f.Recv, f.Type.Params, f.Type.Results}
	case *ast.FuncLit:
		lists = []*ast.FieldList{f.Type.Params, f.Type.Results}
	}
	for _, l := range lists {
		if l != nil && l.Pos() <= v.Pos() && v.Pos() < l.End() {
			return true
		}
	}
	return false
}
