// Package doublefree finds C memory that is freed twice, and deferred frees of what a variable held before.
package doublefree

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "double-free",
	Formerly: "cstring-leak",
	Title:    "C memory that is freed twice, or a deferred free of what the pointer held before it changed",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `C's heap is damaged by a second free, which shows later and elsewhere. A deferred call takes its
arguments where defer stands: what the variable gets afterwards isn't freed, and what it held may be
freed by C.realloc already.

Before:

	buf := C.malloc(n)
	defer C.free(buf)
	buf = C.realloc(buf, 2*n)

After:

	buf := C.malloc(n)
	defer func() { C.free(buf) }()
	buf = C.realloc(buf, 2*n)

It is asked of local variables in one function, and of C functions that free by their body or, where
that isn't seen, by their name.`,
	Run: func(p *rule.Pass) { p.Functions(func(d *ast.FuncDecl) { check(p, d) }) },
}

// check reports calls of C.free and its like on a variable that was freed, and deferred ones whose
// variable changes afterwards: the pointer is taken when defer is reached.
func check(p *rule.Pass, d *ast.FuncDecl) {
	for call, name := range p.CCallsIn(d) {
		if len(call.Args) != 1 || !flow.Destroys(p.Package, name, call) {
			continue
		}
		v := p.Variable(flow.Strip(p.Package, call.Args[0]))
		fn := flow.Function(p.Package, call)
		if v == nil || fn == nil || v.IsField() || v.Pos() < fn.Pos() || fn.End() < v.Pos() {
			continue
		}
		_, deferred := p.Parent(call).(*ast.DeferStmt)
		if !after(p, fn, call, name, v, deferred) && deferred && name == "free" {
			copyMoves(p, fn, call, v)
		}
	}
}

// sameRound reports whether a variable gets its value in the same statements of a loop as its
// deferred free stands in, before it: each round defers one for what it has got.
func sameRound(p *rule.Pass, assignment ast.Node, free *ast.CallExpr) bool {
	block := p.Parent(p.Parent(free))
	_, ok := block.(*ast.BlockStmt)
	return ok && p.Parent(assignment) == block && assignment.End() <= free.Pos()
}

// copyMoves reports a deferred free of a variable that is a copy of another one, of which C moves the
// memory afterwards: what is freed is gone then.
func copyMoves(p *rule.Pass, fn ast.Node, free *ast.CallExpr, v *types.Var) {
	of := copied(p, fn, v)
	if of == nil || of.Pos() < fn.Pos() || fn.End() < of.Pos() {
		return
	}
	g := flow.NewGraph(p.Package, fn)
	hit := g.From(free, flow.Search{Node: func(n ast.Node) flow.Step {
		switch {
		case flow.Contains(n, free):
			return flow.Stop
		case changesInC(p, n, of, free) != "", flow.Assigned(p.Package, n, of) && flow.GivesBack(p.Package, n, of) && reallocates(p, n):
			return flow.Hit
		case flow.Assigned(p.Package, n, of):
			return flow.Stop
		}
		return flow.Go
	}})
	if hit == nil {
		return
	}
	p.Report(rule.Finding{
		At: free, Severity: rule.Error, Also: []rule.Also{{At: hit.Pos(), Message: "the memory moves here"}},
		Message: fmt.Sprintf("the deferred C.free frees %s, a copy of %s, whose memory moves at line %d: free what %s holds at the end, in a function literal", v.Name(), of.Name(), p.Position(hit.Pos()).Line, of.Name()),
	})
}

// copied is the local variable that another one is a copy of, if it never gets another value.
func copied(p *rule.Pass, fn ast.Node, v *types.Var) (of *types.Var) {
	times := 0
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if p.Variable(l) == v {
					times++
					if len(n.Lhs) == len(n.Rhs) {
						of = p.Variable(flow.Strip(p.Package, n.Rhs[i]))
					}
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if p.Info.Defs[name] == v && i < len(n.Values) {
					times++
					of = p.Variable(flow.Strip(p.Package, n.Values[i]))
				}
			}
		}
		return true
	})
	if times != 1 || of == v || of != nil && of.IsField() {
		return nil
	}
	return of
}

