// Package handleearly finds handles of Go values that are deleted while C still has them.
package handleearly

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "handle-early",
	Title:    "a cgo.Handle that is deleted where C still has it",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `C that has been given a handle for later gives it back to Go when it calls. If it is deleted by then,
Value panics, and a panic in a function that C has called ends the program.

Before:

	h := cgo.NewHandle(f)
	defer h.Delete()
	C.set_callback(c.c, C.uintptr_t(h)) // stores it in c

After:

	c.h = cgo.NewHandle(f) // deleted in Close, after C.set_callback(c.c, 0)
	C.set_callback(c.c, C.uintptr_t(c.h))

It is said where the body of the C function is seen to store the handle for longer than the call, and the
function that has made the handle deletes it. Where it waits, or calls C afterwards, nothing is said: that
may be what the handle is for, or what C forgets it by. A handle in a field, and C that isn't seen, aren't
judged.`,
	Run: run,
}

func run(p *rule.Pass) {
	p.Functions(func(d *ast.FuncDecl) {
		ast.Inspect(d.Body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && p.Calls(call, "runtime/cgo", "NewHandle") {
				check(p, call)
			}
			return true
		})
	})
}

// check reports the call of C that keeps a handle which its function deletes.
func check(p *rule.Pass, made *ast.CallExpr) {
	u, fn := flow.UseOf(p.Package, made), flow.Function(p.Package, made)
	if u.Kind != flow.Moved || fn == nil {
		return
	}
	var deleted, kept *ast.CallExpr
	var name string
	for _, u := range flow.Follow(p.Package, fn, u.To).InOrder() {
		switch {
		case u.Kind == flow.ToGo && source.DeletesHandle(u.Func):
			if !whenever(p, u.Call, fn) {
				return // on some ways: as C hasn't taken it
			}
			deleted = u.Call
		case u.Kind == flow.ToC:
			f := p.C.Func(u.Name)
			if fate := p.C.Fate(u.Name, u.Arg); f != nil && f.Defined && (fate.Static || fate.Member) {
				kept, name = u.Call, u.Name
			}
		case u.Kind == flow.ToGo && u.Func.Pkg() != nil && u.Func.Pkg().Path() == "runtime/cgo", u.Kind == flow.Moved, u.Kind == flow.Read:
		default:
			return // somebody else has it too
		}
	}
	if deleted == nil || kept == nil || goesOn(p, fn, kept) {
		return
	}
	p.Report(rule.Finding{
		At: kept, Severity: rule.Error, Also: []rule.Also{{At: deleted.Pos(), Message: "here it is deleted"}},
		Message: fmt.Sprintf("C.%s keeps the handle, which is deleted when this function ends: Value panics when C gives it back; delete it when C has forgotten it", name),
	})
}

// whenever reports whether a call is come to on all ways: a statement of the function's own, or deferred
// by one.
func whenever(p *rule.Pass, call ast.Node, fn ast.Node) bool {
	s := p.Parent(call)
	switch s.(type) {
	case *ast.ExprStmt, *ast.DeferStmt:
		return p.Parent(s) == flow.Body(fn)
	}
	return false
}

// goesOn reports whether anything follows a call in its function by which C may use the handle or forget
// it: another call of C, deferred ones too, or a wait.
func goesOn(p *rule.Pass, fn ast.Node, kept *ast.CallExpr) bool {
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectStmt:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.CallExpr:
			name, c := p.CCall(n)
			_, deferred := p.Parent(n).(*ast.DeferStmt)
			switch {
			case n == kept:
			case c:
				found = found || name != "free" && (n.Pos() > kept.End() || deferred)
			default:
				f := p.Callee(n)
				found = found || f != nil && (f.Pkg() == p.Types && n.Pos() > kept.End() || strings.HasPrefix(f.Name(), "Wait"))
			}
		}
		return !found
	})
	return found
}
