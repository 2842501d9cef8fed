package cgofile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/textedit"
)

// CheckPointer is the function by which cgo has arguments checked in front of a call of C: a
// pointer of Go's must not point to memory that has others.
const CheckPointer = "_cgoCheckPointer"

// Callers is a Go file of the package as cgo has written it anew, NAME.cgo1.go: it calls the
// stubs.
type Callers struct {
	Name   string
	Src    []byte
	checks []check
	edits  textedit.Edits

	made    int // calls of C.CString
	strings []madeString
}

// A check is a call of CheckPointer in front of a call of a stub.
type check struct {
	stub       string
	start, end int
}

// Bytes is the file with what was rewritten.
func (c *Callers) Bytes() []byte { return c.edits.Apply(c.Src) }

// ParseCallers reads a NAME.cgo1.go. Where arguments have to be checked, a call is a function
// without a name: variables for the arguments, the checks, the call. It returns nil if this is
// no Go that the parser knows.
func ParseCallers(name string, src []byte) *Callers {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	c := &Callers{Name: name, Src: src}
	c.findStrings(file, fset)
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && named(call.Fun, makeString) {
			c.made++
		}
		f, ok := n.(*ast.FuncLit)
		if !ok || len(f.Body.List) == 0 {
			return true
		}
		stub := callee(f.Body.List[len(f.Body.List)-1])
		for _, s := range f.Body.List {
			if id := callee(s); id != nil && stub != nil && id.Name == CheckPointer {
				c.checks = append(c.checks, check{stub.Name, offset(fset, s.Pos()), offset(fset, s.End())})
			}
		}
		return true
	})
	return c
}

// callee is the function that a statement calls, or whose results it returns.
func callee(s ast.Stmt) *ast.Ident {
	var e ast.Expr
	switch s := s.(type) {
	case *ast.ExprStmt:
		e = s.X
	case *ast.ReturnStmt:
		if len(s.Results) == 1 {
			e = s.Results[0]
		}
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return nil
	}
	id, _ := call.Fun.(*ast.Ident)
	return id
}

// Checks reports whether arguments of a call of the stub are checked.
func (c *Callers) Checks(s *Stub) bool {
	return slices.ContainsFunc(c.checks, func(x check) bool { return x.stub == s.GoName })
}

// CheckIf has the arguments of the stub checked only where a constant says so. The call stays in
// the text: a variable of the user's may have taken the function's name, and would be unused.
func (c *Callers) CheckIf(s *Stub, constant string) {
	for _, x := range c.checks {
		if x.stub == s.GoName {
			c.edits.Replace(x.start, x.start, "if "+constant+" { ")
			c.edits.Replace(x.end, x.end, " }")
		}
	}
}
