// Package handleleak finds handles of Go values that are never deleted.
package handleleak

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/csource"
	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "handle-leak",
	Title:    "a cgo.Handle that is deleted on no path, or only on some",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `cgo.NewHandle keeps its value reachable until Delete is called: a handle that is not
deleted is a leak that the garbage collector can't see.

Before:

	h := cgo.NewHandle(v)
	if C.register(C.uintptr_t(h)) != 0 {
		return errRegister // C didn't take h, and h is lost
	}

After:

	h := cgo.NewHandle(v)
	if C.register(C.uintptr_t(h)) != 0 {
		h.Delete()
		return errRegister
	}

So is one that a function which C calls to close something deletes on success only: it won't be
called again.

A handle that is given to C or stored counts as taken over, if the package deletes handles
anywhere else; if it deletes none at all, every handle is reported.`,
	Run: run,
}

func run(p *rule.Pass) {
	var made []*ast.CallExpr
	deletes := false
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if p.Calls(n, "runtime/cgo", "NewHandle") {
					made = append(made, n)
				}
			case *ast.SelectorExpr: // a method value too: defer h.Delete, f(h.Delete)
				if f, ok := p.Info.Uses[n.Sel].(*types.Func); ok && source.DeletesHandle(f) {
					deletes = true
				}
			}
			return true
		})
	}
	cells := cells(p)
	for _, call := range made {
		if f := cellOf(p, call); f != nil && !cells[f] && deletes {
			p.Reportf(call, rule.Error, "the handle goes to memory that field %s leads to, and nothing in this package reads it from there to delete it", f.Name())
			continue
		}
		check(p, call, deletes)
	}
	p.Functions(func(d *ast.FuncDecl) { closes(p, d) })
}

func check(p *rule.Pass, call *ast.CallExpr, deletes bool) {
	if !deletes && !exposed(p, call) {
		p.Reportf(call, rule.Error, "the handle is never deleted: nothing in this package calls Delete")
		return
	}
	u := flow.UseOf(p.Package, call)
	fn := flow.Function(p.Package, call)
	if u.Kind != flow.Moved || fn == nil {
		return
	}
	g := flow.NewGraph(p.Package, fn)
	value := flow.Follow(p.Package, fn, u.To)
	deleted := false
	for _, u := range value.InOrder() {
		if u.Kind == flow.ToGo && source.DeletesHandle(u.Func) {
			deleted = true
		} else if out(u) && !deleted && u.Kind != flow.ToC {
			return // somebody else has it
		}
	}
	if !deleted {
		if c, here := onlyHere(p, value); here {
			p.Report(rule.Finding{At: call, Severity: rule.Error, Message: "the handle is never deleted: it stays in this function" + c})
		}
		return // otherwise C has it, and what deletes it is elsewhere
	}
	at := g.From(call, flow.Search{Node: func(n ast.Node) flow.Step {
		for _, u := range g.UsesIn(n, value) {
			if u.Kind == flow.ToGo && source.DeletesHandle(u.Func) || out(u) && u.Kind != flow.ToC {
				return flow.Stop
			}
		}
		if _, ends := n.(*ast.ReturnStmt); ends || flow.Contains(n, call) {
			return flow.Hit
		}
		return flow.Go
	}, Branch: func(cond ast.Expr, branch int) flow.Step {
		if flow.Nil(p.Package, cond, func(x *types.Var) (bool, bool) { return value.Variables[x], false }) == branch {
			return flow.Stop
		}
		return flow.Go
	}})
	if at == nil || succeeds(p, at, value) {
		return
	}
	line := p.Position(at.Pos()).Line
	p.Report(rule.Finding{
		At: call, Severity: rule.Warning, Message: fmt.Sprintf("the handle is deleted on some paths only: not on the way to line %d", line),
		Also: []rule.Also{{At: at.Pos(), Message: "the function ends here without deleting it"}},
	})
}

