// Package errnoalone finds calls of C whose result is dropped, and errno decides.
package errnoalone

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "errno-alone",
	Title:    "errno decides whether a call of C has failed, and its result, which says so, is dropped",
	Severity: rule.Warning,
	Since:    "0.9",
	Doc: `errno says why a function has failed, not whether it has. One that succeeds may leave a number
there all the same, from something that it has tried on the way; then a success is an error.

Before:

	_, err := C.open_device(name)
	if err != nil {
		return err
	}

After:

	rc, err := C.open_device(name)
	if rc < 0 {
		return err
	}

It is said where the C function returns something, and the error is returned or compared with nil.
C without a result, and functions of the C library that only errno tells of, are passed over. Whether
the C function really leaves errno set isn't seen.`,
	Run: run,
}

func run(p *rule.Pass) {
	p.Functions(func(d *ast.FuncDecl) {
		ast.Inspect(d, func(n ast.Node) bool {
			a, ok := n.(*ast.AssignStmt)
			if !ok || len(a.Lhs) != 2 || len(a.Rhs) != 1 {
				return true
			}
			id, ok := a.Lhs[0].(*ast.Ident)
			call, isCall := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
			if !ok || !isCall || id.Name != "_" {
				return true
			}
			if name, ok := p.CCall(call); ok && returns(p, call) && !onlyErrno[name] && decides(p, d, a) {
				p.Reportf(call, rule.Warning, "errno decides here whether C.%s has failed, and may be set where it hasn't: look at the result, which is dropped", name)
			}
			return true
		})
	})
}

// onlyErrno are functions of the C library whose result doesn't tell whether they have failed.
var onlyErrno = map[string]bool{
	"strtol": true, "strtoul": true, "strtoll": true, "strtoull": true, "strtod": true, "strtof": true, "strtold": true,
	"readdir": true, "sysconf": true, "getpriority": true, "ptrace": true, "getpwnam": true, "getpwuid": true, "getgrnam": true, "getgrgid": true,
	"nice": true, "fgetc": true, "lgamma": true, "pow": true, "exp": true, "log": true,
}

// returns reports whether a call has a result besides errno.
func returns(p *rule.Pass, call *ast.CallExpr) bool {
	t := p.Info.TypeOf(call)
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() > 0 {
		t = tuple.At(0).Type()
	}
	if t == nil || t == types.Typ[types.Invalid] {
		return false
	}
	n, ok := types.Unalias(t).(*types.Named)
	return !ok || n.Obj().Name() != "_Ctype_void"
}

// decides reports whether the error is returned as it is, or compared with nil.
func decides(p *rule.Pass, d *ast.FuncDecl, a *ast.AssignStmt) bool {
	v := p.Variable(a.Lhs[1])
	if v == nil {
		return false
	}
	if d.Type.Results != nil && d.Type.Results.Pos() <= v.Pos() && v.Pos() < d.Type.Results.End() {
		return true
	}
	for id, u := range flow.Follow(p.Package, d, v).Uses {
		if id.Pos() < a.End() {
			continue
		}
		if u.Kind == flow.Given {
			return true
		}
		if b, ok := p.Parent(id).(*ast.BinaryExpr); ok && (b.Op == token.NEQ || b.Op == token.EQL) && (p.Info.Types[b.Y].IsNil() || p.Info.Types[b.X].IsNil()) {
			return true
		}
	}
	return false
}
