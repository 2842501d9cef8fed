package flow

import (
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Mutex is the mutex, a field or a variable, on which a node calls one of some methods.
func Mutex(p *source.Package, n ast.Node, methods ...string) *types.Var {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	for _, name := range methods {
		if !p.Calls(call, "sync", "Mutex."+name) && !p.Calls(call, "sync", "RWMutex."+name) {
			continue
		}
		if v := embedded(p, sel); v != nil {
			return v
		}
		switch x := ast.Unparen(sel.X).(type) {
		case *ast.SelectorExpr:
			v, _ := p.Info.Uses[x.Sel].(*types.Var)
			return v
		case *ast.Ident:
			return p.Variable(x)
		}
	}
	return nil
}

// embedded is the embedded mutex whose method a selector calls: c.Lock() of struct { sync.Mutex }.
func embedded(p *source.Package, sel *ast.SelectorExpr) (v *types.Var) {
	s := p.Info.Selections[sel]
	if s == nil {
		return nil
	}
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		if ptr, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
		}
		st, ok := types.Unalias(t).Underlying().(*types.Struct)
		if !ok {
			return nil
		}
		v, t = st.Field(i), st.Field(i).Type()
	}
	return v
}

// Unlocks reports whether a node unlocks a mutex at once, not deferred; any if v is nil.
func Unlocks(p *source.Package, n ast.Node, v *types.Var) bool {
	if _, deferred := n.(*ast.DeferStmt); deferred {
		return false
	}
	return Any(n, func(n ast.Node) bool {
		m := Mutex(p, n, "Unlock", "RUnlock")
		return m != nil && (v == nil || m == v)
	})
}
