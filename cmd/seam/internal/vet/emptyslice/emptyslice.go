// Package emptyslice finds the address of a slice's first element where there may be none.
package emptyslice

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "empty-slice",
	Title:    "the address of element 0 of a slice that a caller gives: an empty one panics",
	Severity: rule.Note,
	Since:    "0.9",
	Doc: `&s[0] panics if s is empty, where C would have been told that there are 0 elements and have done
nothing.

Before:

	C.select_ids((*C.int64_t)(unsafe.Pointer(&ids[0])), C.size_t(len(ids)))

After:

	C.select_ids((*C.int64_t)(unsafe.Pointer(unsafe.SliceData(ids))), C.size_t(len(ids)))

It is a note, once for a function, where a parameter of an exported function, a slice of Go's types,
goes to C so together with its length, and the function nowhere looks at that length. Whether callers give empty ones isn't known.`,
	Run: run,
}

func run(p *rule.Pass) {
	p.Functions(func(d *ast.FuncDecl) {
		if !d.Name.IsExported() {
			return
		}
		found := false
		ast.Inspect(d.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || found {
				return !found
			}
			name, ok := p.CCall(call)
			if !ok {
				return true
			}
			for _, a := range call.Args {
				if v := firstOf(p, a); v != nil && p.Values.Fixed(v) && withLength(p, call, v) && !looks(p, d, v) {
					found = true
					p.Reportf(a, rule.Note, "&%s[0] panics if %s is empty, before C.%s is told that its length is 0: unsafe.SliceData(%s) doesn't", v.Name(), v.Name(), name, v.Name())
					return false
				}
			}
			return true
		})
	})
}

// firstOf is the slice whose first element's address an argument is.
func firstOf(p *rule.Pass, a ast.Expr) *types.Var {
	u, ok := flow.Strip(p.Package, a).(*ast.UnaryExpr)
	if !ok || u.Op != token.AND {
		return nil
	}
	i, ok := ast.Unparen(u.X).(*ast.IndexExpr)
	if !ok {
		return nil
	}
	if v := p.Info.Types[i.Index].Value; v == nil || v.ExactString() != "0" {
		return nil
	}
	v := p.Variable(i.X)
	if v == nil {
		return nil
	}
	s, slice := types.Unalias(v.Type()).Underlying().(*types.Slice)
	if !slice || source.IsC(s.Elem()) {
		return nil // who has C's own types at hand knows what C wants
	}
	return v
}

func withLength(p *rule.Pass, call *ast.CallExpr, v *types.Var) bool {
	for _, a := range call.Args {
		if l, ok := flow.Strip(p.Package, a).(*ast.CallExpr); ok && p.IsBuiltin(l, "len") && p.Variable(l.Args[0]) == v {
			return true
		}
	}
	return false
}

// looks reports whether a function compares the length of a slice, or the slice with nil, or does
// something for each element.
func looks(p *rule.Pass, d *ast.FuncDecl, v *types.Var) bool {
	found := false
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			for _, e := range []ast.Expr{n.X, n.Y} {
				l, ok := flow.Strip(p.Package, e).(*ast.CallExpr)
				found = found || p.Variable(e) == v || ok && p.IsBuiltin(l, "len") && p.Variable(l.Args[0]) == v
			}
		case *ast.SwitchStmt:
			found = found || n.Tag != nil && source.Text(n.Tag) == "len("+v.Name()+")"
		case *ast.CallExpr: // a length that is kept and compared later
			if a, ok := p.Parent(n).(*ast.AssignStmt); ok && p.IsBuiltin(n, "len") && len(n.Args) == 1 && p.Variable(n.Args[0]) == v && len(a.Lhs) == 1 {
				found = true
			}
		}
		return !found
	})
	return found
}
