// Package needlesscopy finds copies of C's bytes that are only looked at.
package needlesscopy

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "needless-copy",
	Title:    "a copy of C's bytes that is only compared, measured or parsed",
	Severity: rule.Note,
	Since:    "0.9",
	Doc: `C.GoString and C.GoBytes allocate, and copy. Where the result is compared, measured or
parsed at once, a view of C's memory does, without either: unsafe.String, or mem.View of Seam.

Before:

	if C.GoString(C.kind(x)) == "table" {

After:

	k := C.kind(x)
	if unsafe.String((*byte)(unsafe.Pointer(k)), C.strlen(k)) == "table" {

It matters in loops and hot functions; elsewhere the copy is easier to read. What it costs on
this machine: seam lab payload.`,
	Run: run,
}

func run(p *rule.Pass) {
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !inLoop(p, call) {
				return true
			}
			name, ok := p.CCall(call)
			if !ok || name != "GoString" && name != "GoStringN" && name != "GoBytes" {
				return true
			}
			if what := onlyRead(p, call); what != "" {
				p.Reportf(call, rule.Note, "C.%s copies in every round of a loop what is only %s: a view of C's memory does", name, what)
			}
			return true
		})
	}
}

func inLoop(p *rule.Pass, n ast.Node) bool {
	for n = p.Parent(n); n != nil; n = p.Parent(n) {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		case *ast.FuncDecl, *ast.FuncLit:
			return false
		}
	}
	return false
}

// onlyRead says what is done with a copy that nothing keeps, also by way of a variable.
func onlyRead(p *rule.Pass, call *ast.CallExpr) (what string) {
	fn := flow.Function(p.Package, call)
	u := flow.UseOf(p.Package, call)
	if u.Kind != flow.Moved || fn == nil {
		return read(p, call)
	}
	only := true
	ast.Inspect(flow.Body(fn), func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && p.Info.ObjectOf(id) == u.To && p.Parent(id) != p.Parent(call) {
			what = read(p, id)
			only = only && what != ""
		}
		return only
	})
	if !only {
		return ""
	}
	return what
}

// read says what an expression's value is used for, if it is only looked at.
func read(p *rule.Pass, call ast.Expr) string {
	switch x := p.Parent(call).(type) {
	case *ast.BinaryExpr:
		switch x.Op {
		case token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ:
			return "compared"
		}
	case *ast.CallExpr:
		if p.IsBuiltin(x, "len") {
			return "measured"
		}
		f := p.Callee(x)
		if f == nil || f.Pkg() == nil {
			return ""
		}
		switch f.Pkg().Path() + "." + f.Name() {
		case "strconv.Atoi", "strconv.ParseInt", "strconv.ParseUint", "strconv.ParseFloat", "strconv.ParseBool":
			return "parsed"
		case "strings.HasPrefix", "strings.HasSuffix", "strings.Contains", "strings.EqualFold", "bytes.Equal", "bytes.HasPrefix", "bytes.Contains":
			return "compared"
		}
	case *ast.SwitchStmt:
		if x.Tag == call {
			return "compared"
		}
	case *ast.IndexExpr:
		if a, stored := p.Parent(x).(*ast.AssignStmt); x.Index == call && !(stored && slices.Contains(a.Lhs, ast.Expr(x))) {
			return "looked up"
		}
	}
	return ""
}
