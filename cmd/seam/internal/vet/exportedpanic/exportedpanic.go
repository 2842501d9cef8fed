// Package exportedpanic finds functions that C calls and that can panic through it.
package exportedpanic

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
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

An explicit panic is a warning, also one with an error or a text made for it in a function of the
package that is called, and a note if its value is a constant or errors.New of one, as where a program
has come to what can't be. log.Panic and runtime.Goexit count as a panic. A call of a function, or of a method of an
interface, that the user of the package supplies, without a deferred recover, is a note. Where all
the C that calls the function is seen, and it takes no memory or lock and changes nothing but its
own variables, there is nothing to clean up and nothing is reported.`,
	Run: run,
}

func run(p *rule.Pass) {
	a := newAnalysis(p)
	callers := newCallers(p)
	p.Functions(func(d *ast.FuncDecl) {
		if !exported(d) || a.recovers(d) || callers.holdNothing(exportName(d)) {
			return
		}
		a.calls(d, func(n *ast.CallExpr) {
			f := p.Callee(n)
			switch what := supplied(p, n); {
			case ends(p, n):
				severity := rule.Warning
				if len(n.Args) == 1 && isConstant(p, n.Args[0]) {
					severity = rule.Note // it says that this can't be
				}
				p.Reportf(n, severity, "C calls %s, and this panic goes past C's frames: nothing that C holds is released", d.Name.Name)
			case f != nil && a.panicking[f] != "":
				p.Report(rule.Finding{
					At: n, Severity: a.panicking[f], Also: []rule.Also{{At: a.panics[f], Message: "the panic"}},
					Message: fmt.Sprintf("C calls %s, and a panic of %s goes past C's frames: nothing that C holds is released", d.Name.Name, f.Name()),
				})
			case f != nil && a.supplied[f] != "":
				p.Reportf(n, rule.Note, "C calls %s, and %s calls %s, which is code of somebody else: if it panics, nothing that C holds is released; recover and tell C", d.Name.Name, f.Name(), a.supplied[f])
			case what != "":
				p.Reportf(n, rule.Note, "C calls %s, and %s is code of somebody else: if it panics, nothing that C holds is released; recover and tell C", d.Name.Name, what)
			}
		})
	})
}

// analysis is what is known of the functions of a package that don't recover.
type analysis struct {
	*rule.Pass
	decls     map[*types.Func]*ast.FuncDecl
	panicking map[*types.Func]rule.Severity // those that panic, or call one that does
	panics    map[*types.Func]token.Pos     // and where
	supplied  map[*types.Func]string        // what they call that the user of the package supplies
}

func newAnalysis(p *rule.Pass) *analysis {
	a := &analysis{p, p.Declarations(), map[*types.Func]rule.Severity{}, map[*types.Func]token.Pos{}, map[*types.Func]string{}}
	for range 3 { // so many calls deep at least
		p.Functions(func(d *ast.FuncDecl) { // in the order of the source: each run says the same
			f, ok := p.Info.Defs[d.Name].(*types.Func)
			if !ok || exported(d) || a.recovers(d) {
				return
			}
			a.calls(d, func(n *ast.CallExpr) {
				callee := p.Callee(n)
				severity, at := a.panicking[callee], a.panics[callee]
				if ends(p, n) {
					severity, at = ofTheMoment(p, n), n.Pos()
				}
				if a.panicking[f] != severity && (severity == rule.Warning || a.panicking[f] == "" && severity != "") {
					a.panicking[f], a.panics[f] = severity, at
				}
				if what := cmp.Or(supplied(p, n), a.supplied[callee]); what != "" && (a.supplied[f] == "" || what < a.supplied[f]) {
					a.supplied[f] = what
				}
			})
		})
	}
	return a
}

// calls looks at the calls that a function makes itself, also in literals that it calls at once.
func (a *analysis) calls(d *ast.FuncDecl, do func(*ast.CallExpr)) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			return false // C isn't below it
		case *ast.FuncLit:
			call, ok := a.Parent(n).(*ast.CallExpr)
			return ok && call.Fun == n && !a.recoversIn(n.Body) // who calls others, and when, isn't known
		case *ast.CallExpr:
			do(n)
		}
		return true
	})
}

// ends reports whether a call ends the function by unwinding the stack.
func ends(p *rule.Pass, call *ast.CallExpr) bool {
	if p.IsBuiltin(call, "panic") {
		return true
	}
	for _, name := range []string{"Panic", "Panicf", "Panicln", "Logger.Panic", "Logger.Panicf", "Logger.Panicln"} {
		if p.Calls(call, "log", name) {
			return true
		}
	}
	return p.Calls(call, "runtime", "Goexit")
}

// ofTheMoment is how bad a panic is in a function that is called: of an error it is a warning, of a
// text that is made for it a note; a constant says that something can't be.
func ofTheMoment(p *rule.Pass, call *ast.CallExpr) rule.Severity {
	switch {
	case !p.IsBuiltin(call, "panic"):
		return rule.Warning
	case len(call.Args) != 1 || isConstant(p, call.Args[0]):
		return ""
	case isError(p, call.Args[0]):
		return rule.Warning
	}
	return rule.Note
}

// isConstant reports whether a value is a constant, or an error made of one.
func isConstant(p *rule.Pass, e ast.Expr) bool {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && len(call.Args) == 1 && p.Calls(call, "errors", "New") {
		e = call.Args[0]
	}
	return p.Info.Types[e].Value != nil
}

func isError(p *rule.Pass, e ast.Expr) bool {
	t := p.Info.TypeOf(e)
	return t != nil && types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

func exported(d *ast.FuncDecl) bool { return exportName(d) != "" }

// exportName is what C calls a function, "" if it can't.
func exportName(d *ast.FuncDecl) string {
	if d.Doc == nil {
		return ""
	}
	for _, c := range d.Doc.List {
		if name, ok := strings.CutPrefix(c.Text, "//export "); ok {
			return strings.TrimSpace(name)
		}
	}
	return ""
}

// recovers reports whether a function defers something that recovers.
func (a *analysis) recovers(d *ast.FuncDecl) bool { return a.recoversIn(d.Body) }

func (a *analysis) recoversIn(body ast.Node) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		def, ok := n.(*ast.DeferStmt)
		if !ok {
			return !found
		}
		if lit, ok := def.Call.Fun.(*ast.FuncLit); ok {
			found = found || a.asksRecover(lit.Body)
		} else if f := a.Callee(def.Call); f != nil {
			d := a.decls[f]
			found = found || d != nil && a.asksRecover(d.Body) || strings.Contains(strings.ToLower(f.Name()), "recover")
		}
		return !found
	})
	return found
}

func (a *analysis) asksRecover(body ast.Node) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && a.IsBuiltin(call, "recover")
		return !found
	})
	return found
}

// supplied is the function value that a call calls, if it isn't a local one, or the method of an
// interface of the package.
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
		s := p.Info.Selections[f]
		if s != nil && (s.Kind() == types.FieldVal || types.IsInterface(s.Recv()) && s.Obj().Pkg() == p.Types) {
			return types.ExprString(f)
		}
	case *ast.TypeAssertExpr, *ast.IndexExpr, *ast.CallExpr:
		return types.ExprString(f)
	case *ast.Ident:
		if p.Variable(f) != nil {
			return f.Name
		}
	}
	return ""
}
