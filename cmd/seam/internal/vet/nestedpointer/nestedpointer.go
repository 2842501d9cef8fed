// Package nestedpointer finds Go memory with Go pointers in it that is given to C.
package nestedpointer

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
	"github.com/seamgo/seam/cmd/seam/internal/vet/values"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "nested-pointer",
	Title:    "Go memory given to C that has the address of other Go memory in it, which isn't pinned",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `C may be given the address of Go memory for the time of a call, if there are no Go pointers in
that memory, or only such as a runtime.Pinner holds. cgo checks that at each call, and ends the
program: cgo argument has Go pointer to unpinned Go pointer. It is the panic of cgo that is reported
most often.

Before:

	var r C.struct_request
	r.data = unsafe.Pointer(unsafe.SliceData(b))
	C.send(&r)

After:

	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(unsafe.SliceData(b))
	var r C.struct_request
	r.data = unsafe.Pointer(unsafe.SliceData(b))
	C.send(&r)

It is an error where the pointer is seen to be stored before the call, and a warning where a Go struct
is passed whose type has strings, slices, maps and the like in it, as nil ones pass the check. A
function that pins anything is believed; what other functions store isn't seen; the address of a
constant string passes, since the collector doesn't own it.`,
	Run: run,
}

func run(p *rule.Pass) {
	p.Functions(func(d *ast.FuncDecl) {
		if pins(p, d) {
			return
		}
		ast.Inspect(d.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name, ok := p.CCall(call); ok {
				for i, a := range call.Args {
					check(p, d, name, i, call, a)
				}
			}
			return true
		})
	})
}

func pins(p *rule.Pass, d *ast.FuncDecl) bool {
	found := false
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && p.Calls(call, "runtime", "Pinner.Pin") {
			found = true
		}
		return !found
	})
	return found
}

func check(p *rule.Pass, d *ast.FuncDecl, name string, i int, call *ast.CallExpr, a ast.Expr) {
	t := p.Info.TypeOf(a)
	if t == nil {
		return
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
	case *types.Basic:
		if u.Kind() != types.UnsafePointer {
			return
		}
	default:
		return
	}
	// What is checked is the whole of what a pointer leads to, and of the address of a member only that.
	v, whole := target(p, a)
	if v == nil || v.Parent() == p.Types.Scope() || v.Pos() < d.Pos() || d.End() < v.Pos() {
		return
	}
	if s, ok := stored(p, d, v, a, call, whole); ok {
		what := v.Name()
		if s.Field != nil {
			what += "." + s.Field.Name()
		}
		p.Report(rule.Finding{
			At: a, Severity: rule.Error, Also: []rule.Also{{At: s.Value.Pos(), Message: "stored here"}},
			Message: fmt.Sprintf("C.%s is given the address of Go memory, and %s in it has the address of other Go memory that isn't pinned: the runtime ends the program here; pin that with a runtime.Pinner, or copy it to C memory", name, what),
		})
		return
	}
	if elem := structOf(p, a); elem != nil && values.OnlyGo(elem) && whole && p.Values.Whose(a) == values.Go && filled(p, v) {
		p.Reportf(a, rule.Warning, "C.%s is given the address of a %s, which has strings, slices or the like of Go in it: unless all of them are empty the runtime ends the program; pass a cgo.Handle, or a struct of plain data", name, types.TypeString(elem, func(*types.Package) string { return "" }))
	}
}

// target is the variable whose memory an argument is the address of, or which holds that address, and
// whether it is the address of the whole.
func target(p *rule.Pass, a ast.Expr) (v *types.Var, whole bool) {
	e := flow.Strip(p.Package, a)
	if u, ok := e.(*ast.UnaryExpr); ok {
		switch x := ast.Unparen(u.X).(type) {
		case *ast.Ident:
			return p.Variable(x), true
		case *ast.IndexExpr:
			return p.Variable(x.X), true // cgo checks all elements
		case *ast.SelectorExpr:
			for {
				inner, ok := ast.Unparen(x.X).(*ast.SelectorExpr)
				if !ok {
					return p.Variable(x.X), false
				}
				x = inner
			}
		}
		return nil, false
	}
	if c, ok := e.(*ast.CallExpr); ok && p.IsBuiltin(c, "SliceData") {
		return p.Variable(flow.Strip(p.Package, c.Args[0])), true
	}
	return p.Variable(e), true
}

