package ownership

import (
	"go/ast"
	"go/types"
	"regexp"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// findFinalized finds the types whose values have a finalizer or a cleanup, with the fields that
// it hands to C.
func (o *Package) findFinalized() {
	all := map[*types.TypeName]map[*types.Var]bool{}
	o.finalized = all
	for _, f := range o.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !o.Finalizes(call) {
				return true
			}
			t := o.Info.TypeOf(call.Args[0])
			if t == nil {
				return true
			}
			named := source.Named(t)
			if named == nil || named.Obj().Pkg() != o.Types {
				return true
			}
			fields := all[named.Obj()]
			if fields == nil {
				fields = map[*types.Var]bool{}
				all[named.Obj()] = fields
			}
			if o.Calls(call, "runtime", "AddCleanup") && len(call.Args) == 3 {
				o.addFields(call.Args[2], fields, true)
				o.addStored(call.Args[2], named, fields)
			}
			o.freedByFinalizer(call.Args[1], named, fields, map[ast.Node]bool{})
			return true
		})
	}
}

// Finalizes reports whether a call gives a value a finalizer or a cleanup.
func (o *Package) Finalizes(call *ast.CallExpr) bool {
	return len(call.Args) >= 2 && (o.Calls(call, "runtime", "SetFinalizer") || o.Calls(call, "runtime", "AddCleanup")) && !o.Info.Types[call.Args[1]].IsNil()
}

// freedByFinalizer collects the fields that a function, and what it calls in its package, hands to C. A
// call by way of an interface is one of the method of the finalized type.
func (o *Package) freedByFinalizer(fn ast.Expr, of *types.Named, fields map[*types.Var]bool, seen map[ast.Node]bool) {
	var body ast.Node
	switch fn := ast.Unparen(fn).(type) {
	case *ast.FuncLit:
		body = fn.Body
	case *ast.Ident:
		body = o.bodyOf(fn)
	case *ast.SelectorExpr:
		body = o.bodyOf(fn.Sel)
		if s := o.Info.Selections[fn]; body == nil && s != nil && types.IsInterface(s.Recv()) {
			if m, _, _ := types.LookupFieldOrMethod(types.NewPointer(of), false, o.Types, fn.Sel.Name); m != nil {
				if f, ok := m.(*types.Func); ok && o.decls[f.Origin()] != nil {
					body = o.decls[f.Origin()].Body
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
		if name, ok := o.CCall(call); ok && Copies(name) {
			return true
		} else if ok {
			for _, a := range call.Args {
				o.addFields(a, fields, true)
				o.addStored(a, of, fields)
			}
		} else if !o.IsConversion(call) {
			if _, ok := o.Covered(call); ok {
				for _, a := range call.Args {
					o.addFields(a, fields, true)
					o.addStored(a, of, fields)
				}
			}
			o.freedByFinalizer(call.Fun, of, fields, seen)
		}
		return true
	})
}

func (o *Package) bodyOf(id *ast.Ident) ast.Node {
	f, ok := o.Info.Uses[id].(*types.Func)
	if !ok || o.decls[f.Origin()] == nil {
		return nil
	}
	return o.decls[f.Origin()].Body
}

// addFields collects the fields that an expression reads, also by way of a variable or a method
// that returns one.
func (o *Package) addFields(e ast.Node, fields map[*types.Var]bool, follow bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if v, ok := o.Info.Uses[n.Sel].(*types.Var); ok && v.IsField() {
				fields[v] = true
			}
		case *ast.CallExpr:
			if sel := o.Lent(n); sel != nil {
				o.addFields(sel, fields, false)
			}
		case *ast.Ident:
			if v := o.Variable(n); follow && v != nil && !v.IsField() {
				if sel := o.CopyOf(flow.Function(o.Package, e), v); sel != nil {
					o.addFields(sel, fields, false)
				}
			}
		}
		return true
	})
}

// addStored collects the fields of a type that a local variable is stored in.
func (o *Package) addStored(e ast.Expr, of *types.Named, fields map[*types.Var]bool) {
	v := o.Variable(flow.Strip(o.Package, e))
	if v == nil || v.IsField() {
		return
	}
	fn := o.Enclosing(e, func(n ast.Node) bool { _, ok := n.(*ast.FuncDecl); return ok })
	if fn == nil {
		return
	}
	for _, u := range flow.Follow(o.Package, fn, v).Uses {
		if s, ok := of.Underlying().(*types.Struct); ok && u.Kind == flow.Stored && u.To != nil {
			for i := range s.NumFields() {
				if s.Field(i) == u.To {
					fields[u.To] = true
				}
			}
		}
	}
}

// Lent is the field of its receiver that a method returns, as the method names it: itself, or by a
// cast that C makes, or by another such method. nil if it does anything else.
func (o *Package) Lent(call *ast.CallExpr) *ast.SelectorExpr {
	f := o.Callee(call)
	if f == nil || len(call.Args) > 0 {
		return nil
	}
	return o.lentBy(f, 0)
}

func (o *Package) lentBy(f *types.Func, depth int) *ast.SelectorExpr {
	d := o.decls[f]
	value, recv := o.returned(d)
	if value == nil || depth > 4 {
		return nil
	}
	for {
		switch x := flow.Strip(o.Package, value).(type) {
		case *ast.SelectorExpr:
			if o.Variable(x.X) != nil && o.Variable(x.X) == recv {
				return x
			}
			return nil
		case *ast.CallExpr:
			if arg := o.Cast(x); arg != nil {
				value = arg
				continue
			}
			fun, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr)
			if g := o.Callee(x); ok && g != nil && len(x.Args) == 0 && o.Variable(fun.X) != nil && o.Variable(fun.X) == recv {
				return o.lentBy(g, depth+1)
			}
			return nil
		default:
			return nil
		}
	}
}

