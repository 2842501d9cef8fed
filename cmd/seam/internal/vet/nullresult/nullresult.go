// Package nullresult finds what a C function returned, may be NULL, and is used unchecked.
package nullresult

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/contracts"
	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "null-result",
	Title:    "what a C function returns may be NULL, and is used without a look",
	Severity: rule.Warning,
	Since:    "0.9",
	Doc: `fopen, getenv, dlopen and many functions of libraries return NULL when they fail. C that is given it
crashes, and a crash in C ends the program without a recover.

Before:

	f := C.fopen(name, mode)
	defer C.fclose(f)

After:

	f, err := C.fopen(name, mode)
	if f == nil {
		return err
	}
	defer C.fclose(f)

It is said of functions whose contract is known (the C library, GLib, OpenSSL, libcurl, SQLite, libxml2,
FFmpeg), where the pointer is read in Go or given to C and nothing in the function compares it, or the
error that comes with it. C that takes NULL for nothing is passed over: free, C.GoString. A pointer that is returned, stored or
given to Go is its next owner's to check.`,
	Run: run,
}

func run(p *rule.Pass) {
	p.Functions(func(d *ast.FuncDecl) {
		ast.Inspect(d.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, ok := p.CCall(call)
			if !ok {
				return true
			}
			if f := p.C.Func(name); f != nil && f.Defined {
				return true
			}
			if c := contracts.Of(name); c != nil && c.Null {
				check(p, name, call)
			}
			return true
		})
	})
}

func check(p *rule.Pass, name string, call *ast.CallExpr) {
	u := flow.UseOf(p.Package, call)
	fn := flow.Function(p.Package, call)
	if u.Kind != flow.Moved || fn == nil {
		return
	}
	a, ok := p.Parent(call).(*ast.AssignStmt)
	if ok && len(a.Lhs) == 2 {
		if id, ok := a.Lhs[1].(*ast.Ident); ok && id.Name != "_" {
			return // errno is asked for
		}
	}
	var first flow.Use
	for id, use := range flow.Follow(p.Package, fn, u.To).InOrder() {
		switch {
		case compared(p, id), use.Kind == flow.Lost, use.Kind == flow.Given, use.Kind == flow.Stored, use.Kind == flow.ToGo, use.Kind == flow.Changed && id.Pos() > call.End():
			return
		case first.At == nil && id.Pos() > call.End() && harmed(p, use, id):
			first = use
		}
	}
	if first.At == nil {
		return
	}
	what := "read"
	if first.Name != "" {
		what = "given to C." + first.Name
	}
	p.Report(rule.Finding{
		At: call, Severity: rule.Warning, Also: []rule.Also{{At: first.At.Pos(), Message: what + " here"}},
		Message: fmt.Sprintf("C.%s may return NULL, and %s is %s at line %d without a look: compare it with nil", name, u.To.Name(), what, p.Position(first.At.Pos()).Line),
	})
}

// compared reports whether a variable is compared, or decides in another way.
func compared(p *rule.Pass, id *ast.Ident) bool {
	var n ast.Node = id
	for {
		switch x := p.Parent(n).(type) {
		case *ast.BinaryExpr:
			return true
		case *ast.CallExpr:
			if !p.IsConversion(x) {
				return false
			}
			n = x
		case *ast.ParenExpr:
			n = x
		case *ast.SwitchStmt:
			return x.Tag == n
		default:
			return false
		}
	}
}

// harmed reports whether a use does harm if the pointer is NULL.
func harmed(p *rule.Pass, u flow.Use, id *ast.Ident) bool {
	switch u.Kind {
	case flow.ToC:
		switch {
		case u.Name == "free", contracts.Of(u.Name) != nil && len(contracts.Of(u.Name).Frees) > 0 && u.Name != "fclose" && u.Name != "closedir" && u.Name != "pclose":
			return false
		}
		_, pointer := p.Underlying(id).(*types.Pointer)
		return pointer
	case flow.Read:
		switch x := p.Parent(u.At).(type) {
		case *ast.StarExpr:
			return true
		case *ast.SelectorExpr:
			return x.X == u.At && u.Call == nil
		}
	}
	return false
}
