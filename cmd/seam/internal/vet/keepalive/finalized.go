package keepalive

import (
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// finalized are the types whose values have a finalizer or a cleanup, with the fields that
// it hands to C.
type finalized map[*types.TypeName]map[*types.Var]bool

func findFinalized(p *rule.Pass, decls map[*types.Func]*ast.FuncDecl) finalized {
	all := finalized{}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !finalizes(p, call) {
				return true
			}
			t := p.Info.TypeOf(call.Args[0])
			if t == nil {
				return true
			}
			named := source.Named(t)
			if named == nil || named.Obj().Pkg() != p.Types {
				return true
			}
			fields := all[named.Obj()]
			if fields == nil {
				fields = map[*types.Var]bool{}
				all[named.Obj()] = fields
			}
			if p.Calls(call, "runtime", "AddCleanup") && len(call.Args) == 3 {
				addFields(p, call.Args[2], fields, decls)
				addStored(p, call.Args[2], named, fields)
			}
			freed(p, call.Args[1], named, decls, fields, map[ast.Node]bool{})
			return true
		})
	}
	return all
}

// finalizes reports whether a call gives a value a finalizer or a cleanup.
func finalizes(p *rule.Pass, call *ast.CallExpr) bool {
	return len(call.Args) >= 2 && (p.Calls(call, "runtime", "SetFinalizer") || p.Calls(call, "runtime", "AddCleanup")) && !p.Info.Types[call.Args[1]].IsNil()
}

// freed collects the fields that a function, and what it calls in its package, hands to C. A
// call by way of an interface is one of the method of the finalized type.
func freed(p *rule.Pass, fn ast.Expr, of *types.Named, decls map[*types.Func]*ast.FuncDecl, fields map[*types.Var]bool, seen map[ast.Node]bool) {
	var body ast.Node
	switch fn := ast.Unparen(fn).(type) {
	case *ast.FuncLit:
		body = fn.Body
	case *ast.Ident:
		body = bodyOf(p, fn, decls)
	case *ast.SelectorExpr:
		body = bodyOf(p, fn.Sel, decls)
		if s := p.Info.Selections[fn]; body == nil && s != nil && types.IsInterface(s.Recv()) {
			if m, _, _ := types.LookupFieldOrMethod(types.NewPointer(of), false, p.Types, fn.Sel.Name); m != nil {
				if f, ok := m.(*types.Func); ok && decls[f.Origin()] != nil {
					body = decls[f.Origin()].Body
				}
			}
		}
	}
	if body == nil || seen[body] {
		return
	}
	seen[body] = true
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if name, ok := p.CCall(call); ok && copies(name) {
			return true
		} else if ok {
			for _, a := range call.Args {
				addFields(p, a, fields, decls)
				addStored(p, a, of, fields)
			}
		} else if !p.IsConversion(call) {
			if _, ok := covered(p, call, decls); ok {
				for _, a := range call.Args {
					addFields(p, a, fields, decls)
					addStored(p, a, of, fields)
				}
			}
			freed(p, call.Fun, of, decls, fields, seen)
		}
		return true
	})
}

func bodyOf(p *rule.Pass, id *ast.Ident, decls map[*types.Func]*ast.FuncDecl) ast.Node {
	f, ok := p.Info.Uses[id].(*types.Func)
	if !ok || decls[f.Origin()] == nil {
		return nil
	}
	return decls[f.Origin()].Body
}

// addFields collects the fields that an expression reads, also by way of a variable or a method
// that returns one.
func addFields(p *rule.Pass, e ast.Node, fields map[*types.Var]bool, decls map[*types.Func]*ast.FuncDecl) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if v, ok := p.Info.Uses[n.Sel].(*types.Var); ok && v.IsField() {
				fields[v] = true
			}
		case *ast.CallExpr:
			if sel := got(p, n, decls); sel != nil {
				addFields(p, sel, fields, nil)
			}
		case *ast.Ident:
			if v := p.Variable(n); v != nil && !v.IsField() {
				if sel := copyOf(p, flow.Function(p.Package, e), v); sel != nil {
					addFields(p, sel, fields, nil)
				}
			}
		}
		return true
	})
}

// addStored collects the fields of a type that a local variable is stored in.
func addStored(p *rule.Pass, e ast.Expr, of *types.Named, fields map[*types.Var]bool) {
	v := p.Variable(flow.Strip(p.Package, e))
	if v == nil || v.IsField() {
		return
	}
	fn := p.Enclosing(e, func(n ast.Node) bool { _, ok := n.(*ast.FuncDecl); return ok })
	if fn == nil {
		return
	}
	for _, u := range flow.Follow(p.Package, fn, v).Uses {
		if s, ok := of.Underlying().(*types.Struct); ok && u.Kind == flow.Stored && u.To != nil {
			for i := range s.NumFields() {
				if s.Field(i) == u.To {
					fields[u.To] = true
				}
			}
		}
	}
}

// got is the field that a method returns and does nothing else, as the method names it.
func got(p *rule.Pass, call *ast.CallExpr, decls map[*types.Func]*ast.FuncDecl) *ast.SelectorExpr {
	f := p.Callee(call)
	if f == nil || len(call.Args) > 0 || decls[f] == nil {
		return nil
	}
	d := decls[f]
	if d.Recv == nil || len(d.Recv.List) != 1 || len(d.Recv.List[0].Names) != 1 || len(d.Body.List) != 1 {
		return nil
	}
	r, ok := d.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return nil
	}
	sel, ok := flow.Strip(p.Package, r.Results[0]).(*ast.SelectorExpr)
	if !ok || p.Variable(sel.X) == nil || p.Variable(sel.X) != p.Info.Defs[d.Recv.List[0].Names[0]] {
		return nil
	}
	return sel
}

// copyOf is the field that a local variable is a copy of: it is given once, and the field isn't
// set in the function.
func copyOf(p *rule.Pass, fn ast.Node, v *types.Var) (field *ast.SelectorExpr) {
	if fn == nil || v.Pos() < fn.Pos() || fn.End() < v.Pos() {
		return nil
	}
	times := 0
	ast.Inspect(fn, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, l := range a.Lhs {
			if p.Variable(l) != v {
				continue
			}
			times++
			if len(a.Lhs) == len(a.Rhs) {
				field, _ = flow.Strip(p.Package, a.Rhs[i]).(*ast.SelectorExpr)
			}
		}
		return true
	})
	if times != 1 || field == nil {
		return nil
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			for _, l := range a.Lhs {
				if source.Text(l) == source.Text(field) {
					times++
				}
			}
		}
		return true
	})
	if times != 1 {
		return nil
	}
	return field
}

// copies reports whether a C call is one of cgo's that copy: what they are given isn't C's.
func copies(name string) bool {
	switch name {
	case "CString", "CBytes", "GoString", "GoStringN", "GoBytes":
		return true
	}
	return false
}
