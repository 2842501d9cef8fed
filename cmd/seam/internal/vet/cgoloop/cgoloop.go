// Package cgoloop finds loops that cross into C for every element.
package cgoloop

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/vet/crossing"
	"github.com/seamgo/seam/cmd/seam/internal/vet/measured"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
	"github.com/seamgo/seam/cmd/seam/internal/weld/callgraph"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "cgo-loop",
	Title:    "a C call for every element of a loop, which costs more than the C does",
	Severity: rule.Warning,
	Since:    "0.9",
	Doc: `A call of C costs as much as some hundred instructions, whatever the C does. A function of a few
instructions that is called for each element spends its time in crossing.

Before:

	for i := range points {
		points[i].norm = float64(C.norm(C.double(points[i].x), C.double(points[i].y)))
	}

After: one call for all of them,

	C.norms((*C.struct_point)(unsafe.Pointer(&points[0])), C.int(len(points)))

or the same source built by seam weld, which calls such functions without the crossing.

Without figures it is a note, one for each C function whose body is seen to do little and that
gets an argument, or is a condition, that changes with the loop; and one for a loop that calls C
so at three places or more, whatever the C does. A Go function that does little but call such C,
with numbers and structs, counts as the call itself, in other packages too. With prices (seam lab --json seam.lab.json beside go.mod,
or --lab FILE) it says what a call costs on this machine; with a trace (seam.trace beside go.mod,
or --trace FILE) how often a second the line called, for all C functions, and is silent about lines
for which the crossings took less than a hundredth of a processor; from a twentieth on it is a
warning. With a profile (--profile FILE) it says which part of the time passed there.`,
	Run: run,
}

// Parts of a processor from which a measured loop is worth a note, and a warning.
const (
	notable = 0.01
	heavy   = 0.05
)

func run(p *rule.Pass) {
	noted := map[string]bool{} // C functions that nothing was measured of: one note is enough
	told := map[ast.Node]bool{}
	sites := map[ast.Node][]*ast.CallExpr{} // by loop, those that change with it
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name, ok := p.CCall(call); ok {
				if loop := loopAround(p, call); loop != nil {
					if check(p, call, name, loop, noted) {
						told[loop] = true
					} else if !crossing.Copies(name) && p.Measured.Prices().Calls == nil && changes(p, call, loop) {
						sites[loop] = append(sites[loop], call)
					}
				}
			} else if f := p.Callee(call); f != nil && !noted[f.FullName()] {
				if fact := p.Crosses.Of(f); fact != nil {
					noted[f.FullName()] = covered(p, call, f, fact)
				}
			}
			return true
		})
	}
	for loop, calls := range sites {
		if len(calls) >= many && !told[loop] {
			p.Report(rule.Finding{
				At: calls[0], Severity: rule.Note, Also: []rule.Also{{At: loop.Pos(), Message: "the loop"}},
				Message: fmt.Sprintf("this loop crosses into C at %d places in every round%s: a C function that does a round, or all of them, crosses once", len(calls), money(p.Measured.Prices(), 0, 0)),
			})
		}
	}
}

// many is how many C calls a loop has that does in Go what could be a C function.
const many = 3

// covered reports a call of a Go function that does little but call C, and whether it did.
func covered(p *rule.Pass, call *ast.CallExpr, f *types.Func, fact *crossing.Fact) bool {
	loop := loopAround(p, call)
	if loop == nil || !changes(p, call, loop) {
		return false
	}
	site := measured.Site{Package: fact.Package, C: fact.C, File: fact.File, Line: fact.Line}
	prices := p.Measured.Prices()
	rate, share := p.Measured.CallsAt(site), p.Measured.ShareAt(site) // of all callers
	part := rate * prices.Cgo / 1e9
	if rate > 0 && prices.Cgo > 0 && part < notable {
		return false
	}
	severity := rule.Note
	if part >= heavy {
		severity = rule.Warning
	}
	p.Report(rule.Finding{
		At: call, Severity: severity, Also: []rule.Also{{At: loop.Pos(), Message: "the loop"}},
		Message: fmt.Sprintf("%s does little but call C.%s, in every round of this loop%s: a C function that takes all elements crosses once, or weld it", source.FuncName(f), fact.C, money(prices, rate, share)),
	})
	return true
}

