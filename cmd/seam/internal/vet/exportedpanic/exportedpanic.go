// Package exportedpanic finds functions that C calls and that can panic through it.
package exportedpanic

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "exported-panic",
	Title:    "a function that C calls can panic, and C would not clean up",
	Severity: rule.Warning,
	Since:    "0.9",
	Doc: `A panic in a Go function that C has called goes past the frames of C: locks that C holds
stay locked, memory that it would free stays. If nobody recovers, the program ends; if
somebody does, it goes on with C in a state that C never expects.

Before:

	//export onRow
	func onRow(h C.uintptr_t) C.int {
		if err := scan(h); err != nil {
			panic(err)
		}
		return 0
	}

After:

	//export onRow
	func onRow(h C.uintptr_t) C.int {
		if err := scan(h); err != nil {
			return C.SQLITE_ABORT
		}
		return 0
	}

An explicit panic is a warning, also one with an error in a function of the package that is called, and a note if its value is a constant, as where a program has
come to what can't be; a call of a function that the user of the package supplies,
without a deferred recover, is a note.`,
	Run: run,
}

func run(p *rule.Pass) {
	panicking := panics(p)
	p.Functions(func(d *ast.FuncDecl) {
		if !exported(d) || recovers(p, d) {
			return
		}
		ast.Inspect(d.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false // who calls it, and when, isn't known
			case *ast.CallExpr:
				if p.IsBuiltin(n, "panic") {
					severity := rule.Warning
					if len(n.Args) == 1 && p.Info.Types[n.Args[0]].Value != nil {
						severity = rule.Note // it says that this can't be
					}
					p.Reportf(n, severity, "C calls %s, and this panic goes past C's frames: nothing that C holds is released", d.Name.Name)
				} else if f := p.Callee(n); f != nil && panicking[f] {
					p.Reportf(n, rule.Warning, "C calls %s, and a panic of %s goes past C's frames: nothing that C holds is released", d.Name.Name, f.Name())
				} else if what := supplied(p, n); what != "" {
					p.Reportf(n, rule.Note, "C calls %s, and %s is code of somebody else: if it panics, nothing that C holds is released; recover and tell C", d.Name.Name, what)
				}
			}
			return true
		})
	})
}

// panics are the functions of the package that panic with a value of the moment, an error mostly,
// or call one that does, and don't recover. A constant says that something can't be.
func panics(p *rule.Pass) map[*types.Func]bool {
	all := map[*types.Func]bool{}
	for range 3 {
		p.Functions(func(d *ast.FuncDecl) {
			f, ok := p.Info.Defs[d.Name].(*types.Func)
			if !ok || all[f] || exported(d) || recovers(p, d) {
				return
			}
			ast.Inspect(d.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncLit:
					return false
				case *ast.CallExpr:
					if p.IsBuiltin(n, "panic") && len(n.Args) == 1 && isError(p, n.Args[0]) || all[p.Callee(n)] {
						all[f] = true
					}
				}
				return !all[f]
			})
		})
	}
	return all
}

func isError(p *rule.Pass, e ast.Expr) bool {
	t := p.Info.TypeOf(e)
	return t != nil && types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

func exported(d *ast.FuncDecl) bool {
	if d.Doc == nil {
		return false
	}
	for _, c := range d.Doc.List {
		if strings.HasPrefix(c.Text, "//export ") {
			return true
		}
	}
	return false
}

func recovers(p *rule.Pass, d *ast.FuncDecl) bool {
	found := false
	ast.Inspect(d.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if p.IsBuiltin(call, "recover") {
			found = true
		}
		if def, ok := p.Parent(call).(*ast.DeferStmt); ok && def.Call == call && p.Callee(call) != nil && strings.Contains(strings.ToLower(p.Callee(call).Name()), "recover") {
			found = true
		}
		return !found
	})
	return found
}

// supplied is the function value that a call calls, if it isn't a local one.
func supplied(p *rule.Pass, call *ast.CallExpr) string {
	if p.IsConversion(call) || p.Callee(call) != nil {
		return ""
	}
	t := p.Info.TypeOf(call.Fun)
	if t == nil {
		return ""
	}
	if _, ok := types.Unalias(t).Underlying().(*types.Signature); !ok {
		return ""
	}
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		if s := p.Info.Selections[f]; s != nil && s.Kind() == types.FieldVal {
			return types.ExprString(f)
		}
	case *ast.Ident:
		if p.Variable(f) != nil {
			return f.Name
		}
	}
	return ""
}
