package pointerkept

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/vet/csource"
	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// origin is whose memory a pointer leads to.
type origin int

const (
	unknown origin = iota
	goMemory
	cMemory
)

// origins finds out whose memory expressions point to, in one function.
type origins struct {
	*rule.Pass
	fn      ast.Node
	busy    map[*types.Var]bool
	fields  map[*types.Var]origin // of the package: whose memory what is stored in them leads to
	exports map[string]bool       // functions that C can call
}

func (o *origins) of(e ast.Expr) origin {
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.CallExpr:
		return o.ofCall(x)
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return o.place(x.X)
		}
	case *ast.SliceExpr:
		return o.of(x.X)
	case *ast.BinaryExpr:
		if x.Op == token.ADD || x.Op == token.SUB {
			if a := o.of(x.X); a != unknown {
				return a
			}
			return o.of(x.Y)
		}
	case *ast.CompositeLit:
		return goMemory
	case *ast.Ident:
		return o.ofVariable(x)
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
		if f := o.field(e); f != nil {
			if is := o.fieldHolds(f); is == cMemory {
				return is
			} else if is == goMemory {
				return unknown // or C's, from elsewhere
			}
		}
		if t := o.Info.TypeOf(e); t != nil {
			return o.byType(t)
		}
	}
	return unknown
}

// byType guesses: pointers to C's types lead to C, slices and strings of Go to Go, and so do
// pointers to types that have those in them.
func (o *origins) byType(t types.Type) origin {
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		if source.IsC(t) {
			return cMemory
		}
		if n, ok := types.Unalias(u.Elem()).(*types.Named); ok && !source.IsC(n) && hasGo(n, 0) {
			return goMemory
		}
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return goMemory
		}
	}
	return unknown
}

// hasGo reports whether a type has what only Go has in it: C memory doesn't hold such.
func hasGo(t types.Type, depth int) bool {
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return true
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Array:
		return depth < 4 && hasGo(u.Elem(), depth+1)
	case *types.Struct:
		for i := range u.NumFields() {
			if depth < 4 && hasGo(u.Field(i).Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

func (o *origins) ofCall(x *ast.CallExpr) origin {
	switch {
	case o.IsConversion(x) && len(x.Args) == 1:
		if t, ok := types.Unalias(o.typeOf(x)).Underlying().(*types.Slice); ok && t != nil {
			if b, ok := types.Unalias(o.typeOf(x.Args[0])).Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
				return goMemory // []byte(s)
			}
		}
		if n := o.number(x.Args[0]); n {
			return unknown
		}
		return o.of(x.Args[0])
	case o.IsBuiltin(x, "new", "make"):
		return goMemory
	case o.IsBuiltin(x, "SliceData", "StringData", "Slice", "String", "Add"):
		return o.of(x.Args[0])
	case o.IsBuiltin(x, "append"):
		return goMemory
	}
	if name, ok := o.CCall(x); ok {
		if name == "GoBytes" || name == "GoString" || name == "GoStringN" {
			return goMemory
		}
		return cMemory
	}
	return unknown
}

// number reports whether a value is an integer that is no address.
func (o *origins) number(e ast.Expr) bool {
	b, ok := types.Unalias(o.typeOf(e)).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0 && b.Kind() != types.Uintptr
}

func (o *origins) typeOf(e ast.Expr) types.Type {
	if t := o.Info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// place is whose memory a variable, field or element is in.
func (o *origins) place(e ast.Expr) origin {
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.Ident:
		if v := o.Variable(x); v != nil {
			return goMemory // a variable of Go, whatever its type
		}
	case *ast.SelectorExpr:
		if _, pointer := types.Unalias(o.typeOf(x.X)).Underlying().(*types.Pointer); pointer {
			if at := o.of(x.X); at != unknown {
				return at
			}
			if !source.IsC(o.typeOf(x.X)) {
				return goMemory // a field of a Go struct
			}
			return unknown
		}
		return o.place(x.X)
	case *ast.IndexExpr:
		switch types.Unalias(o.typeOf(x.X)).Underlying().(type) {
		case *types.Slice, *types.Pointer:
			return o.of(x.X)
		}
		return o.place(x.X)
	case *ast.StarExpr:
		return o.of(x.X)
	case *ast.CompositeLit:
		return goMemory
	}
	return unknown
}

// ofVariable looks at everything that a variable is given.
func (o *origins) ofVariable(id *ast.Ident) origin {
	v := o.Variable(id)
	if v == nil || o.busy[v] {
		return unknown
	}
	if o.isParameter(v) {
		switch u := types.Unalias(v.Type()).Underlying().(type) {
		case *types.Slice:
			if !source.IsC(u.Elem()) {
				return goMemory
			}
		}
		return o.byType(v.Type())
	}
	o.busy[v] = true
	defer delete(o.busy, v)
	found := unknown
	mixed := false
	note := func(e ast.Expr) {
		switch at := o.of(e); {
		case o.Info.Types[e].IsNil():
		case found == unknown:
			found = at
		case at != found:
			mixed = true
		}
	}
	ast.Inspect(o.fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if o.Variable(l) != v {
					continue
				}
				if len(n.Lhs) == len(n.Rhs) {
					note(n.Rhs[i])
				} else if call, ok := n.Rhs[0].(*ast.CallExpr); ok && i == 0 {
					note(call)
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if o.Info.Defs[name] == v && i < len(n.Values) {
					note(n.Values[i])
				}
			}
		case *ast.RangeStmt:
			if n.Value != nil && o.Variable(n.Value) == v {
				found = o.byType(v.Type())
				if s, ok := types.Unalias(v.Type()).Underlying().(*types.Slice); ok && !source.IsC(s.Elem()) && o.of(n.X) != cMemory {
					found = goMemory
				}
			}
		}
		return true
	})
	if mixed {
		return unknown
	}
	return found
}

