// Package callbacklock finds mutexes that are held over C which calls back Go that wants them.
package callbacklock

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "callback-lock",
	Title:    "a callback takes the mutex that is held over the call of C which calls it",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `A mutex of Go doesn't know who holds it. If a function holds one over a call of C, and that C calls
an exported function of Go which takes it, the goroutine waits for itself.

Before:

	func Set(n int) {
		mu.Lock()
		defer mu.Unlock()
		C.set(C.int(n)) // calls onChange, which locks mu
	}

After:

	func Set(n int) {
		mu.Lock()
		count = n
		mu.Unlock()
		C.set(C.int(n))
	}

It is said of mutexes that are variables of the package, and where the body of the C function comes to
the exported function by calls that are seen. One in a field may be another value's, and is a warning.
C that calls through a pointer isn't followed.`,
	Run: run,
}

func run(p *rule.Pass) {
	takers := map[string]map[*types.Var]bool{} // the mutexes that an exported function takes
	exports, decls := p.Exports(), p.Declarations()
	p.Functions(func(d *ast.FuncDecl) {
		if exports[d.Name.Name] && d.Recv == nil {
			takers[d.Name.Name] = taken(p, d, decls, map[*ast.FuncDecl]bool{})
		}
	})
	if len(takers) == 0 {
		return
	}
	p.Functions(func(d *ast.FuncDecl) { check(p, d, takers) })
}

// taken are the mutexes that a function locks, and those that it calls in the package lock.
func taken(p *rule.Pass, d *ast.FuncDecl, decls map[*types.Func]*ast.FuncDecl, seen map[*ast.FuncDecl]bool) map[*types.Var]bool {
	all := map[*types.Var]bool{}
	if seen[d] {
		return all
	}
	seen[d] = true
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			return false
		case *ast.CallExpr:
			if v := flow.Mutex(p.Package, n, "Lock", "RLock"); v != nil {
				all[v] = true
			} else if next := decls[p.Callee(n)]; next != nil {
				for v := range taken(p, next, decls, seen) {
					all[v] = true
				}
			}
		}
		return true
	})
	return all
}

func check(p *rule.Pass, d *ast.FuncDecl, takers map[string]map[*types.Var]bool) {
	var g *flow.Graph
	ast.Inspect(d.Body, func(n ast.Node) bool {
		lock, ok := n.(*ast.CallExpr)
		if !ok || flow.Function(p.Package, lock) != d {
			return true
		}
		v := flow.Mutex(p.Package, lock, "Lock", "RLock")
		if _, deferred := p.Parent(lock).(*ast.DeferStmt); v == nil || deferred {
			return true
		}
		if g == nil {
			g = flow.NewGraph(p.Package, d)
		}
		var call *ast.CallExpr
		var way []string
		g.From(lock, flow.Search{Node: func(x ast.Node) flow.Step {
			if call, way = callsBack(p, x, v, takers); call != nil {
				return flow.Hit
			}
			if flow.Unlocks(p.Package, x, v) {
				return flow.Stop
			}
			return flow.Go
		}})
		if call == nil {
			return true
		}
		severity, whose := rule.Error, ""
		if v.IsField() {
			severity, whose = rule.Warning, ", if it is the same one"
		}
		p.Report(rule.Finding{
			At: call, Severity: severity, Also: []rule.Also{{At: lock.Pos(), Message: "locked here"}},
			Message: fmt.Sprintf("%s is locked, and this call comes back to Go (%s), which locks it too%s: the goroutine waits for itself; unlock it before the call", v.Name(), strings.Join(way, " → "), whose),
		})
		return true
	})
}

// callsBack is a call of C in a node that comes to an exported function which takes a mutex.
func callsBack(p *rule.Pass, n ast.Node, v *types.Var, takers map[string]map[*types.Var]bool) (call *ast.CallExpr, way []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.DeferStmt, *ast.GoStmt:
			return false
		case *ast.CallExpr:
			if name, ok := p.CCall(n); ok && call == nil {
				if way = p.C.Reaches(name, func(f string) bool { return takers[f][v] }); way != nil {
					call = n
				}
			}
		}
		return call == nil
	})
	return call, way
}
