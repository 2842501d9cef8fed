package values

import (
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Side is whose memory a value leads to.
type Side int

// The sides.
const (
	Nobody Side = iota // it isn't known, or it may be either's
	Go
	C
)

// Whose tells whose memory a value leads to. Where no origin is known its type tells: a pointer to a
// type of C's leads to C's memory, a slice and a string to Go's.
func (p *Package) Whose(e ast.Expr) Side { return p.sideOf(e, p.Of(e)) }

// WhoseMemory tells whose memory a variable, a member or an element is in.
func (p *Package) WhoseMemory(e ast.Expr) Side {
	if _, ok := ast.Unparen(e).(*ast.Ident); ok {
		return Go // a variable of Go, whatever its type
	}
	if sel, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
		if _, pointer := types.Unalias(p.typeOf(sel.X)).Underlying().(*types.Pointer); pointer && !source.IsC(p.typeOf(sel.X)) {
			return Go // a field of a Go struct, unless Go has made a view of C's memory
		}
	}
	return p.sideOf(e, p.At(e))
}

func (p *Package) sideOf(e ast.Expr, list []Origin) (found Side) {
	for _, o := range list {
		side := Nobody
		switch {
		case o.Kind == Nil:
			continue
		case o.Go():
			side = Go
		case o.C():
			side = C
		case o.Kind == Param:
			side = byType(o.Var.Type(), true)
		case o.At != nil:
			switch ast.Unparen(o.At).(type) {
			case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
				side = byType(p.typeOf(o.At), false)
			case *ast.Ident: // an element of what isn't C's
				side = byType(p.typeOf(o.At), true)
			}
		}
		if side == Nobody || found != Nobody && side != found {
			return Nobody
		}
		found = side
	}
	return found
}

// byType guesses. What a slice of Go's types leads to in a parameter is Go's; in a field it may be a
// view of C's memory.
func byType(t types.Type, param bool) Side {
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		if source.IsC(t) {
			return C
		}
		if n, ok := types.Unalias(u.Elem()).(*types.Named); ok && !source.IsC(n) && OnlyGo(n) {
			return Go
		}
	case *types.Slice:
		if param && !source.IsC(u.Elem()) {
			return Go
		}
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return Go
		}
	}
	return Nobody
}

// OnlyGo reports whether a type has what only Go has in it, as strings and maps: C memory doesn't hold
// such.
func OnlyGo(t types.Type) bool { return onlyGo(t, 0) }

func onlyGo(t types.Type, depth int) bool {
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return true
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Array:
		return depth < 4 && onlyGo(u.Elem(), depth+1)
	case *types.Struct:
		for f := range u.Fields() {
			if depth < 4 && onlyGo(f.Type(), depth+1) {
				return true
			}
		}
	}
	return false
}
