package keepalive

import (
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// finalized are the types whose values have a finalizer or a cleanup, with the fields that
// it hands to C.
type finalized map[*types.TypeName]map[*types.Var]bool

func findFinalized(p *rule.Pass) finalized {
	all := finalized{}
	decls := map[*types.Func]*ast.FuncDecl{}
	p.Functions(func(d *ast.FuncDecl) {
		if f, ok := p.Info.Defs[d.Name].(*types.Func); ok {
			decls[f] = d
		}
	})
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 || !p.Calls(call, "runtime", "SetFinalizer") && !p.Calls(call, "runtime", "AddCleanup") {
				return true
			}
			if p.Info.Types[call.Args[1]].IsNil() {
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
				addFields(p, call.Args[2], fields)
			}
			freed(p, call.Args[1], named, decls, fields, map[ast.Node]bool{})
			return true
		})
	}
	return all
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
				addFields(p, a, fields)
			}
		} else if !p.IsConversion(call) {
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

func addFields(p *rule.Pass, e ast.Node, fields map[*types.Var]bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if v, ok := p.Info.Uses[sel.Sel].(*types.Var); ok && v.IsField() {
				fields[v] = true
			}
		}
		return true
	})
}

// copies reports whether a C call is one of cgo's that copy: what they are given isn't C's.
func copies(name string) bool {
	switch name {
	case "CString", "CBytes", "GoString", "GoStringN", "GoBytes":
		return true
	}
	return false
}
