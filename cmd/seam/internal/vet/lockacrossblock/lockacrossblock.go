// Package lockacrossblock finds C calls that wait while a mutex is held.
package lockacrossblock

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "lock-across-block",
	Title:    "a C call that waits while a mutex is held that others need",
	Severity: rule.Warning,
	Since:    "0.9",
	Doc: `A goroutine that waits in C can't be interrupted, neither by a context nor by Close. If it
holds the mutex that Close takes, Close waits as well, for as long.

Before:

	func (c *Conn) Read() { c.mu.Lock(); defer c.mu.Unlock(); C.conn_wait(c.c) }
	func (c *Conn) Close() { c.mu.Lock(); defer c.mu.Unlock(); C.conn_close(c.c) }

After:

	func (c *Conn) Close() { C.conn_wake(c.c); c.mu.Lock(); … }

or let C return after a short time and look at a flag between the calls; coro of Seam makes
the waits of a C library end with a context.

A call counts as waiting if the body of the C function comes to one that waits for others or for
the time (poll, recv, sem_wait, sleep) within three calls. Files and terminals don't count.`,
	Run: run,
}

func run(p *rule.Pass) {
	takers := map[*types.Var]int{} // mutexes, by how many functions lock them
	p.Functions(func(d *ast.FuncDecl) {
		mine := map[*types.Var]bool{}
		ast.Inspect(d.Body, func(n ast.Node) bool {
			if v := locked(p, n); v != nil {
				mine[v] = true
			}
			return true
		})
		for v := range mine {
			takers[v]++
		}
	})
	in := waiters(p)
	p.Functions(func(d *ast.FuncDecl) { check(p, d, takers, in) })
}

func check(p *rule.Pass, d *ast.FuncDecl, takers map[*types.Var]int, in map[*types.Func][]string) {
	var g *flow.Graph
	ast.Inspect(d.Body, func(n ast.Node) bool {
		v := locked(p, n)
		if v == nil || takers[v] < 2 {
			return true
		}
		if _, deferred := p.Parent(n).(*ast.DeferStmt); deferred || flow.Function(p.Package, n) != d {
			return true
		}
		if g == nil {
			g = flow.NewGraph(p.Package, d)
		}
		var call *ast.CallExpr
		var way []string
		g.From(n, flow.Search{Node: func(x ast.Node) flow.Step {
			if call, way = waits(p, x, in); call != nil {
				return flow.Hit
			}
			if flow.Unlocks(p.Package, x, v) {
				return flow.Stop
			}
			return flow.Go
		}})
		if call != nil {
			p.Report(rule.Finding{
				At: call, Severity: rule.Warning,
				Message: "this call may wait (" + strings.Join(way, " → ") + ") while " + v.Name() + " is locked, which other functions lock too",
				Also:    []rule.Also{{At: n.Pos(), Message: "locked here"}},
			})
		}
		return true
	})
}

// locked is the mutex that a call locks: a field or a variable.
func locked(p *rule.Pass, n ast.Node) *types.Var { return flow.Mutex(p.Package, n, "Lock", "RLock") }

// waiters are the Go functions of the package that come to a C call which waits, by few calls
// of each other, each with the way. One that unlocks a mutex may do so to wait.
func waiters(p *rule.Pass) map[*types.Func][]string {
	in := map[*types.Func][]string{}
	for range 3 {
		p.Functions(func(d *ast.FuncDecl) {
			f, ok := p.Info.Defs[d.Name].(*types.Func)
			if !ok || in[f] != nil || flow.Unlocks(p.Package, d, nil) {
				return
			}
			for _, s := range d.Body.List {
				if _, way := waits(p, s, in); way != nil {
					in[f] = append([]string{d.Name.Name}, way...)
					return
				}
			}
		})
	}
	return in
}

// waits is a call in a node that comes to a C function that waits, in C or by way of Go.
func waits(p *rule.Pass, n ast.Node, in map[*types.Func][]string) (call *ast.CallExpr, way []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.DeferStmt, *ast.GoStmt:
			return false
		case *ast.CallExpr:
			if call != nil {
				return false
			}
			if name, ok := p.CCall(n); ok {
				way = p.C.Waits(name)
			} else if f := p.Callee(n); f != nil {
				way = in[f]
			}
			if way != nil {
				call = n
			}
		}
		return call == nil
	})
	return call, way
}