func (o *origins) isParameter(v *types.Var) bool {
	var list *ast.FieldList
	switch fn := o.fn.(type) {
	case *ast.FuncDecl:
		list = fn.Type.Params
	case *ast.FuncLit:
		list = fn.Type.Params
	}
	if list == nil {
		return false
	}
	for _, f := range list.List {
		for _, name := range f.Names {
			if o.Info.Defs[name] == v {
				return true
			}
		}
	}
	return false
}

// field is the field that an expression selects, or nil.
func (o *origins) field(e ast.Expr) *types.Var {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	v, _ := o.Info.Uses[sel.Sel].(*types.Var)
	if v == nil || !v.IsField() || v.Pkg() != o.Types {
		return nil
	}
	return v
}

// fieldHolds tells whether all that the package stores in a field is memory that C has given it, or
// any of it was made by Go.
func (o *origins) fieldHolds(v *types.Var) origin {
	if is, known := o.fields[v]; known {
		return is
	}
	c, made, other := 0, 0, 0
	note := func(value ast.Expr) {
		switch x := flow.Strip(o.Package, value).(type) {
		case *ast.UnaryExpr:
			if _, ok := ast.Unparen(x.X).(*ast.CompositeLit); ok && x.Op == token.AND {
				made++
			}
			other++
		case *ast.CallExpr:
			name, ok := o.CCall(x)
			if o.IsBuiltin(x, "new") {
				made++
			}
			if ok && (slices.Contains(csource.Allocators, name) || name == "CString" || name == "CBytes") {
				c++
			} else {
				other++
			}
		default:
			if !o.Info.Types[value].IsNil() {
				other++
			}
		}
	}
	for _, f := range o.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					if sel, ok := l.(*ast.SelectorExpr); ok && o.Info.Uses[sel.Sel] == v && len(n.Lhs) == len(n.Rhs) {
						note(n.Rhs[i])
					}
				}
			case *ast.KeyValueExpr:
				if id, ok := n.Key.(*ast.Ident); ok && o.Info.Uses[id] == v {
					note(n.Value)
				}
			}
			return true
		})
	}
	switch {
	case made > 0:
		o.fields[v] = goMemory
	case c > 0 && other == 0:
		o.fields[v] = cMemory
	default:
		o.fields[v] = unknown
	}
	return o.fields[v]
}
