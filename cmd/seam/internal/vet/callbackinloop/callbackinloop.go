// Package callbackinloop finds C that calls Go in a loop.
package callbackinloop

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/measured"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "callback-in-loop",
	Title:    "C that calls a Go function in every round of a loop",
	Severity: rule.Note,
	Since:    "0.9",
	Doc: `A call of Go by C costs more than one of C by Go: the thread has to become a goroutine's again,
and C's stack stays below. In a loop over rows or elements that is most of the time.

Before:

	for (i = 0; i < n; i++)
		goRow(h, &rows[i]); // exported by Go

After: collect in C, and call Go once for many; or turn the loop around, so that Go asks for the
next row. Without a change of the source, seam weld calls a C function that its plan names coro in
such a way that a callback is no crossing: a line "coro PACKAGE.FUNCTION" in seam.plan, which seam
plan writes where C does little between its callbacks. For C that waits there is a coroutine of
Seam (package coro), where a call of Go is a switch of stacks. What each costs on this machine:
seam lab callback.`,
	Run: run,
}

func run(p *rule.Pass) {
	exports := p.Exports()
	if len(exports) == 0 {
		return
	}
	seen := map[string]bool{}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, ok := p.CCall(call)
			if !ok || seen[name] {
				return true
			}
			if target := passed(p, call, name, exports); target != "" {
				seen[name] = true
				report(p, call, name, target, nil)
				return true
			}
			target := ""
			way := p.C.Reaches(name, func(c string) bool {
				f := p.C.Func(c)
				if f == nil {
					return false
				}
				i := slices.IndexFunc(f.InLoops, func(c string) bool { return exports[c] })
				if i >= 0 {
					target = f.InLoops[i]
				}
				return i >= 0
			})
			if way == nil || len(way) > 3 {
				return true
			}
			seen[name] = true
			report(p, call, name, target, append(way, target))
			return true
		})
	}
}

func report(p *rule.Pass, call *ast.CallExpr, name, target string, way []string) {
	how := ""
	if way != nil {
		how = " (" + strings.Join(way, " → ") + ")"
	}
	p.Reportf(call, rule.Note, "C.%s calls the Go function %s in a loop%s%s: give Go many at a time, or weld it by the line coro %s.%s in seam.plan, with which a callback is no crossing; package coro does it in the source", name, target, how, price(p), p.Types.Path(), name)
}

// passed is the exported Go function that a call gives to C which calls it in a loop.
func passed(p *rule.Pass, call *ast.CallExpr, c string, exports map[string]bool) string {
	for i, a := range call.Args {
		if name, ok := p.CName(flow.Strip(p.Package, a)); ok && exports[name] && p.C.Fate(c, i).Looped {
			return name
		}
	}
	return ""
}

func price(p *rule.Pass) string {
	m := p.Measured.Prices()
	switch {
	case m.Callback == 0:
		return ""
	case m.Upcall == 0:
		return ", each time for " + measured.NS(m.Callback)
	}
	return ", each time for " + measured.NS(m.Callback) + ", in a coroutine for " + measured.NS(m.Upcall)
}
