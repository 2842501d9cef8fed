// Package threadlock finds goroutines that stay locked to a thread, and C that needs one and has none.
package threadlock

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/vet/contracts"
	"github.com/seamgo/seam/cmd/seam/internal/vet/csource"
	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "thread-lock",
	Title:    "a goroutine that isn't unlocked from its thread, or C that counts for a thread and is called without one",
	Severity: rule.Warning,
	Since:    "0.9",
	Doc: `runtime.LockOSThread counts: each needs an UnlockOSThread, or the thread belongs to the goroutine
until it ends, and ends with it. What C sets for a thread, a current context or device, holds for the
next call only if the goroutine is still on that thread.

Before:

	runtime.LockOSThread()
	defer runtime.LockOSThread()
	C.gl_make_current(ctx)

After:

	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	C.gl_make_current(ctx)

A function that never unlocks is believed to want the thread for ever; it is said where one deferred
the wrong call, or unlocks on some ways and not on others. C counts for a thread if a contract of its
library says so, or its body is seen to set a variable of which each thread has its own, that the body
of another call in the same function reads. Callers that lock the thread aren't asked if they are in
other packages.`,
	Run: run,
}

func run(p *rule.Pass) {
	p.Functions(func(d *ast.FuncDecl) {
		unbalanced(p, d)
		unlocked(p, d)
	})
}

// unbalanced reports a lock that is deferred in place of an unlock, and ways out without one.
func unbalanced(p *rule.Pass, d *ast.FuncDecl) {
	var locks []*ast.CallExpr
	unlocks := false
	ast.Inspect(d.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if p.Calls(call, "runtime", "LockOSThread") {
			if _, deferred := p.Parent(call).(*ast.DeferStmt); deferred {
				p.Report(rule.Finding{
					At: call, Severity: rule.Warning, Message: "runtime.LockOSThread is deferred: it locks once more when the function ends; UnlockOSThread is meant",
					Fix: &rule.Fix{Message: "unlock it", Edits: []rule.Edit{{Pos: call.Fun.Pos(), End: call.Fun.End(), New: "runtime.UnlockOSThread"}}},
				})
			} else if flow.Function(p.Package, call) == d {
				locks = append(locks, call)
			}
		}
		unlocks = unlocks || p.Calls(call, "runtime", "UnlockOSThread")
		return true
	})
	if !unlocks || len(locks) == 0 || deferredUnlock(p, d) {
		return
	}
	g := flow.NewGraph(p.Package, d)
	for _, l := range locks {
		at := g.From(l, flow.Search{Node: func(n ast.Node) flow.Step {
			if calls(p, n, "UnlockOSThread") {
				return flow.Stop
			}
			if _, ends := n.(*ast.ReturnStmt); ends {
				return flow.Hit
			}
			return flow.Go
		}})
		if at != nil && !handsOver(p, at) {
			p.Report(rule.Finding{
				At: l, Severity: rule.Warning, Also: []rule.Also{{At: at.Pos(), Message: "the function ends here without it"}},
				Message: fmt.Sprintf("the thread is not unlocked on the way to line %d, and stays the goroutine's: defer runtime.UnlockOSThread()", p.Position(at.Pos()).Line),
			})
			return
		}
	}
}

// handsOver reports whether a function that returns so may leave its lock to another one: it returns no
// error, and a function of the package unlocks what it hasn't locked, as begin and commit do.
func handsOver(p *rule.Pass, at ast.Node) bool {
	r, ok := at.(*ast.ReturnStmt)
	if !ok || len(r.Results) == 0 {
		return false
	}
	last := r.Results[len(r.Results)-1]
	if t := p.Info.TypeOf(last); t == nil || !p.Info.Types[last].IsNil() && t.String() == "error" {
		return false
	}
	found := false
	p.Functions(func(d *ast.FuncDecl) {
		found = found || calls(p, d.Body, "UnlockOSThread") && !calls(p, d.Body, "LockOSThread")
	})
	return found
}

func calls(p *rule.Pass, n ast.Node, name string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && p.Calls(call, "runtime", name)
		return !found
	})
	return found
}

func deferredUnlock(p *rule.Pass, d *ast.FuncDecl) bool {
	found := false
	ast.Inspect(d.Body, func(n ast.Node) bool {
		s, ok := n.(*ast.DeferStmt)
		found = found || ok && calls(p, s, "UnlockOSThread")
		return !found
	})
	return found
}

// unlocked reports a call that counts for its thread and another that rests on it, in a function whose
// thread isn't locked, nor that of those that call it in the package.
func unlocked(p *rule.Pass, d *ast.FuncDecl) {
	var binds *ast.CallExpr
	var name string
	reported := false
	ast.Inspect(d.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || reported {
			return !reported
		}
		c, ok := p.CCall(call)
		if !ok {
			return true
		}
		switch {
		case binds != nil && rests(p.C, name, c) && flow.Function(p.Package, binds) == flow.Function(p.Package, call):
			reported = true
			f, _ := p.Info.Defs[d.Name].(*types.Func)
			if !locked(p, d) && !callersLock(p, f, 0) {
				p.Report(rule.Finding{
					At: call, Severity: rule.Warning, Also: []rule.Also{{At: binds.Pos(), Message: "what it sets is this thread's"}},
					Message: fmt.Sprintf("C.%s sets what counts for its thread, and C.%s may run on another: call runtime.LockOSThread before both", name, c),
				})
			}
		case binds == nil && sets(p.C, c):
			binds, name = call, c
		}
		return true
	})
}

// sets reports whether a C function changes what belongs to its thread.
func sets(c *csource.Facts, name string) bool {
	if k := contracts.Of(name); k != nil && k.Binds {
		return true
	}
	f := c.Func(name)
	return f != nil && f.Defined && slices.ContainsFunc(f.Sets, func(v string) bool { return slices.Contains(c.Threads, v) })
}

// rests reports whether a C function rests on what another has set: by its body, or as it isn't seen
// and has a contract's function before it.
func rests(c *csource.Facts, set, name string) bool {
	if set == name {
		return false
	}
	f := c.Func(name)
	if k := contracts.Of(set); k != nil && k.Binds {
		same := len(set) >= 2 && len(name) >= 2 && set[:2] == name[:2]
		return same && (f == nil || !f.Defined) // of the same library
	}
	if f == nil || !f.Defined {
		return false
	}
	return slices.ContainsFunc(f.Uses, func(v string) bool { return slices.Contains(c.Threads, v) && slices.Contains(c.Func(set).Sets, v) })
}

func locked(p *rule.Pass, d *ast.FuncDecl) bool { return calls(p, d.Body, "LockOSThread") }

// callersLock reports whether a function that only its package can call is always called with the
// thread locked.
func callersLock(p *rule.Pass, f *types.Func, depth int) bool {
	if f == nil || depth > 3 {
		return false
	}
	list, all := p.Values.Calls(f)
	if !all || len(list) == 0 {
		return false
	}
	for _, c := range list {
		fn, ok := p.Enclosing(c, func(n ast.Node) bool { _, ok := n.(*ast.FuncDecl); return ok }).(*ast.FuncDecl)
		if !ok {
			return false
		}
		g, _ := p.Info.Defs[fn.Name].(*types.Func)
		if !locked(p, fn) && !callersLock(p, g, depth+1) {
			return false
		}
	}
	return true
}
