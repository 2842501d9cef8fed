package handleleak

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// closes looks at a function that deletes a handle which it was given: where it has closed
// what the handle stands for, and that failed, nobody will delete the handle any more.
func closes(p *rule.Pass, d *ast.FuncDecl) {
	f, ok := p.Info.Defs[d.Name].(*types.Func)
	if !ok {
		return
	}
	var params []*types.Var
	for i := range f.Signature().Params().Len() {
		params = append(params, f.Signature().Params().At(i))
	}
	given := flow.Follow(p.Package, d.Body, params...).Variables
	deletes := func(n ast.Node) bool { return deletesOne(p, n, given) }
	if !deletes(d.Body) {
		return
	}
	g := flow.NewGraph(p.Package, d)
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if _, deferred := n.(*ast.DeferStmt); deferred && deletes(n) {
			g = nil // whatever happens
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || g == nil || !ends(p, call) {
			return g != nil
		}
		if before := g.FromStart(flow.Search{Node: func(n ast.Node) flow.Step {
			switch {
			case deletes(n):
				return flow.Stop
			case flow.Contains(n, call):
				return flow.Hit
			}
			return flow.Go
		}}); before == nil {
			return true // it was deleted first
		}
		at := g.From(call, flow.Search{Node: func(n ast.Node) flow.Step {
			if deletes(n) {
				return flow.Stop
			}
			if _, ends := n.(*ast.ReturnStmt); ends {
				return flow.Hit
			}
			return flow.Go
		}})
		if at != nil {
			p.Report(rule.Finding{
				At: call, Severity: rule.Warning,
				Message: fmt.Sprintf("the handle is not deleted on the way to line %d, though what it stands for was closed here: nobody will do it again", p.Position(at.Pos()).Line),
				Also:    []rule.Also{{At: at.Pos(), Message: "the function ends here without deleting the handle"}},
			})
		}
		return true
	})
}

// deletesOne reports whether a node deletes the handle that a variable of some is, or is made of.
func deletesOne(p *rule.Pass, n ast.Node, of map[*types.Var]bool) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return !found
		}
		if f, ok := p.Info.Uses[sel.Sel].(*types.Func); ok && source.DeletesHandle(f) {
			v := p.Variable(flow.Strip(p.Package, sel.X))
			found = found || v != nil && of[v]
		}
		return !found
	})
	return found
}

// ends reports whether a call is of a method that ends the life of its receiver, and may fail.
func ends(p *rule.Pass, call *ast.CallExpr) bool {
	f := p.Callee(call)
	if f == nil {
		return false
	}
	sig := f.Signature()
	switch strings.ToLower(f.Name()) {
	case "close", "stop", "shutdown", "release", "destroy":
		return sig.Recv() != nil && sig.Results().Len() > 0
	}
	return false
}
