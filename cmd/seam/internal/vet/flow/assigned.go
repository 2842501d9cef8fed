package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Assigned reports whether a node gives the variable itself another value.
func Assigned(p *source.Package, n ast.Node, v *types.Var) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return slices.ContainsFunc(n.Lhs, func(l ast.Expr) bool { return p.Variable(l) == v })
	case *ast.ValueSpec:
		return slices.ContainsFunc(n.Names, func(l *ast.Ident) bool { return p.Info.Defs[l] == v })
	case *ast.Ident: // the variable of a range
		return p.Info.Defs[n] == v
	}
	return false
}

// Gets reports whether a call is given what a variable holds.
func Gets(p *source.Package, call *ast.CallExpr, v *types.Var) bool {
	return slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return p.Variable(Strip(p, a)) == v })
}

// GivesBack reports whether a variable gets what a C function makes of its value.
func GivesBack(p *source.Package, n ast.Node, v *types.Var) bool {
	for call := range p.CCallsIn(n) {
		if Gets(p, call, v) {
			return true
		}
	}
	return false
}

// Unset reports whether a variable was declared without a value and not used before a call, but for
// comparisons.
func Unset(p *source.Package, v *types.Var, call *ast.CallExpr) bool {
	declared, used := false, false
	for n := range ast.Preorder(Function(p, call)) {
		switch n := n.(type) {
		case *ast.ValueSpec:
			declared = declared || len(n.Values) == 0 && Assigned(p, n, v)
		case *ast.Ident:
			used = used || p.Info.Uses[n] == v && n.Pos() < call.Pos() && !compared(p, n)
		}
	}
	return declared && !used
}

func compared(p *source.Package, id *ast.Ident) bool {
	b, ok := p.Parent(id).(*ast.BinaryExpr)
	return ok && (b.Op == token.EQL || b.Op == token.NEQ)
}
