package pointerkept

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// stale reports the address of a local variable that a number holds over to a call: the stack may have
// moved by then, or the variable be gone.
func stale(o *function, d *ast.FuncDecl) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != len(a.Rhs) {
			return true
		}
		for i, r := range a.Rhs {
			v := localAddress(o, d, r)
			number := o.Variable(a.Lhs[i])
			if v == nil || number == nil || number.IsField() || !isNumber(number.Type()) || keepsAlive(o, d, v) {
				continue
			}
			if call := givenTo(o, d, number, a); call != nil {
				o.Report(rule.Finding{
					At: r, Severity: rule.Warning, Also: []rule.Also{{At: call.Pos(), Message: "used here"}},
					Message: fmt.Sprintf("%s holds the address of the local variable %s as a number, and is used at line %d: the stack may have moved by then; keep an unsafe.Pointer, and convert it in the call", number.Name(), v.Name(), o.Position(call.Pos()).Line),
				})
			}
		}
		return true
	})
}

// localAddress is the local variable of which an expression is the address as a number.
func localAddress(o *function, d *ast.FuncDecl, e ast.Expr) *types.Var {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || !o.IsConversion(call) || !isNumber(o.typeOf(call)) {
		return nil
	}
	u, ok := flow.Strip(o.Package, call).(*ast.UnaryExpr)
	if !ok || u.Op != token.AND {
		return nil
	}
	v := o.Variable(u.X)
	if v == nil || v.IsField() || v.Pos() < d.Pos() || d.End() < v.Pos() {
		return nil
	}
	return v
}

// keepsAlive reports whether the variable is on the heap, and reachable for as long as it must be:
// runtime.KeepAlive of its address sees to both.
func keepsAlive(o *function, d *ast.FuncDecl, v *types.Var) bool {
	found := false
	ast.Inspect(d.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || !o.Calls(call, "runtime", "KeepAlive") || len(call.Args) != 1 {
			return !found
		}
		u, ok := flow.Strip(o.Package, call.Args[0]).(*ast.UnaryExpr)
		found = found || ok && o.Variable(u.X) == v
		return !found
	})
	return found
}

// givenTo is a call that is given a number, after an assignment.
func givenTo(o *function, d *ast.FuncDecl, number *types.Var, after ast.Node) (found *ast.CallExpr) {
	for id, u := range flow.Follow(o.Package, d, number).InOrder() {
		if id.Pos() < after.End() || u.Call == nil || found != nil {
			continue
		}
		if u.Kind == flow.ToC || u.Kind == flow.ToGo && !reads(u) || u.Kind == flow.Lost {
			found = u.Call
		}
	}
	return found
}

// reads reports whether a Go function only shows a number.
func reads(u flow.Use) bool {
	pkg := u.Func.Pkg()
	return pkg != nil && (pkg.Path() == "fmt" || pkg.Path() == "log" || pkg.Path() == "strconv")
}
