// Package oldpointer finds memory that is used by the address that it had before C.realloc.
package oldpointer

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "old-pointer",
	Title:    "memory that is used by the address that it had before C.realloc",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `C.realloc may move the memory, and has freed the old then. A pointer to it, or a slice that Go has made
over it, leads to freed memory; only where realloc has failed, and returns nil, the old is still there.

Before:

	list := unsafe.Slice((*C.int)(p), n)
	p = C.realloc(p, 2*size)
	list[0] = 1

After:

	p = C.realloc(p, 2*size)
	list := unsafe.Slice((*C.int)(p), 2*n)
	list[0] = 1

It is said of local variables that get the old address once, before the call, in the same function. C that
reallocates what it is given, and what fields and other functions hold, aren't followed.`,
	Run: run,
}

func run(p *rule.Pass) {
	p.Functions(func(d *ast.FuncDecl) {
		ast.Inspect(d.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name, ok := p.CCall(call); ok && (name == "realloc" || name == "reallocarray") && len(call.Args) > 1 {
				check(p, call, name)
			}
			return true
		})
	})
}

// check reports the first use of an old address after a call that may have moved the memory.
func check(p *rule.Pass, call *ast.CallExpr, name string) {
	fn := flow.Function(p.Package, call)
	to := flow.UseOf(p.Package, call)
	if fn == nil || to.Kind != flow.Moved && to.Kind != flow.Stored {
		return
	}
	held := oldIn(p, fn, call, to.To)
	if len(held) == 0 {
		return
	}
	value := flow.Follow(p.Package, fn, held...)
	old := func(v *types.Var) bool {
		for _, h := range held {
			if h == v {
				return true
			}
		}
		return false
	}
	g := flow.NewGraph(p.Package, fn)
	var used *ast.Ident
	at := g.From(call, flow.Search{
		Node: func(n ast.Node) flow.Step {
			if flow.Contains(n, call) {
				return flow.Stop // the next round
			}
			for id, u := range value.InOrder() {
				if !flow.Contains(n, id) || !old(p.Variable(id)) {
					continue
				}
				if u.Kind == flow.Changed {
					return flow.Stop
				}
				if harmless(p, id) {
					continue
				}
				used = id
				return flow.Hit
			}
			return flow.Go
		},
		Branch: func(cond ast.Expr, branch int) flow.Step {
			if failed(p, cond, to) == branch {
				return flow.Stop
			}
			return flow.Go
		},
	})
	if at == nil || used == nil {
		return
	}
	p.Report(rule.Finding{
		At: used, Severity: rule.Error, Also: []rule.Also{{At: call.Pos(), Message: "here it may move"}},
		Message: fmt.Sprintf("%s leads to where the memory was before C.%s at line %d, which may have moved it and freed the old", used.Name, name, p.Position(call.Pos()).Line),
	})
}

// failed is the branch of a condition on which realloc has given nothing; -1 if that isn't known.
func failed(p *rule.Pass, cond ast.Expr, to flow.Use) int {
	if b, ok := ast.Unparen(cond).(*ast.BinaryExpr); ok && to.Kind == flow.Stored && source.Text(b.X) == source.Text(to.Into) && p.Info.Types[b.Y].IsNil() {
		if b.Op == token.EQL {
			return 0
		}
		return 1
	}
	return flow.Nil(p.Package, cond, func(v *types.Var) (bool, bool) {
		return to.Kind == flow.Moved && v == to.To, v.Type().String() == "error"
	})
}

// oldIn are the local variables that hold the address which C is given, or a view of what lies there: the
// argument itself, unless it gets the result, and what was made of it once, before the call.
func oldIn(p *rule.Pass, fn ast.Node, call *ast.CallExpr, result *types.Var) (all []*types.Var) {
	arg := flow.Strip(p.Package, call.Args[0])
	text := source.Text(arg)
	if v := p.Variable(arg); v != nil && v != result && !v.IsField() && fn.Pos() <= v.Pos() && v.Pos() < fn.End() && flow.Function(p.Package, call) == fn {
		all = append(all, v)
	}
	times, from := map[*types.Var]int{}, map[*types.Var]bool{}
	ast.Inspect(fn, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, l := range a.Lhs {
			v := p.Variable(l)
			if v == nil || v == result || v.IsField() {
				continue
			}
			times[v]++
			if len(a.Lhs) == len(a.Rhs) && a.End() <= call.Pos() && source.Text(viewed(p, a.Rhs[i])) == text {
				from[v] = true
			}
		}
		return true
	})
	for v := range from {
		if times[v] == 1 && fn.Pos() <= v.Pos() && v.Pos() < fn.End() {
			all = append(all, v)
		}
	}
	return all
}

// viewed is the pointer that an expression is a view of, or a conversion.
func viewed(p *rule.Pass, e ast.Expr) ast.Expr {
	for {
		e = flow.Strip(p.Package, e)
		switch x := e.(type) {
		case *ast.CallExpr:
			if !p.IsBuiltin(x, "Slice", "String") || len(x.Args) == 0 {
				return e
			}
			e = x.Args[0]
		case *ast.SliceExpr:
			e = x.X
		default:
			return e
		}
	}
}

// harmless reports whether a use doesn't look at the memory: a comparison, a length, or nothing at all.
func harmless(p *rule.Pass, id *ast.Ident) bool {
	switch x := p.Parent(id).(type) {
	case *ast.BinaryExpr:
		return true
	case *ast.CallExpr:
		return p.IsBuiltin(x, "len", "cap", "Sizeof")
	case *ast.AssignStmt:
		return len(x.Lhs) == len(x.Rhs) && len(x.Lhs) == 1 && source.Text(x.Lhs[0]) == "_"
	}
	return false
}