// after reports a free of a variable that was freed, or a deferred one whose variable changes
// afterwards, and whether it did.
func after(p *rule.Pass, fn ast.Node, free *ast.CallExpr, name string, v *types.Var, deferred bool) bool {
	g := flow.NewGraph(p.Package, fn)
	value := flow.Follow(p.Package, fn, v)
	changed := false
	var byC string // the C function that changes it
	hit := g.From(free, flow.Search{Node: func(n ast.Node) flow.Step {
		if flow.Contains(n, free) {
			return flow.Stop
		}
		if deferred {
			if byC = changesInC(p, n, v, free); byC != "" {
				changed = true
				return flow.Hit
			}
		}
		for _, u := range g.UsesIn(n, value) {
			switch {
			case u.Kind == flow.ToC && u.Name == name && p.Variable(flow.Strip(p.Package, u.At)) == v:
				if !deferred && flow.Apart(p.Package, fn, free, u.At) {
					return flow.Stop
				}
				return flow.Hit
			case u.Kind == flow.Lost:
				return flow.Stop
			}
		}
		if !flow.Assigned(p.Package, n, v) {
			return flow.Go
		}
		if !deferred || sameRound(p, n, free) || !changes(p, n) || flow.GivesBack(p.Package, n, v) && !reallocates(p, n) {
			return flow.Stop
		}
		changed = true
		return flow.Hit
	}, Branch: func(cond ast.Expr, branch int) flow.Step {
		if flow.Nil(p.Package, cond, func(x *types.Var) (bool, bool) { return x == v, false }) == branch {
			return flow.Stop
		}
		return flow.Go
	}})
	if hit == nil {
		return false
	}
	line := p.Position(hit.Pos()).Line
	f := rule.Finding{At: free, Severity: rule.Error, Also: []rule.Also{{At: hit.Pos(), Message: "again here"}}}
	if name != "free" {
		f.Severity = rule.Warning // its name says so, or it frees on some path
	}
	if changed && byC != "" && flow.Unset(p.Package, v, free) {
		f.Severity = rule.Warning // what C gives may be its own
		f.Message = fmt.Sprintf("the deferred C.%s frees nothing: %s has no value yet, and gets one at line %d", name, v.Name(), line)
		f.Fix = deferLiteral(p, free)
		f.Also[0].Message = "C." + byC + " sets it here"
	} else if changed {
		f.Message = fmt.Sprintf("the deferred C.%s frees what %s holds here, not what it gets at line %d: defer a function literal that calls C.%[1]s", name, v.Name(), line)
		f.Also[0].Message = "the pointer changes here"
		if byC != "" {
			f.Also[0].Message = "C." + byC + " gets the address of the pointer here, and changes it"
		}
		f.Fix = deferLiteral(p, free)
	} else {
		f.Message = fmt.Sprintf("%s is freed here and again at line %d", v.Name(), line)
	}
	p.Report(f)
	return true
}

// changesInC is the C function that a node gives the address of a pointer to, and that frees
// what it leads to or gets other memory: by what is seen of its body, or as there is nothing
// to free where the pointer was only declared.
func changesInC(p *rule.Pass, n ast.Node, v *types.Var, free *ast.CallExpr) string {
	for call, name := range p.CCallsIn(n) {
		for _, a := range call.Args {
			u, ok := flow.Strip(p.Package, a).(*ast.UnaryExpr)
			if ok && u.Op == token.AND && p.Variable(u.X) == v && (flow.Unset(p.Package, v, free) || flow.Moves(p.Package, name)) {
				return name
			}
		}
	}
	return ""
}

// reallocates reports whether a node calls C that may free what it is given and return other memory.
func reallocates(p *rule.Pass, n ast.Node) bool {
	for _, name := range p.CCallsIn(n) {
		if flow.Moves(p.Package, name) {
			return true
		}
	}
	return false
}

// changes reports whether an assignment gives a variable another value than nil; a
// declaration makes a new one instead.
func changes(p *rule.Pass, n ast.Node) bool {
	a, ok := n.(*ast.AssignStmt)
	return ok && a.Tok == token.ASSIGN && !(len(a.Rhs) == 1 && p.Info.Types[a.Rhs[0]].IsNil())
}

// deferLiteral makes the pointer that of the function's end.
func deferLiteral(p *rule.Pass, free *ast.CallExpr) *rule.Fix {
	return &rule.Fix{Message: "free what the variable holds at the end", Edits: []rule.Edit{
		{Pos: free.Pos(), End: free.Pos(), New: "func() { "}, {Pos: free.End(), End: free.End(), New: " }()"},
	}}
}
