package cgofile

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
)

const (
	makeString = "_Cfunc_" + CString
	freeBlock  = "_Cfunc_free"
)

// A madeString is a variable that C.CString is assigned to, once, and that is freed where it is
// visible, or in a function that is written there.
//
//	cs := C.CString(s)
//	defer C.free(unsafe.Pointer(cs))
type madeString struct {
	name  int         // where the variable's name ends
	call  [2]int      // the name of C.CString
	frees []freedHere // never none
}

// freedHere is a call of C.free as cgo writes it: a function without a name, with a variable for the
// argument and the check of it.
type freedHere struct {
	check [2]int // the statement
	call  [2]int // the name of C.free
	end   int    // of its arguments
	at    token.Position
}

// findStrings notes them. Scopes are Go's: the variable is known from the statement behind its own to the
// end of the block that it stands in, or in the whole statement whose head it stands in. There nothing
// else may have its name, change it or take its address, of whatever that would be: then it is left alone.
func (c *Callers) findStrings(file *ast.File, fset *token.FileSet) {
	list := func(list []ast.Stmt) {
		for i, s := range list {
			scope := make([]ast.Node, 0, len(list)-i)
			for _, s := range list[i+1:] {
				scope = append(scope, s)
			}
			c.findString(s, scope, fset)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		var init ast.Stmt
		var scope []ast.Node
		switch n := n.(type) {
		case *ast.BlockStmt:
			list(n.List)
		case *ast.CaseClause:
			list(n.Body)
		case *ast.CommClause:
			list(n.Body)
		case *ast.IfStmt:
			init, scope = n.Init, []ast.Node{n.Cond, n.Body}
			if n.Else != nil {
				scope = append(scope, n.Else)
			}
		case *ast.SwitchStmt:
			init, scope = n.Init, []ast.Node{n.Body}
		case *ast.TypeSwitchStmt:
			init, scope = n.Init, []ast.Node{n.Assign, n.Body}
		}
		if init != nil {
			c.findString(init, scope, fset)
		}
		return true
	})
}

// findString notes a statement, if it is one.
func (c *Callers) findString(s ast.Stmt, scope []ast.Node, fset *token.FileSet) {
	a, ok := s.(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return
	}
	call, ok := a.Rhs[0].(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return
	}
	id, ok := a.Lhs[0].(*ast.Ident)
	callee, isName := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || !isName || callee.Name != makeString {
		return
	}
	m := madeString{name: offset(fset, id.End()), call: [2]int{offset(fset, callee.Pos()), offset(fset, callee.End())}}
	for _, n := range scope {
		if changes(n, id.Name) {
			return
		}
		ast.Inspect(n, func(n ast.Node) bool {
			if f, ok := n.(*ast.FuncLit); ok {
				if x, ok := freed(f, id.Name, fset); ok {
					m.frees = append(m.frees, x)
				}
			}
			return true
		})
	}
	if len(m.frees) > 0 {
		c.strings = append(c.strings, m)
	}
}

// changes reports whether something below n has the name too, assigns to it or takes its address.
func changes(n ast.Node, name string) bool {
	is := func(e ast.Node) bool {
		x, ok := e.(ast.Expr)
		if !ok || x == nil {
			return false
		}
		id, ok := ast.Unparen(x).(*ast.Ident)
		return ok && id.Name == name
	}
	any := func(list []*ast.Ident) bool {
		return slices.ContainsFunc(list, func(id *ast.Ident) bool { return id.Name == name })
	}
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return is(e) })
		case *ast.IncDecStmt:
			found = found || is(n.X)
		case *ast.RangeStmt:
			found = found || n.Key != nil && is(n.Key) || n.Value != nil && is(n.Value)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && is(n.X)
		case *ast.ValueSpec:
			found = found || any(n.Names)
		case *ast.TypeSpec:
			found = found || n.Name.Name == name
		case *ast.Field:
			found = found || any(n.Names)
		}
		return !found
	})
	return found
}

