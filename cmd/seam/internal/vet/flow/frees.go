package flow

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Destroys reports whether a C function ends the life of its argument. Of one that releases a
// count others may hold the rest.
func Destroys(p *source.Package, name string, call *ast.CallExpr) bool {
	if name == "free" {
		return true
	}
	lower := strings.ToLower(name)
	if slices.ContainsFunc([]string{"unref", "release", "_put", "decref"}, func(w string) bool { return strings.Contains(lower, w) }) {
		return false
	}
	named := slices.ContainsFunc([]string{"free", "destroy", "delete", "dispose"}, func(w string) bool { return strings.HasSuffix(lower, w) })
	if t := p.Info.TypeOf(call); !named || t == nil || !isVoid(t) {
		return false
	}
	if f := p.C.Func(name); f != nil && f.Defined {
		return p.C.Fate(name, 0).Frees
	}
	return true
}

func isVoid(t types.Type) bool {
	if tuple, ok := t.(*types.Tuple); ok {
		return tuple.Len() == 0
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "_Ctype_void"
}

// Moves reports whether a C function may free what it is given and return other memory.
func Moves(p *source.Package, name string) bool {
	moves := func(c string) bool { return c == "realloc" || c == "reallocarray" }
	return moves(name) || p.C.Reaches(name, moves) != nil
}

// FreedEarly reports whether a deferred call frees what a variable holds before a call.
func FreedEarly(p *source.Package, call *ast.CallExpr, v *types.Var) bool {
	return Any(Function(p, call), func(n ast.Node) bool {
		d, ok := n.(*ast.DeferStmt)
		if !ok || d.Pos() > call.Pos() || len(d.Call.Args) != 1 || !Gets(p, d.Call, v) {
			return false
		}
		name, ok := p.CCall(d.Call)
		return ok && FreesByName(name)
	})
}

// Apart reports whether a free and a use stand in conditions that are not each other's: both
// may depend on the same. A use before the free is one of the next round of a loop, and the
// condition of the free may be what ends that.
func Apart(p *source.Package, fn, free, use ast.Node) bool {
	return conditional(p, fn, free, use) && (use.Pos() < free.Pos() || conditional(p, fn, use, free))
}

// conditional reports whether a node stands in a condition in which another doesn't.
func conditional(p *source.Package, fn, n, other ast.Node) bool {
	return p.Enclosing(n, func(n ast.Node) bool {
		if !Contains(fn, n) || Contains(n, other) {
			return false
		}
		switch x := n.(type) {
		case *ast.CaseClause, *ast.CommClause:
			return true
		case *ast.BlockStmt:
			_, cond := p.Parent(x).(*ast.IfStmt)
			return cond
		}
		return false
	}) != nil
}