// check reports a call, or returns false.
func check(p *rule.Pass, call *ast.CallExpr, name string, loop ast.Node, noted map[string]bool) bool {
	at := p.Position(call.Pos())
	site := measured.At(p.Types.Path(), name, at.Filename, at.Line)
	prices := p.Measured.Prices()
	rate, share := p.Measured.CallsAt(site), p.Measured.ShareAt(site)
	part := rate * prices.Cgo / 1e9 // of a processor, for the crossings
	if crossing.Copies(name) && part < notable {
		return false
	}
	known := rate > 0 && prices.Cgo > 0
	if known && part < notable || !known && (noted[name] || !little(p, name) || !changes(p, call, loop)) {
		return false
	}
	noted[name] = noted[name] || !known
	severity := rule.Note
	if part >= heavy {
		severity = rule.Warning
	}
	p.Report(rule.Finding{
		At: call, Severity: severity, Also: []rule.Also{{At: loop.Pos(), Message: "the loop"}},
		Message: fmt.Sprintf("C.%s is called in every round of this loop%s: pass it all elements at once, or weld it", name, money(prices, rate, share)),
	})
	return true
}

// money says what was measured, and nothing else.
func money(prices measured.Facts, rate, share float64) (text string) {
	if rate > 0 {
		text += fmt.Sprintf(", %s times a second", quantity.Number(rate))
	}
	if prices.Cgo > 0 {
		text += fmt.Sprintf("; a crossing costs %s here", measured.NS(prices.Cgo))
		if rate > 0 {
			text += fmt.Sprintf(", which makes %.1f %% of a processor", rate*prices.Cgo/1e7)
		}
		if prices.Leaf > 0 {
			text += fmt.Sprintf(", welded %s", measured.NS(prices.Leaf))
		}
	}
	if share > 0 {
		text += fmt.Sprintf("; %.1f %% of the profile's time passes in this call", 100*share)
	}
	return text
}

// loopAround is the loop of its function that a call is in, unless a way out of the loop
// follows it, or the loop waits for ever.
func loopAround(p *rule.Pass, call *ast.CallExpr) ast.Node {
	for n := p.Parent(call); n != nil; n = p.Parent(n) {
		switch x := n.(type) {
		case *ast.ForStmt:
			if x.Cond == nil && x.Post == nil {
				return nil
			}
			if x.Init != nil && x.Init.Pos() <= call.Pos() && call.End() <= x.Init.End() {
				continue
			}
			return x
		case *ast.RangeStmt:
			if x.X.Pos() <= call.Pos() && call.End() <= x.X.End() {
				continue
			}
			return x
		case *ast.ReturnStmt, *ast.FuncDecl, *ast.FuncLit, *ast.DeferStmt:
			return nil
		case *ast.BlockStmt:
			if len(x.List) > 0 {
				switch x.List[len(x.List)-1].(type) {
				case *ast.ReturnStmt, *ast.BranchStmt:
					if _, loop := p.Parent(x).(*ast.ForStmt); !loop {
						return nil // once, on the way out
					}
				}
			}
		}
	}
	return nil
}

// little reports whether a C function is seen to do no more than a few instructions.
func little(p *rule.Pass, name string) bool {
	f := p.C.Func(name)
	if f == nil || !f.Defined || f.Loops || f.Indirect || f.Assembly {
		return false
	}
	for _, c := range f.Calls {
		g := p.C.Func(c)
		if callgraph.ClassOf(c) != callgraph.Harmless && (g == nil || !g.Defined || g.Loops || g.Indirect || len(g.Calls) > 0) {
			return false
		}
	}
	return true
}

// changes reports whether a call is the loop's condition, or has an argument made of a
// variable that changes in every round.
func changes(p *rule.Pass, call *ast.CallExpr, loop ast.Node) bool {
	varies := map[types.Object]bool{}
	note := func(e ast.Node) {
		if id, ok := e.(*ast.Ident); ok {
			if v := p.Info.ObjectOf(id); v != nil {
				varies[v] = true
			}
		}
	}
	switch x := loop.(type) {
	case *ast.RangeStmt:
		if x.Key != nil {
			note(x.Key)
		}
		if x.Value != nil {
			note(x.Value)
		}
	case *ast.ForStmt:
		if x.Cond != nil && x.Cond.Pos() <= call.Pos() && call.End() <= x.Cond.End() {
			return true
		}
		if x.Post != nil {
			ast.Inspect(x.Post, func(n ast.Node) bool { note(n); return true })
		}
	}
	var body *ast.BlockStmt
	switch x := loop.(type) {
	case *ast.RangeStmt:
		body = x.Body
	case *ast.ForStmt:
		body = x.Body
	}
	ast.Inspect(body, func(n ast.Node) bool { // made of them
		if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && a.End() <= call.Pos() {
			for _, r := range a.Rhs {
				ast.Inspect(r, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && varies[p.Info.Uses[id]] {
						for _, l := range a.Lhs {
							note(l)
						}
					}
					return true
				})
			}
		}
		return true
	})
	found := false
	values := call.Args
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		values = append(slices.Clip(values), sel.X) // the receiver
	}
	for _, a := range values {
		ast.Inspect(a, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && varies[p.Info.Uses[id]] {
				found = true
			}
			return !found
		})
	}
	return found
}