// stored is what is stored in a variable's memory before a call, and is the address of Go memory.
func stored(p *rule.Pass, d *ast.FuncDecl, v *types.Var, a ast.Expr, call *ast.CallExpr, whole bool) (values.Store, bool) {
	if !isGo(p, v, a) {
		return values.Store{}, false
	}
	for _, s := range p.Values.Stores(v) {
		if s.Value == nil || s.At.Pos() > call.Pos() || !source.IsPointer(p.Info.TypeOf(s.Value)) || !flow.Contains(d, s.At) || !visible(p, s.Field, s.Value) {
			continue
		}
		if !whole && !within(p, a, s) {
			continue
		}
		if unpinned(p.Values.Of(s.Value)) && !cleared(p, v, s, call) && !conditional(p, d, s.At, call) {
			return s, true
		}
	}
	return values.Store{}, false
}

// conditional reports whether a store stands in a condition that the call doesn't stand in.
func conditional(p *rule.Pass, d *ast.FuncDecl, at ast.Node, call ast.Node) bool {
	return p.Enclosing(at, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.IfStmt, *ast.CaseClause, *ast.CommClause, *ast.FuncLit:
			return flow.Contains(d, n) && !flow.Contains(n, call)
		}
		return false
	}) != nil
}

// visible reports whether the runtime can see that a member is a pointer.
func visible(p *rule.Pass, field *types.Var, value ast.Expr) bool {
	if field != nil {
		return source.IsPointer(field.Type())
	}
	return source.IsPointer(p.Info.TypeOf(value))
}

// within reports whether a store is in the member whose address is passed: &v.member.
func within(p *rule.Pass, a ast.Expr, s values.Store) bool {
	u, ok := flow.Strip(p.Package, a).(*ast.UnaryExpr)
	if !ok || s.To == nil {
		return false
	}
	for e := ast.Unparen(s.To); ; {
		sel, ok := e.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		if source.Text(sel) == source.Text(u.X) {
			return true
		}
		e = ast.Unparen(sel.X)
	}
}

// isGo reports whether the memory that is passed is Go's: the variable itself, or what it leads to.
func isGo(p *rule.Pass, v *types.Var, a ast.Expr) bool {
	list := p.Values.Of(a)
	for _, o := range list {
		if o.Number || !(o.Kind == values.GoVar || o.Kind == values.GoMade) {
			return false
		}
	}
	return len(list) > 0
}

// unpinned reports whether a value is nothing but the address of Go memory that the collector owns.
func unpinned(list []values.Origin) bool {
	for _, o := range list {
		switch o.Kind {
		case values.GoVar, values.GoMade:
		case values.GoText:
			if o.Const {
				return false
			}
		case values.Param:
			switch u := types.Unalias(o.Var.Type()).Underlying().(type) {
			case *types.Slice:
			case *types.Basic:
				if u.Info()&types.IsString == 0 {
					return false
				}
			default:
				return false
			}
		default:
			return false
		}
	}
	return len(list) > 0
}

// cleared reports whether the same place gets something else before the call.
func cleared(p *rule.Pass, v *types.Var, s values.Store, call ast.Node) bool {
	for _, o := range p.Values.Stores(v) {
		if o.To != nil && s.To != nil && o.At.Pos() > s.At.Pos() && o.At.Pos() < call.Pos() && source.Text(o.To) == source.Text(s.To) {
			return true
		}
	}
	return false
}

// structOf is the Go struct whose address an argument is.
func structOf(p *rule.Pass, a ast.Expr) types.Type {
	t := p.Info.TypeOf(flow.Strip(p.Package, a))
	if t == nil {
		return nil
	}
	ptr, ok := types.Unalias(t).Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	n, ok := types.Unalias(ptr.Elem()).(*types.Named)
	if !ok || source.IsC(n) {
		return nil
	}
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return nil
	}
	return n
}

// filled reports whether something is stored in the variable's members that isn't nothing.
func filled(p *rule.Pass, v *types.Var) bool {
	for _, s := range p.Values.Stores(v) {
		if s.Value == nil {
			return true
		}
		tv := p.Info.Types[s.Value]
		if s.Field != nil && values.OnlyGo(s.Field.Type()) && !tv.IsNil() && tv.Value == nil {
			return true
		}
	}
	return false
}
