// Package growingregistry finds tables for C's callbacks that only grow.
package growingregistry

import (
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "growing-registry",
	Title:    "a table from which a callback of C fetches Go values, and nothing is ever taken out of it",
	Severity: rule.Warning,
	Since:    "0.9",
	Doc: `C can't keep a Go value, so it gets a number or an address, and the exported function that it calls
looks the value up in a table. What is never taken out of the table is never freed.

Before:

	id := register(f) // calls[next] = f
	C.walk(id)

After:

	id := register(f)
	defer unregister(id) // delete(calls, id)
	C.walk(id)

It is said of maps in variables of the package that an exported function reads and whose keys are
numbers or addresses, where the package puts something in outside of init and nowhere deletes, clears or
replaces. A map that is given to other functions isn't judged. A sync.Map or a slice isn't looked at.`,
	Run: run,
}

func run(p *rule.Pass) {
	exports := p.Exports()
	read := map[*types.Var]string{}   // by the map, an exported function that reads it
	put := map[*types.Var]ast.Node{}  // where something is put in
	released := map[*types.Var]bool{} // something is taken out, or others have the map
	p.Functions(func(d *ast.FuncDecl) {
		ast.Inspect(d.Body, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			v, _ := p.Info.Uses[id].(*types.Var)
			if v == nil || v.Parent() != p.Types.Scope() || !table(v.Type()) {
				return true
			}
			index, ok := p.Parent(id).(*ast.IndexExpr)
			switch {
			case ok && index.X == id && stores(p, index):
				if d.Name.Name != "init" && put[v] == nil {
					put[v] = index
				}
			case ok && index.X == id:
				if exports[d.Name.Name] {
					read[v] = d.Name.Name
				}
			case harmless(p, id):
			default:
				released[v] = true
			}
			return true
		})
	})
	for v, at := range put {
		if read[v] != "" && !released[v] {
			p.Reportf(at, rule.Warning, "%s gets entries, which %s looks up for C, and none is ever taken out: delete each when C is done with it", v.Name(), read[v])
		}
	}
}

// table reports whether a type is a map from what C can be given.
func table(t types.Type) bool {
	m, ok := types.Unalias(t).Underlying().(*types.Map)
	if !ok {
		return false
	}
	switch k := types.Unalias(m.Key()).Underlying().(type) {
	case *types.Pointer:
		return true
	case *types.Basic:
		return k.Info()&types.IsInteger != 0 || k.Kind() == types.UnsafePointer
	}
	return false
}

func stores(p *rule.Pass, index *ast.IndexExpr) bool {
	a, ok := p.Parent(index).(*ast.AssignStmt)
	if !ok {
		return false
	}
	for _, l := range a.Lhs {
		if l == index {
			return true
		}
	}
	return false
}

// harmless reports whether a use of a map neither takes anything out nor gives it to others: len, a loop.
func harmless(p *rule.Pass, id *ast.Ident) bool {
	switch x := p.Parent(id).(type) {
	case *ast.CallExpr:
		return p.IsBuiltin(x, "len")
	case *ast.RangeStmt:
		return x.X == id
	case *ast.BinaryExpr:
		return true
	}
	return false
}
