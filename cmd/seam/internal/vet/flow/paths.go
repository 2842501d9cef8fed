package flow

import (
	"go/ast"

	"golang.org/x/tools/go/cfg"

	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Graph is the control flow of one function.
type Graph struct {
	p   *source.Package
	fn  ast.Node
	cfg *cfg.CFG
}

// NewGraph makes the graph of a function.
func NewGraph(p *source.Package, fn ast.Node) *Graph {
	return &Graph{p, fn, cfg.New(Body(fn), func(c *ast.CallExpr) bool { return mayReturn(p, c) })}
}

func mayReturn(p *source.Package, c *ast.CallExpr) bool {
	if p.IsBuiltin(c, "panic") {
		return false
	}
	f := p.Callee(c)
	if f == nil || f.Pkg() == nil {
		return true
	}
	switch f.Pkg().Path() + "." + source.FuncName(f) {
	case "os.Exit", "runtime.Goexit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf", "log.Panicln",
		"log.Logger.Fatal", "log.Logger.Fatalf", "log.Logger.Fatalln", "syscall.Exit":
		return false
	}
	return true
}

// Step is what a search does after a node.
type Step int

// The steps.
const (
	Go   Step = iota // on
	Stop             // this way is of no interest
	Hit              // here is what was searched for
)

// A Search walks all ways from a node, each place once.
type Search struct {
	Node   func(n ast.Node) Step                // at each statement and condition
	Branch func(cond ast.Expr, branch int) Step // at each way out of a condition; may be nil
}

// From walks the ways that begin after the node that contains at, and returns the first
// hit: a node, or the condition of a branch.
func (g *Graph) From(at ast.Node, s Search) ast.Node {
	for _, b := range g.cfg.Blocks {
		if !b.Live {
			continue
		}
		for i, n := range b.Nodes {
			if n.Pos() <= at.Pos() && at.End() <= n.End() {
				return g.walk(b, i+1, s, map[*cfg.Block]bool{})
			}
		}
	}
	return nil
}

// FromStart walks all ways from the beginning of the function.
func (g *Graph) FromStart(s Search) ast.Node {
	return g.walk(g.cfg.Blocks[0], 0, s, map[*cfg.Block]bool{})
}

func (g *Graph) walk(b *cfg.Block, i int, s Search, seen map[*cfg.Block]bool) ast.Node {
	if i == 0 {
		if seen[b] {
			return nil
		}
		seen[b] = true
	}
	for _, n := range b.Nodes[i:] {
		switch s.Node(n) {
		case Stop:
			return nil
		case Hit:
			return n
		}
	}
	for k, next := range b.Succs {
		if len(b.Succs) == 2 && len(b.Nodes) > 0 && s.Branch != nil {
			if cond, ok := b.Nodes[len(b.Nodes)-1].(ast.Expr); ok {
				switch s.Branch(cond, k) {
				case Stop:
					continue
				case Hit:
					return cond
				}
			}
		}
		if hit := g.walk(next, 0, s, seen); hit != nil {
			return hit
		}
	}
	return nil
}

// UsesIn returns the uses of a value in a node of the graph, in the order of the source.
// A use in a literal that is deferred there counts as one of the node; one in another
// literal is [Lost].
func (g *Graph) UsesIn(n ast.Node, v *Value) []Use {
	var uses []Use
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		u, ok := v.Uses[id]
		if !ok {
			return true
		}
		if lit, deferred := InLiteral(g.p, g.fn, id); lit != nil && !deferred {
			u.Kind, u.Address = Lost, false
		}
		uses = append(uses, u)
		return true
	})
	return uses
}

// Contains reports whether n is a part of whole.
func Contains(whole, n ast.Node) bool {
	return whole != nil && whole.Pos() <= n.Pos() && n.End() <= whole.End()
}