// returned is what a method returns that does nothing else, but for a look whether there is anything
// to return, and its receiver.
func (o *Package) returned(d *ast.FuncDecl) (value ast.Expr, recv *types.Var) {
	if d == nil || d.Recv == nil || len(d.Recv.List) != 1 || len(d.Recv.List[0].Names) != 1 || len(d.Body.List) == 0 || len(d.Body.List) > 2 {
		return nil, nil
	}
	if len(d.Body.List) == 2 {
		i, ok := d.Body.List[0].(*ast.IfStmt)
		if !ok || i.Init != nil || i.Else != nil || len(i.Body.List) != 1 {
			return nil, nil
		}
		r, ok := i.Body.List[0].(*ast.ReturnStmt)
		if !ok || len(r.Results) != 1 || !o.Info.Types[r.Results[0]].IsNil() {
			return nil, nil
		}
	}
	r, ok := d.Body.List[len(d.Body.List)-1].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return nil, nil
	}
	recv, _ = o.Info.Defs[d.Recv.List[0].Names[0]].(*types.Var)
	return r.Results[0], recv
}

// castNames are names of C functions that say that they only give a pointer another type.
var castNames = regexp.MustCompile(`^(?:to|as|cast)[A-Z_]|(?i:(?:^|_)(?:to|as|cast|upcast|downcast)(?:_|$))|^[A-Z][A-Z0-9_]*$`)

// Cast is the argument of a call of C that gives the same pointer back as another type: by its body,
// or where that isn't seen or asks GLib for the type, by its name.
func (o *Package) Cast(call *ast.CallExpr) ast.Expr {
	name, ok := o.CCall(call)
	if !ok || len(call.Args) != 1 || !source.IsPointer(o.Info.TypeOf(call)) || !source.IsPointer(o.Info.TypeOf(call.Args[0])) {
		return nil
	}
	fate, f := o.C.Fate(name, 0), o.C.Func(name)
	if f != nil && f.Defined && !fate.Unknown {
		if !fate.Returns || f.New || f.Changes {
			return nil
		}
	} else if !castNames.MatchString(name) {
		return nil
	}
	return call.Args[0]
}

// Lends reports whether a method returns a pointer of C's that the finalizer of its receiver frees,
// in this package or in another.
func (o *Package) Lends(f *types.Func) bool {
	if f.Pkg() != o.Types {
		fact := o.Of(f)
		return fact != nil && fact.Lends
	}
	if o.decls[f] == nil || f.Signature().Recv() == nil {
		return false
	}
	if sel := o.lentBy(f, 0); sel != nil {
		v, _ := o.Info.Uses[sel.Sel].(*types.Var)
		return v != nil && o.FreedFields(f.Signature().Recv().Type())[v]
	}
	return o.passesOn(f, 0)
}

// passesOn reports whether a method returns what a method of an embedded value of another package
// lends.
func (o *Package) passesOn(f *types.Func, depth int) bool {
	value, recv := o.returned(o.decls[f])
	for depth < 5 && value != nil {
		call, ok := flow.Strip(o.Package, value).(*ast.CallExpr)
		if !ok {
			return false
		}
		if arg := o.Cast(call); arg != nil {
			value = arg
			continue
		}
		fun, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok || recv == nil || o.root(fun.X) != recv {
			return false
		}
		g := o.Callee(call)
		if g == nil {
			return false
		}
		if g.Pkg() != o.Types {
			fact := o.Of(g)
			return fact != nil && fact.Lends
		}
		return o.passesOn(g, depth+1)
	}
	return false
}

// root is the variable that a chain of fields begins with.
func (o *Package) root(e ast.Expr) *types.Var {
	for {
		sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
		if !ok {
			return o.Variable(e)
		}
		e = sel.X
	}
}

// FreedFields are the fields of a value, and of those that it embeds, which a finalizer of them hands
// to C; nil if there is no such finalizer in the package.
func (o *Package) FreedFields(t types.Type) map[*types.Var]bool {
	for range 4 {
		n := source.Named(t)
		if n == nil {
			return nil
		}
		if f := o.finalized[n.Obj()]; f != nil {
			return f
		}
		s, ok := n.Underlying().(*types.Struct)
		if !ok || s.NumFields() == 0 || !s.Field(0).Embedded() {
			return nil
		}
		t = s.Field(0).Type()
		if _, pointer := types.Unalias(t).(*types.Pointer); !pointer {
			return nil
		}
	}
	return nil
}

// HasLender reports whether a value has a method that lends.
func (o *Package) HasLender(t types.Type) bool {
	all, known := o.lenders[t]
	if known {
		return all
	}
	methods := types.NewMethodSet(t)
	for i := range methods.Len() {
		if f, ok := methods.At(i).Obj().(*types.Func); ok && f.Pkg() != nil && o.Lends(f.Origin()) {
			all = true
		}
	}
	o.lenders[t] = all
	return all
}

// CopyOf is the field that a local variable is a copy of: it is given once, and the field isn't
// set in the function.
func (o *Package) CopyOf(fn ast.Node, v *types.Var) (field *ast.SelectorExpr) {
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
			if o.Variable(l) != v {
				continue
			}
			times++
			if len(a.Lhs) == len(a.Rhs) {
				field, _ = flow.Strip(o.Package, a.Rhs[i]).(*ast.SelectorExpr)
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

// Copies reports whether a C call is one of cgo's that copy: what they are given isn't C's.
func Copies(name string) bool {
	switch name {
	case "CString", "CBytes", "GoString", "GoStringN", "GoBytes":
		return true
	}
	return false
}
