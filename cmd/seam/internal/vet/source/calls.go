package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"slices"
	"strings"
)

// CName returns x of C.x.
func (p *Package) CName(e ast.Expr) (string, bool) {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok || id.Name != "C" {
		return "", false
	}
	if use, ok := p.Info.Uses[id]; ok {
		if name, ok := use.(*types.PkgName); !ok || name.Imported().Path() != "C" {
			return "", false
		}
	}
	return sel.Sel.Name, true
}

// CCall returns the name of the C function that a call calls.
func (p *Package) CCall(call *ast.CallExpr) (string, bool) {
	name, ok := p.CName(call.Fun)
	if !ok || p.IsConversion(call) {
		return "", false
	}
	return name, true
}

// IsConversion reports whether a call converts a value to another type.
func (p *Package) IsConversion(call *ast.CallExpr) bool {
	if t, ok := p.Info.Types[call.Fun]; ok && t.Type != nil && t.Type != types.Typ[types.Invalid] {
		return t.IsType()
	}
	name, ok := p.CName(call.Fun) // its type isn't known: the headers are missing
	if !ok {
		_, pointer := ast.Unparen(call.Fun).(*ast.StarExpr)
		return pointer
	}
	if len(call.Args) != 1 || call.Ellipsis.IsValid() {
		return false
	}
	if _, paren := call.Fun.(*ast.ParenExpr); paren {
		return true // (C.PVOID)(x): nobody writes a call so
	}
	if !p.surelyCall(call) && (p.cTypes()[name] || strings.ToUpper(name) == name && pointerLike(p, call.Args[0])) {
		return true // functions in capitals exist, but seldom with one pointer
	}
	numbers := []string{"char", "schar", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong", "ulonglong", "float", "double"}
	return slices.Contains(numbers, name) || strings.HasSuffix(name, "_t") || strings.HasPrefix(name, "struct_") || strings.HasPrefix(name, "enum_")
}

// surelyCall reports whether a call can be no conversion, whatever is called.
func (p *Package) surelyCall(call *ast.CallExpr) bool {
	switch parent := p.Parent(call).(type) {
	case *ast.ExprStmt, *ast.DeferStmt, *ast.GoStmt:
		return true
	case *ast.AssignStmt:
		return len(call.Args) != 1 || len(parent.Lhs) > len(parent.Rhs)
	}
	return len(call.Args) != 1
}

// pointerLike reports whether an expression is a pointer by its form.
func pointerLike(p *Package, e ast.Expr) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		return p.Info.Types[x].IsNil()
	case *ast.UnaryExpr:
		return x.Op == token.AND
	case *ast.CallExpr:
		name, c := p.CName(x.Fun)
		return c && slices.Contains([]string{"CString", "CBytes", "malloc", "calloc"}, name) || Text(x.Fun) == "unsafe.Pointer"
	}
	return false
}

// cTypes are the names of C that the package uses as types somewhere, which tells what they are
// where their header is missing: a variable is of one, a pointer to one is converted to, its size
// is asked for. What is surely called as well is none.
func (p *Package) cTypes() map[string]bool {
	p.typesOnce.Do(p.findCTypes) // analyzers that run at once share a Package
	return p.typeNames
}

func (p *Package) findCTypes() {
	p.typeNames = map[string]bool{}
	called := map[string]bool{}
	note := func(e ast.Expr) {
		if name, ok := p.CName(e); e != nil && ok {
			p.typeNames[name] = true
		}
	}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				note(n.Type)
			case *ast.ValueSpec:
				note(n.Type)
			case *ast.TypeSpec:
				note(n.Type)
			case *ast.CompositeLit:
				note(n.Type)
			case *ast.ArrayType:
				note(n.Elt)
			case *ast.MapType:
				note(n.Key)
				note(n.Value)
			case *ast.SelectorExpr:
				if name, ok := p.CName(n); ok {
					if of, ok := strings.CutPrefix(name, "sizeof_"); ok {
						p.typeNames[of] = true
					}
				}
			case *ast.StarExpr: // (*C.T)(x)
				if paren, ok := p.Parent(n).(*ast.ParenExpr); ok {
					if call, ok := p.Parent(paren).(*ast.CallExpr); ok && call.Fun == paren {
						note(n.X)
					}
				}
			case *ast.CallExpr:
				if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && id.Name == "new" && len(n.Args) == 1 {
					note(n.Args[0])
				}
				if name, ok := p.CName(n.Fun); !ok {
				} else if p.surelyCall(n) {
					called[name] = true
				} else if _, paren := n.Fun.(*ast.ParenExpr); paren {
					p.typeNames[name] = true
				}
			}
			return true
		})
	}
	for name := range called {
		delete(p.typeNames, name)
	}
}

