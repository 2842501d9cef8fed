// Package handlecopy finds methods that free what copies of their receiver still have.
package handlecopy

import (
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/ownership"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "handle-copy",
	Title:    "a method frees a C object and can't mark it as freed, as its receiver is a copy",
	Severity: rule.Warning,
	Since:    "0.9",
	Doc: `A method with a value as its receiver works on a copy. If it frees the C object in a field, no
change that it makes lasts, and the value that it was called on still has the pointer: a second Close
frees it again.

Before:

	func (d Database) Close() { C.db_destroy(d.ptr) }

After:

	func (d *Database) Close() {
		if d.ptr != nil {
			C.db_destroy(d.ptr)
			d.ptr = nil
		}
	}

It is a warning where the package is seen to free a value twice, in one function or by a second method,
or the method sets the field of its copy to nil, as that was meant to help. Elsewhere it is a note: who
calls it once has no harm. That the callers of other packages do isn't seen.`,
	Run: run,
}

func run(p *rule.Pass) {
	p.Functions(func(d *ast.FuncDecl) {
		f, ok := p.Info.Defs[d.Name].(*types.Func)
		if !ok || d.Recv == nil || len(d.Recv.List) != 1 || len(d.Recv.List[0].Names) != 1 {
			return
		}
		recv, _ := p.Info.Defs[d.Recv.List[0].Names[0]].(*types.Var)
		if recv == nil {
			return
		}
		if _, isStruct := types.Unalias(recv.Type()).Underlying().(*types.Struct); !isStruct || source.IsC(recv.Type()) {
			return
		}
		if field, call := freed(p, d, recv); call != nil {
			severity, why := rule.Note, ""
			switch {
			case cleared(p, d, recv, field):
				severity, why = rule.Warning, "; setting the field of the copy to nil changes nothing"
			case twice(p, f):
				severity, why = rule.Warning, "; the package may call it twice for one value"
			}
			p.Reportf(call, severity, "%s.%s frees %s.%s of a copy of its receiver, and the owner of the value still has the pointer: make the receiver a pointer, and set the field to nil%s",
				source.Named(recv.Type()).Obj().Name(), f.Name(), recv.Name(), field.Name(), why)
		}
	})
}

// freed is the field of the receiver, a pointer, that a method gives to C that frees it.
func freed(p *rule.Pass, d *ast.FuncDecl, recv *types.Var) (field *types.Var, found *ast.CallExpr) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || p.Variable(sel.X) != recv || found != nil {
			return found == nil
		}
		v, ok := p.Info.Uses[sel.Sel].(*types.Var)
		if !ok || !v.IsField() {
			return true
		}
		if _, pointer := types.Unalias(v.Type()).Underlying().(*types.Pointer); !pointer {
			return true
		}
		if u := flow.UseOf(p.Package, sel); u.Kind == flow.ToC && u.Arg == 0 && p.Owns.Effect(u) == ownership.Released {
			field, found = v, u.Call
		}
		return true
	})
	return field, found
}

// cleared reports whether a method sets a field of its copy.
func cleared(p *rule.Pass, d *ast.FuncDecl, recv, field *types.Var) bool {
	found := false
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			for _, l := range a.Lhs {
				if sel, ok := ast.Unparen(l).(*ast.SelectorExpr); ok && p.Variable(sel.X) == recv && p.Info.Uses[sel.Sel] == field {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// twice reports whether a function of the package calls a method twice for one variable: deferred,
// and itself.
func twice(p *rule.Pass, f *types.Func) bool {
	calls, _ := p.Values.Calls(f)
	type of struct {
		fn ast.Node
		v  *types.Var
	}
	deferred, direct := map[of]bool{}, map[of]bool{}
	for _, c := range calls {
		sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		if !ok || p.Variable(sel.X) == nil {
			continue
		}
		k := of{flow.Function(p.Package, c), p.Variable(sel.X)}
		if _, is := p.Parent(c).(*ast.DeferStmt); is {
			deferred[k] = true
		} else {
			direct[k] = true
		}
	}
	for k := range deferred {
		if direct[k] {
			return true
		}
	}
	return false
}
