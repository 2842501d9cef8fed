package handlerace

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// access is what a method does with a field of its receiver.
type access struct {
	method *types.Func
	at     ast.Node
	under  bool // with the struct's mutex
	other  bool // with something else that may keep others out
}

// fields looks for C objects in fields of structs with a mutex, that some methods use under it and others
// do not.
func fields(p *rule.Pass, g *guards) {
	frees, uses := map[*types.Var][]access{}, map[*types.Var][]access{}
	p.Functions(func(d *ast.FuncDecl) {
		f, _ := p.Info.Defs[d.Name].(*types.Func)
		if f == nil || d.Recv == nil || len(d.Recv.List) != 1 || len(d.Recv.List[0].Names) != 1 {
			return
		}
		recv, _ := p.Info.Defs[d.Recv.List[0].Names[0]].(*types.Var)
		if recv == nil {
			return
		}
		m := mutexIn(recv.Type())
		if m == nil {
			return
		}
		ast.Inspect(d.Body, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || p.Variable(sel.X) != recv {
				return true
			}
			v, ok := p.Info.Uses[sel.Sel].(*types.Var)
			if !ok || !v.IsField() || !points(v.Type()) {
				return true
			}
			freed, used := freesOrUses(p, flow.UseOf(p.Package, sel))
			a := access{f, sel, g.holds(f, m, 3), g.guarded(f)}
			if freed {
				frees[v] = append(frees[v], a)
			} else if used {
				uses[v] = append(uses[v], a)
			}
			return true
		})
	})
	for v, list := range frees {
		disagree(p, v, list, uses[v])
	}
}

// disagree reports the uses of a field without the lock under which it is freed and used elsewhere, or a
// free without the one under which it is used.
func disagree(p *rule.Pass, v *types.Var, frees, uses []access) {
	under, without := split(uses)
	locked, open := split(frees)
	switch {
	case len(open) == 0 && len(locked) > 0 && len(under) > 0 && len(under) >= len(without):
		for _, a := range without {
			if a.method.Exported() {
				p.Report(rule.Finding{
					At: a.at, Severity: rule.Warning, Also: []rule.Also{{At: locked[0].at.Pos(), Message: "freed here, under the lock"}},
					Message: fmt.Sprintf("%s is given to C without the lock under which %s frees it and %s uses it: another goroutine may free it during the call", v.Name(), locked[0].method.Name(), under[0].method.Name()),
				})
			}
		}
	case len(locked) == 0 && len(open) > 0 && len(under) > 1 && len(without) == 0 && open[0].method.Exported():
		p.Report(rule.Finding{
			At: open[0].at, Severity: rule.Warning, Also: []rule.Also{{At: under[0].at.Pos(), Message: "used here, under the lock"}},
			Message: fmt.Sprintf("%s is freed without the lock under which %s and %s use it: C may be at work on it", v.Name(), under[0].method.Name(), under[1].method.Name()),
		})
	}
}

// split divides accesses into those under the mutex and those without anything, one of each method.
func split(list []access) (under, without []access) {
	seen := map[*types.Func]bool{}
	for _, a := range list {
		switch {
		case seen[a.method]:
		case a.under:
			under = append(under, a)
		case !a.other:
			without = append(without, a)
		}
		seen[a.method] = true
	}
	return under, without
}

// mutexIn is the mutex among the fields of a struct, or nil.
func mutexIn(t types.Type) *types.Var {
	n := source.Named(t)
	if n == nil {
		return nil
	}
	st, ok := n.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for f := range st.Fields() {
		if m := source.Named(f.Type()); m != nil && m.Obj().Pkg() != nil && m.Obj().Pkg().Path() == "sync" && (m.Obj().Name() == "Mutex" || m.Obj().Name() == "RWMutex") {
			return f
		}
	}
	return nil
}

// points reports whether a type is a pointer, or a cgo.Handle.
func points(t types.Type) bool {
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		return true
	case *types.Basic:
		n := source.Named(t)
		return u.Kind() == types.UnsafePointer || n != nil && n.Obj().Name() == "Handle" && n.Obj().Pkg().Path() == "runtime/cgo"
	}
	return false
}
