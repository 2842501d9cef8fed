// Package handlerace finds handles, and tables of them, that goroutines use at once without a lock.
package handlerace

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/ownership"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "handle-race",
	Title:    "a C object, a cgo.Handle or a table of handles that one goroutine frees or changes while another has it",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `C frees an object at once, though another thread may work on it; and a table from which the functions
that C calls fetch Go values is read on C's threads. The race detector sees nothing of C's memory.

Before:

	go func() { C.decode(c.ctx) }()
	C.decoder_free(c.ctx)

After:

	done := make(chan struct{})
	go func() { defer close(done); C.decode(c.ctx) }()
	<-done
	C.decoder_free(c.ctx)

It is an error where a function starts a goroutine that gives a variable to C, and frees it, and nothing
between could wait for the goroutine. It is a warning where a method frees an object under a mutex, as
others use it, and one uses it without; or the other way round. And it is a warning where a map, slice or
array in a variable of the package is changed, and read by a function that C calls, and neither locks
anything. What a comment asks of callers isn't read, and that another function waits is believed.`,
	Run: run,
}

func run(p *rule.Pass) {
	started(p)
	g := findGuards(p)
	fields(p, g)
	tables(p, g)
}

// guards are what is known of functions and locks.
type guards struct {
	locks  map[*types.Func]bool // it, or a function of the package that it calls, locks or waits for something
	under  map[*types.Func]bool // all calls of it in the package are in functions that lock
	decls  map[*types.Func]*ast.FuncDecl
	called map[*types.Func][]*types.Func       // the functions of the package that it calls
	calls  map[*types.Func][]*types.Func       // those that call it
	mutex  map[*types.Func]map[*types.Var]bool // the mutexes that it locks itself
}

func findGuards(p *rule.Pass) *guards {
	g := &guards{map[*types.Func]bool{}, map[*types.Func]bool{}, p.Declarations(), map[*types.Func][]*types.Func{}, map[*types.Func][]*types.Func{}, map[*types.Func]map[*types.Var]bool{}}
	for f, d := range g.decls {
		g.mutex[f] = map[*types.Var]bool{}
		g.locks[f] = flow.Any(d.Body, func(n ast.Node) bool { return synchronises(p, n) })
		ast.Inspect(d.Body, func(n ast.Node) bool {
			if m := flow.Mutex(p.Package, n, "Lock", "RLock"); m != nil {
				g.mutex[f][m] = true
			}
			if id, ok := n.(*ast.Ident); ok {
				if to, _ := p.Info.Uses[id].(*types.Func); to != nil && g.decls[to.Origin()] != nil {
					g.called[f] = append(g.called[f], to.Origin())
					g.calls[to.Origin()] = append(g.calls[to.Origin()], f)
				}
			}
			return true
		})
	}
	for grown := true; grown; {
		grown = false
		for f, to := range g.called {
			for _, t := range to {
				if g.locks[t] && !g.locks[f] {
					g.locks[f], grown = true, true
				}
			}
		}
	}
	for grown := true; grown; {
		grown = false
		for f := range g.decls {
			if g.under[f] || f.Exported() || len(g.calls[f]) == 0 {
				continue
			}
			all := true
			for _, by := range g.calls[f] {
				all = all && (g.locks[by] || g.under[by])
			}
			if all {
				g.under[f], grown = true, true
			}
		}
	}
	return g
}

// guarded reports whether a function may be alone at what it does.
func (g *guards) guarded(f *types.Func) bool { return g.locks[f] || g.under[f] }

// holds reports whether a function locks a mutex, or all that call it do.
func (g *guards) holds(f *types.Func, m *types.Var, depth int) bool {
	if g.mutex[f][m] {
		return true
	}
	if depth == 0 || f.Exported() || len(g.calls[f]) == 0 {
		return false
	}
	return !slices.ContainsFunc(g.calls[f], func(by *types.Func) bool { return !g.holds(by, m, depth-1) })
}

// synchronises reports whether a node may wait for other goroutines, or keep them waiting.
func synchronises(p *rule.Pass, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SelectStmt, *ast.SendStmt:
		return true
	case *ast.UnaryExpr:
		return n.Op.String() == "<-"
	case *ast.RangeStmt:
		_, is := p.Underlying(n.X).(*types.Chan)
		return is
	case *ast.CallExpr:
		f := p.Callee(n)
		if f == nil || f.Pkg() == nil {
			return f == nil && lockName(n)
		}
		switch f.Pkg().Path() {
		case "sync", "sync/atomic":
			return true
		case "runtime":
			return f.Name() == "LockOSThread"
		}
		return lockName(n)
	}
	return false
}

// lockName reports whether a call's name is that of a lock, or a wait.
func lockName(call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	switch sel.Sel.Name {
	case "Lock", "RLock", "TryLock", "Acquire", "Wait", "Do":
		return true
	}
	return false
}

// freesOrUses tells what a function does with a value: gives it to C that frees it, or to other C.
func freesOrUses(p *rule.Pass, u flow.Use) (frees, uses bool) {
	switch {
	case u.Kind == flow.ToGo && source.DeletesHandle(u.Func):
		return true, false
	case u.Kind == flow.ToC && p.Owns.Effect(u) == ownership.Released:
		return true, false
	case u.Kind == flow.ToC, u.Kind == flow.ToGo && u.Func.Pkg() != nil && u.Func.Pkg().Path() == "runtime/cgo":
		return false, true
	}
	return false, false
}