// Callee returns the Go function that a call calls, if it is known; a method of an
// interface isn't.
func (p *Package) Callee(call *ast.CallExpr) *types.Func { return p.Function(call.Fun) }

// Function returns the Go function that an expression names, if it is known, as Callee does.
func (p *Package) Function(fun ast.Expr) *types.Func {
	fun = ast.Unparen(fun)
	switch i := fun.(type) {
	case *ast.IndexExpr:
		fun = i.X
	case *ast.IndexListExpr:
		fun = i.X
	}
	var id *ast.Ident
	switch f := fun.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	f, _ := p.Info.Uses[id].(*types.Func)
	if f == nil {
		return nil
	}
	if r := f.Signature().Recv(); r != nil && types.IsInterface(r.Type()) {
		return nil
	}
	return f.Origin()
}

// Calls reports whether a call is of a function of another package: Calls(c, "runtime", "KeepAlive"),
// or of a method: Calls(c, "sync", "Mutex.Lock").
func (p *Package) Calls(call *ast.CallExpr, pkg, name string) bool {
	f := p.Callee(call)
	return f != nil && f.Pkg() != nil && f.Pkg().Path() == pkg && FuncName(f) == name
}

// FuncName is a function's name in its package: F, or T.F for a method of T or *T.
func FuncName(f *types.Func) string {
	if r := f.Signature().Recv(); r != nil {
		if n := Named(r.Type()); n != nil {
			return n.Obj().Name() + "." + f.Name()
		}
	}
	return f.Name()
}

// DeletesHandle reports whether a function is the method of cgo.Handle that deletes it.
func DeletesHandle(f *types.Func) bool {
	return f.Pkg() != nil && f.Pkg().Path() == "runtime/cgo" && FuncName(f) == "Handle.Delete"
}

// Underlying is what an expression's type is made of, or nil if it has none, as where a header is
// missing.
func (p *Package) Underlying(e ast.Expr) types.Type {
	t := p.Info.TypeOf(e)
	if t == nil {
		return nil
	}
	return t.Underlying()
}

// Named is the named type that t is or points to, or nil.
func Named(t types.Type) *types.Named {
	t = types.Unalias(t)
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// IsBuiltin reports whether a call is of a function of the language, or of package unsafe.
func (p *Package) IsBuiltin(call *ast.CallExpr, names ...string) bool {
	var id *ast.Ident
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return false
	}
	b, ok := p.Info.Uses[id].(*types.Builtin)
	return ok && slices.Contains(names, b.Name())
}

// Variable is the variable that an expression names, or nil.
func (p *Package) Variable(e ast.Expr) *types.Var {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := p.Info.ObjectOf(id).(*types.Var)
	return v
}

// Position is where a node stands in the source.
func (p *Package) Position(pos token.Pos) token.Position { return p.Fset.Position(pos) }

// Text is an expression as it stands in the source, without line breaks.
func Text(e ast.Expr) string { return types.ExprString(e) }

// IsC reports whether a type is one of C's, or a pointer to one.
func IsC(t types.Type) bool {
	t = types.Unalias(t)
	for {
		ptr, ok := t.(*types.Pointer)
		if !ok {
			break
		}
		t = types.Unalias(ptr.Elem())
	}
	n, ok := t.(*types.Named)
	return ok && (strings.HasPrefix(n.Obj().Name(), "_Ctype_") || strings.HasPrefix(n.Obj().Name(), "_C"))
}

// Exports are the functions that C can call, by the names that C has for them.
func (p *Package) Exports() map[string]bool {
	all := map[string]bool{}
	p.Functions(func(d *ast.FuncDecl) {
		if d.Doc == nil {
			return
		}
		for _, c := range d.Doc.List {
			if name, ok := strings.CutPrefix(c.Text, "//export "); ok {
				all[strings.TrimSpace(name)] = true
			}
		}
	})
	return all
}

// CCalls are the calls of C in the package, with the functions' names.
func (p *Package) CCalls() iter.Seq2[*ast.CallExpr, string] {
	return func(yield func(*ast.CallExpr, string) bool) {
		for _, f := range p.Files {
			for call, name := range p.CCallsIn(f) {
				if !yield(call, name) {
					return
				}
			}
		}
	}
}

// CCallsIn are the calls of C in a node, with the functions' names.
func (p *Package) CCallsIn(n ast.Node) iter.Seq2[*ast.CallExpr, string] {
	return func(yield func(*ast.CallExpr, string) bool) {
		for n := range ast.Preorder(n) {
			if call, ok := n.(*ast.CallExpr); ok {
				if name, ok := p.CCall(call); ok && !yield(call, name) {
					return
				}
			}
		}
	}
}

// IsPointer reports whether values of a type are addresses: a pointer or an unsafe.Pointer. It may be nil.
func IsPointer(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}