// onlyHere reports whether nobody else can have a handle: C, if it is given to any, is seen to keep
// nothing of it and to give it to nobody.
func onlyHere(p *rule.Pass, v *flow.Value) (c string, here bool) {
	for _, u := range v.InOrder() {
		switch {
		case u.Kind == flow.ToC:
			if f := p.C.Func(u.Name); f == nil || !f.Defined || p.C.Fate(u.Name, u.Arg) != (csource.Fate{}) {
				return "", false
			}
			c = ", and C." + u.Name + " doesn't keep it"
		case out(u):
			return "", false
		}
	}
	return c, true
}

// out reports whether a use hands the handle to somebody who may delete it.
func out(u flow.Use) bool {
	switch u.Kind {
	case flow.Stored, flow.Given, flow.Lost, flow.ToC:
		return true
	case flow.ToGo:
		return !source.DeletesHandle(u.Func) && !(u.Func.Pkg() != nil && u.Func.Pkg().Path() == "runtime/cgo")
	}
	return false
}

// succeeds reports whether a return is that of success, where C has taken the handle over:
// the failing paths delete it.
func succeeds(p *rule.Pass, at ast.Node, v *flow.Value) bool {
	toC := false
	for _, u := range v.Uses {
		toC = toC || u.Kind == flow.ToC && u.At.Pos() < at.Pos()
	}
	r, ok := at.(*ast.ReturnStmt)
	if !ok || !toC {
		return false
	}
	if len(r.Results) == 0 {
		return true
	}
	last := r.Results[len(r.Results)-1]
	return p.Info.Types[last].IsNil() || !types.Implements(typeOf(p, last), errorType)
}

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

func typeOf(p *rule.Pass, e ast.Expr) types.Type {
	if t := p.Info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// exposed reports whether the handle leaves the package, whose users may delete it.
func exposed(p *rule.Pass, call *ast.CallExpr) bool {
	fn, ok := flow.Function(p.Package, call).(*ast.FuncDecl)
	if !ok {
		return false
	}
	u := flow.UseOf(p.Package, call)
	if u.Kind == flow.Given {
		return fn.Name.IsExported()
	}
	if u.Kind != flow.Moved {
		return false
	}
	for _, u := range flow.Follow(p.Package, fn, u.To).Uses {
		if u.Kind == flow.Given && fn.Name.IsExported() {
			return true
		}
	}
	return false
}

// cellOf is the field that leads to the memory in which a new handle is stored:
// *(*cgo.Handle)(s.cell) = cgo.NewHandle(v). The field is one of the package that its users can't read.
func cellOf(p *rule.Pass, call *ast.CallExpr) *types.Var {
	a, ok := p.Parent(call).(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return nil
	}
	star, ok := ast.Unparen(a.Lhs[0]).(*ast.StarExpr)
	if !ok {
		return nil
	}
	f := fieldIn(p, star.X)
	if f == nil || f.Exported() || f.Pkg() != p.Types {
		return nil
	}
	return f
}

// fieldIn is the field that an expression with casts reads.
func fieldIn(p *rule.Pass, e ast.Expr) *types.Var {
	sel, ok := flow.Strip(p.Package, e).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	f, _ := p.Info.Uses[sel.Sel].(*types.Var)
	if f == nil || !f.IsField() {
		return nil
	}
	return f
}

// cells are the fields that a handle is read through somewhere, or that leave the package's hands in a
// way that may: any cast to a pointer to a handle that isn't stored to, and any other use by Go.
func cells(p *rule.Pass) map[*types.Var]bool {
	all := map[*types.Var]bool{}
	for _, file := range p.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			f := fieldIn(p, sel)
			if f == nil {
				return true
			}
			switch u := flow.UseOf(p.Package, sel); u.Kind {
			case flow.ToC, flow.Changed:
			case flow.Read:
				if star, ok := p.Parent(u.At).(*ast.StarExpr); ok {
					if a, ok := p.Parent(star).(*ast.AssignStmt); ok && len(a.Lhs) == 1 && a.Lhs[0] == star {
						return true // the store
					}
					all[f] = true
				} else if _, compared := p.Parent(u.At).(*ast.BinaryExpr); !compared {
					all[f] = true
				}
			default:
				all[f] = true
			}
			return true
		})
	}
	return all
}
