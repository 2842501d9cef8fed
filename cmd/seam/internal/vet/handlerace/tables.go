package handlerace

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// tables looks for tables of the package that functions which C calls read, and others change, without a
// lock.
func tables(p *rule.Pass, g *guards) {
	byC := map[*types.Func]string{} // functions that come from an exported one, and its name
	exports := p.Exports()
	var reach func(f *types.Func, from string)
	reach = func(f *types.Func, from string) {
		if byC[f] == "" {
			byC[f] = from
			for _, to := range g.called[f] {
				reach(to, from)
			}
		}
	}
	for f, d := range g.decls {
		if exports[f.Name()] && d.Recv == nil {
			reach(f, f.Name())
		}
	}
	read, changed := map[*types.Var]string{}, map[*types.Var]ast.Node{}
	locked := map[*types.Var]bool{}
	p.Functions(func(d *ast.FuncDecl) {
		f, _ := p.Info.Defs[d.Name].(*types.Func)
		if f == nil || d.Name.Name == "init" || p.Types.Name() == "main" && d.Name.Name == "main" {
			return
		}
		ast.Inspect(d.Body, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			v, _ := p.Info.Uses[id].(*types.Var)
			if v == nil || v.Parent() != p.Types.Scope() || !table(v.Type()) {
				return true
			}
			switch changes := changes(p, id); {
			case g.guarded(f):
				locked[v] = true
			case changes && byC[f] == "" && changed[v] == nil:
				changed[v] = id
			case !changes && byC[f] != "":
				read[v] = byC[f]
			}
			return true
		})
	})
	severity := rule.Warning
	for _, d := range g.decls { // all may run in one thread, as windows want it
		if flow.Any(d.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			return ok && p.Calls(call, "runtime", "LockOSThread")
		}) {
			severity = rule.Note
		}
	}
	for v, at := range changed {
		if read[v] == "" {
			continue
		}
		why := ""
		if locked[v] {
			why = ", as other functions do"
		}
		p.Report(rule.Finding{
			At: at, Severity: severity,
			Message: fmt.Sprintf("%s is changed here while %s, which C calls on any thread, may read it: hold a mutex in both%s", v.Name(), read[v], why),
		})
	}
}

// table reports whether a type is a map, or a slice or an array of what leads to Go values.
func table(t types.Type) bool {
	var elem types.Type
	switch t := types.Unalias(t).Underlying().(type) {
	case *types.Map:
		return true
	case *types.Slice:
		elem = t.Elem()
	case *types.Array:
		elem = t.Elem()
	default:
		return false
	}
	switch types.Unalias(elem).Underlying().(type) {
	case *types.Interface, *types.Signature, *types.Pointer, *types.Map:
		return true
	}
	return false
}

// changes reports whether a table is changed where it is named: an element is set, or deleted, or one
// is added.
func changes(p *rule.Pass, id *ast.Ident) bool {
	switch x := p.Parent(id).(type) {
	case *ast.IndexExpr:
		a, ok := p.Parent(x).(*ast.AssignStmt)
		if !ok || x.X != id {
			return false
		}
		for _, l := range a.Lhs {
			if l == x {
				return true
			}
		}
	case *ast.CallExpr:
		return p.IsBuiltin(x, "delete", "clear", "append")
	}
	return false
}
