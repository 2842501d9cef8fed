// Package deferloop finds C memory that a loop frees only when its function ends.
package deferloop

import (
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "defer-loop",
	Title:    "a deferred free in a loop: the memory of all rounds is held until the function ends",
	Severity: rule.Warning,
	Since:    "0.9",
	Doc: `A deferred call runs when the function ends, not at the end of the round. In a loop that is long,
or that waits for what comes, the memory of every round stays.

Before:

	for line := range lines {
		cs := C.CString(line)
		defer C.free(unsafe.Pointer(cs))
		C.add(cs)
	}

After:

	for line := range lines {
		cs := C.CString(line)
		C.add(cs)
		C.free(unsafe.Pointer(cs))
	}

It is a warning where the loop has no end that can be seen: over a channel, or for without a condition.
Elsewhere it is a note, as the loop may be short, or the memory be needed until all rounds are over;
where the pointer leaves the round, nothing is said.`,
	Run: run,
}

func run(p *rule.Pass) {
	p.Functions(func(decl *ast.FuncDecl) {
		ast.Inspect(decl, func(n ast.Node) bool {
			d, ok := n.(*ast.DeferStmt)
			if !ok {
				return true
			}
			call := freeing(p, d)
			if call == nil {
				return true
			}
			loop, endless := around(p, d)
			if loop == nil || !inRound(p, loop, call) {
				return true
			}
			name, _ := p.CCall(call)
			severity, say := rule.Note, "the memory of all rounds of the loop is held until the function ends"
			if endless {
				severity, say = rule.Warning, "this loop has no end that can be seen, and the memory of each round is held until the function ends"
			}
			p.Report(rule.Finding{At: d, Severity: severity, Message: "C." + name + " is deferred: " + say + "; free it at the end of the round", Also: []rule.Also{{At: loop.Pos(), Message: "the loop"}}})
			return true
		})
	})
}

// freeing is the call of C that frees, in a defer statement; nil if there is none.
func freeing(p *rule.Pass, d *ast.DeferStmt) (found *ast.CallExpr) {
	ast.Inspect(d, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && found == nil && len(call.Args) > 0 {
			if name, ok := p.CCall(call); ok && flow.FreesByName(name) {
				found = call
			}
		}
		return found == nil
	})
	return found
}

// around is the innermost loop around a node in its function, and whether it has no end that can be seen.
func around(p *rule.Pass, n ast.Node) (loop ast.Node, endless bool) {
	loop = p.Enclosing(n, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.FuncDecl:
			return true
		}
		return false
	})
	switch l := loop.(type) {
	case *ast.ForStmt:
		return l, l.Cond == nil
	case *ast.RangeStmt:
		t := p.Info.TypeOf(l.X)
		return l, t != nil && isChannel(t)
	}
	return nil, false
}

// inRound reports whether what is freed is a variable of the round that doesn't leave it.
func inRound(p *rule.Pass, loop ast.Node, free *ast.CallExpr) bool {
	v := p.Variable(flow.Strip(p.Package, free.Args[0]))
	if v == nil || v.Pos() < loop.Pos() || loop.End() < v.Pos() {
		return false
	}
	for _, u := range flow.Follow(p.Package, loop, v).Uses {
		switch u.Kind {
		case flow.Stored, flow.Given, flow.Lost:
			return false
		case flow.Moved:
			if u.To == nil || u.To.Pos() < loop.Pos() {
				return false
			}
		}
	}
	return true
}

func isChannel(t types.Type) bool {
	_, ok := types.Unalias(t).Underlying().(*types.Chan)
	return ok
}
