// Package tinygoroutine finds goroutines that do less than they cost.
package tinygoroutine

import (
	"go/ast"
	"go/token"
	"go/types"

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
			g, body := started(p, n, decls)
			if body == nil || !inLoop(p, g) || !tiny(p, body) {
				return true
			}
			price := ""
			if ns := p.Measured.Prices().Goroutine; ns > 0 {
				price = " (" + measured.NS(ns) + " here)"
			}
			p.Reportf(g, rule.Note, "this goroutine does less than starting it costs%s: do the work in the loop, or give each goroutine a part of the list", price)
			return true
		})
	}
}

// started is the body of the function that a node starts a goroutine with: by a go statement, or
// by a sync.WaitGroup.
func started(p *rule.Pass, n ast.Node, decls map[*types.Func]*ast.FuncDecl) (at ast.Node, body *ast.BlockStmt) {
	var fun ast.Expr
	switch n := n.(type) {
	case *ast.GoStmt:
		if d := decls[p.Callee(n.Call)]; d != nil {
			return n, d.Body
		}
		fun = n.Call.Fun
	case *ast.CallExpr:
		if !p.Calls(n, "sync", "WaitGroup.Go") || len(n.Args) != 1 {
			return nil, nil
		}
		fun = n.Args[0]
	default:
		return nil, nil
	}
	if lit, ok := ast.Unparen(fun).(*ast.FuncLit); ok {
		return n, lit.Body
	}
	return nil, nil
}

func inLoop(p *rule.Pass, n ast.Node) bool {
	for n = p.Parent(n); n != nil; n = p.Parent(n) {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		case *ast.FuncDecl, *ast.FuncLit:
			return false
		}
	}
	return false
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