// freed reads what cgo writes for C.free(unsafe.Pointer(name)):
//
//	func() { _cgo0 := unsafe.Pointer(name); _cgoCheckPointer(_cgo0, nil); _Cfunc_free(_cgo0); }
//
// or, behind defer,
//
//	func() func() { _cgo0 := unsafe.Pointer(name); return func() { _cgoCheckPointer(_cgo0, nil); _Cfunc_free(_cgo0); } }
func freed(f *ast.FuncLit, name string, fset *token.FileSet) (x freedHere, ok bool) {
	list := f.Body.List
	if len(list) == 2 {
		r, ok := list[1].(*ast.ReturnStmt)
		if !ok || len(r.Results) != 1 {
			return x, false
		}
		inner, ok := r.Results[0].(*ast.FuncLit)
		if !ok {
			return x, false
		}
		list = append([]ast.Stmt{list[0]}, inner.Body.List...)
	}
	if len(list) != 3 || f.Type.Params.NumFields() != 0 {
		return x, false
	}
	a, ok := list[0].(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return x, false
	}
	conv, ok := a.Rhs[0].(*ast.CallExpr)
	if !ok || len(conv.Args) != 1 || !named(conv.Args[0], name) {
		return x, false
	}
	if sel, ok := ast.Unparen(conv.Fun).(*ast.SelectorExpr); !ok || !named(sel.X, "unsafe") || sel.Sel.Name != "Pointer" {
		return x, false
	}
	v, ok := a.Lhs[0].(*ast.Ident)
	check, free := callee(list[1]), callee(list[2])
	if !ok || check == nil || check.Name != CheckPointer || free == nil || free.Name != freeBlock {
		return x, false
	}
	s, ok := list[2].(*ast.ExprStmt)
	if !ok {
		return x, false
	}
	call := s.X.(*ast.CallExpr)
	if len(call.Args) != 1 || !named(call.Args[0], v.Name) {
		return x, false
	}
	return freedHere{
		check: [2]int{offset(fset, list[1].Pos()), offset(fset, list[1].End())},
		call:  [2]int{offset(fset, free.Pos()), offset(fset, free.End())},
		end:   offset(fset, call.Args[0].End()),
		at:    fset.Position(free.Pos()),
	}, true
}

func named(e ast.Expr, name string) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == name
}

// Strings are the calls of C.CString in a package.
type Strings struct {
	Made  int              // all of them
	Freed int              // those whose strings the same function frees
	Frees []token.Position // where: calls of C.free, in the user's files
}

// Strings finds them.
func (g *Generated) Strings() (s Strings, err error) {
	callers, err := g.Callers()
	for _, c := range callers {
		s.Made += c.made
		s.Freed += len(c.strings)
		for _, m := range c.strings {
			for _, x := range m.frees {
				s.Frees = append(s.Frees, x.at)
			}
		}
	}
	return s, err
}

// ReuseStrings has them made and freed by other functions: one that takes the string and returns a second
// value, and one that takes the pointer and that value.
func (c *Callers) ReuseStrings(make, free string) {
	for i, m := range c.strings {
		second := fmt.Sprintf("_seam_block%d", i)
		c.edits.Replace(m.name, m.name, ", "+second)
		c.edits.Replace(m.call[0], m.call[1], make)
		for _, x := range m.frees {
			// C's own memory needs no check.
			c.edits.Replace(x.check[0], x.check[1], "")
			c.checks = slices.DeleteFunc(c.checks, func(k check) bool { return k.start == x.check[0] })
			c.edits.Replace(x.call[0], x.call[1], free)
			c.edits.Replace(x.end, x.end, ", "+second)
		}
	}
	c.strings = nil
}

// offset is where p is in the text, whatever its line comments say.
func offset(fset *token.FileSet, p token.Pos) int { return fset.PositionFor(p, false).Offset }
