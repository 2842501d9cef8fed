package flow

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"maps"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Value is what a local variable holds, with the variables that it is moved to.
type Value struct {
	Variables map[*types.Var]bool
	Uses      map[*ast.Ident]Use // by the variable that is named
}

// InOrder are the uses in the order of the source, for what depends on which comes first.
func (v *Value) InOrder() iter.Seq2[*ast.Ident, Use] {
	return func(yield func(*ast.Ident, Use) bool) {
		for _, id := range slices.SortedFunc(maps.Keys(v.Uses), func(a, b *ast.Ident) int { return cmp.Compare(a.Pos(), b.Pos()) }) {
			if !yield(id, v.Uses[id]) {
				return
			}
		}
	}
}

// Follow collects the uses in a function of what variables hold.
func Follow(p *source.Package, fn ast.Node, start ...*types.Var) *Value {
	v := &Value{Variables: map[*types.Var]bool{}, Uses: map[*ast.Ident]Use{}}
	for _, s := range start {
		v.Variables[s] = true
	}
	for grown := true; grown; {
		grown = false
		ast.Inspect(fn, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			if _, known := v.Uses[id]; known {
				return true
			}
			to, ok := p.Info.Uses[id].(*types.Var)
			if !ok || !v.Variables[to] {
				return true
			}
			u := UseOf(p, id)
			v.Uses[id] = u
			if u.Kind == Moved && !v.Variables[u.To] && holdsPointer(u.To.Type()) {
				v.Variables[u.To], grown = true, true
			}
			return true
		})
	}
	return v
}

// holdsPointer leaves out what is computed from a pointer and isn't one, like a length.
func holdsPointer(t types.Type) bool {
	switch t := types.Unalias(t).Underlying().(type) {
	case *types.Basic:
		switch t.Kind() {
		case types.UnsafePointer, types.Uintptr, types.Invalid, types.String:
			return true
		}
		return t.Info()&types.IsInteger != 0 && t.Kind() == types.Uint64
	case *types.Array:
		return false
	}
	return true
}

// Function is the function, declared or literal, around a node.
func Function(p *source.Package, n ast.Node) ast.Node {
	return p.Enclosing(n, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return true
		}
		return false
	})
}

// Body is the body of a function that [Function] has returned.
func Body(fn ast.Node) *ast.BlockStmt {
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		return fn.Body
	case *ast.FuncLit:
		return fn.Body
	}
	return nil
}

// Deferred is the defer statement that calls a literal, directly; nil if there is none.
func Deferred(p *source.Package, lit *ast.FuncLit) *ast.DeferStmt {
	call, ok := p.Parent(lit).(*ast.CallExpr)
	if !ok || call.Fun != lit {
		return nil
	}
	d, _ := p.Parent(call).(*ast.DeferStmt)
	return d
}

// InLiteral returns the outermost literal of fn in which a node stands, nil if it stands in fn itself,
// and whether all literals around it are simply deferred.
func InLiteral(p *source.Package, fn ast.Node, n ast.Node) (lit *ast.FuncLit, deferred bool) {
	deferred = true
	for f := Function(p, n); f != nil && f != fn; f = Function(p, f) {
		l, ok := f.(*ast.FuncLit)
		if !ok {
			break
		}
		lit = l
		deferred = deferred && Deferred(p, l) != nil
	}
	return lit, deferred && lit != nil
}

// Nil reports which branch of a condition holds when a variable is nil, or an error isn't:
// where nothing was got. 0 is the branch taken if the condition is true; -1 is neither.
func Nil(p *source.Package, cond ast.Expr, is func(*types.Var) (value, err bool)) int {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok {
		return -1
	}
	switch b.Op {
	case token.LAND, token.LOR: // p == nil || n == 0: what the rest has to do with it isn't known
		if n := Nil(p, b.X, is); n >= 0 {
			return n
		}
		return Nil(p, b.Y, is)
	case token.EQL, token.NEQ:
	default:
		return -1
	}
	x, y := strip(p, b.X), strip(p, b.Y)
	if isNil(p, x) {
		x, y = y, x
	}
	if !isNil(p, y) {
		return -1
	}
	v := p.Variable(x)
	if v == nil {
		return -1
	}
	value, err := is(v)
	branch := 0
	if b.Op == token.NEQ {
		branch = 1
	}
	switch {
	case value:
		return branch
	case err:
		return 1 - branch
	}
	return -1
}

func isNil(p *source.Package, e ast.Expr) bool {
	t := p.Info.Types[e]
	if t.IsNil() {
		return true
	}
	return t.Value != nil && t.Value.ExactString() == "0"
}

// strip takes the conversions off an expression.
func strip(p *source.Package, e ast.Expr) ast.Expr {
	for {
		e = ast.Unparen(e)
		call, ok := e.(*ast.CallExpr)
		if !ok || !p.IsConversion(call) || len(call.Args) != 1 {
			return e
		}
		e = call.Args[0]
	}
}

// Strip takes the conversions off an expression.
func Strip(p *source.Package, e ast.Expr) ast.Expr { return strip(p, e) }
