// Package tinygoroutine finds goroutines that do less than they cost.
package tinygoroutine

import (
	"go/ast"
	"go/token"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/measured"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "tiny-goroutine",
	Title:    "a goroutine for every round of a loop, for less work than starting it is",
	Severity: rule.Note,
	Since:    "0.9",
	Doc: `Starting a goroutine and waiting for it costs some hundred nanoseconds, about as much as a
system call. A goroutine that adds two numbers costs a hundred times what it does, and the
processors share nothing but the wait for each other.

Before:

	for i := range list {
		wg.Add(1)
		go func() { defer wg.Done(); out[i] = 2 * list[i] }()
	}

After: a loop; or, for much work, a goroutine for each processor, with a part of the list for
each:

	for part := range slices.Chunk(list, (len(list)+n-1)/n) { … }

Reported if the goroutine has no loop, waits for nothing, and calls nothing but what takes a
few instructions. What a goroutine costs on this machine: seam lab spawn.`,
	Run: run,
}

func run(p *rule.Pass) {
	decls := p.Declarations()
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			started := flow.Started(p.Package, n, decls)
			if started == nil || !flow.InLoop(p.Package, n) || !tiny(p, flow.Body(started)) {
				return true
			}
			price := ""
			if ns := p.Measured.Prices().Goroutine; ns > 0 {
				price = " (" + measured.NS(ns) + " here)"
			}
			p.Reportf(n, rule.Note, "this goroutine does less than starting it costs%s: do the work in the loop, or give each goroutine a part of the list", price)
			return true
		})
	}
}

// tiny reports whether a body is known to be a few instructions, at least one of them work.
func tiny(p *rule.Pass, body *ast.BlockStmt) bool {
	if len(body.List) > 6 {
		return false
	}
	small, works := true, false
	ast.Inspect(body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SelectStmt, *ast.SendStmt, *ast.GoStmt, *ast.FuncLit, *ast.CompositeLit:
			small = false
		case *ast.UnaryExpr:
			if x.Op == token.ARROW {
				small = false
			}
		case *ast.AssignStmt, *ast.IncDecStmt:
			works = true
		case *ast.CallExpr:
			switch {
			case p.IsConversion(x), p.IsBuiltin(x, "len", "cap", "min", "max", "real", "imag", "complex"):
			case cheap(p, x):
			default:
				small = false
			}
		}
		return small
	})
	return small && works
}

// cheap reports whether a call is one of those that take a few instructions and wait for
// nobody; a mutex isn't among them.
func cheap(p *rule.Pass, call *ast.CallExpr) bool {
	f := p.Callee(call)
	if f == nil || f.Pkg() == nil {
		return false
	}
	switch f.Pkg().Path() {
	case "math", "math/bits", "sync/atomic", "unicode", "unicode/utf8":
		return true
	case "sync":
		return source.FuncName(f) == "WaitGroup.Done"
	}
	return false
}
