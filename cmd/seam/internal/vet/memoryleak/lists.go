package memoryleak

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/ownership"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
	"github.com/seamgo/seam/cmd/seam/internal/weld/callgraph"
)

// listLeaks is for memory that is put into a local list: reported if nothing in the function, or
// in those of the package that are given the list, can free an element.
func (s site) listLeaks(u flow.Use) {
	list := s.listOf(u)
	fn := flow.Function(s.Package, s.call)
	if list == nil || fn == nil || s.lists[list] || list.Pos() < flow.Body(fn).Pos() || fn.End() < list.Pos() {
		return // a parameter's or a result's elements are somebody else's
	}
	k := newKeeper(s)
	if !k.frees(fn, list) {
		k.reportList(list, fmt.Sprintf("is kept in %s, of which no element is ever freed", list.Name()))
	}
}

// fieldListLeaks is for memory that is put into a list which a field of a struct of the package
// holds: reported if nothing in the package can free an element.
func (s site) fieldListLeaks(field *types.Var) {
	if s.lists[field] {
		return
	}
	k := newKeeper(s)
	if !k.fieldFrees(field) {
		k.reportList(field, fmt.Sprintf("is kept in field %s, of which nothing in this package frees an element", field.Name()))
	}
}

// reportList reports a list, once.
func (k *keeper) reportList(list *types.Var, words string) {
	k.lists[list] = true
	if k.doubt != "" {
		words += fmt.Sprintf(", unless C.%s does", k.doubt)
	}
	k.report(k.severity(k.doubt != ""), words, nil)
}

// fieldList is what a use stores in, if that is a field that holds a list, or an element of one:
// by append, by index, or in a literal.
func (s site) fieldList(u flow.Use) (stored flow.Use, ok bool) {
	switch u.Kind {
	case flow.Lost:
		if u.Call == nil || !s.IsBuiltin(u.Call, "append") || slices.Index(u.Call.Args, u.At) < 1 {
			return u, false
		}
		u = flow.UseOf(s.Package, u.Call)
	case flow.Stored:
		if lit, literal := u.Into.(*ast.CompositeLit); literal && u.To == nil {
			u = flow.UseOf(s.Package, lit)
		}
	default:
		return u, false
	}
	return u, u.Kind == flow.Stored && u.To != nil && u.To.IsField() && u.To.Pkg() == s.Types && isList(u.To.Type())
}

// listOf is the local variable, a slice or an array of pointers, that a use stores in.
func (s site) listOf(u flow.Use) *types.Var {
	switch u.Kind {
	case flow.Lost:
		if u.Call == nil || !s.IsBuiltin(u.Call, "append") || slices.Index(u.Call.Args, u.At) < 1 {
			return nil
		}
		u = flow.UseOf(s.Package, u.Call)
	case flow.Stored:
		if lit, ok := u.Into.(*ast.CompositeLit); ok {
			u = flow.UseOf(s.Package, lit)
			break
		}
		index, ok := ast.Unparen(u.Into).(*ast.IndexExpr)
		if !ok {
			return nil
		}
		u = flow.Use{Kind: flow.Moved, To: s.Variable(index.X)}
	default:
		return nil
	}
	if u.Kind != flow.Moved || u.To == nil || u.To.IsField() || !isList(u.To.Type()) {
		return nil
	}
	return u.To
}

// isList reports whether values of a type are pointers, one after the other.
func isList(t types.Type) bool {
	t = types.Unalias(t).Underlying()
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem()).Underlying()
		if _, ok := t.(*types.Array); !ok {
			return false
		}
	}
	l, ok := t.(interface{ Elem() types.Type })
	if _, m := t.(*types.Map); !ok || m {
		return false
	}
	e, ok := types.Unalias(l.Elem()).Underlying().(*types.Basic)
	_, ptr := types.Unalias(l.Elem()).Underlying().(*types.Pointer)
	return ptr || ok && e.Kind() == types.UnsafePointer
}

// keeper looks for what may free the elements of a list.
type keeper struct {
	site
	seen  map[*types.Var]bool
	doubt string // a C function that may do it and can't be seen
}

func newKeeper(s site) *keeper { return &keeper{site: s, seen: map[*types.Var]bool{}} }

// fieldFrees reports whether anything in the package may free an element of the list in a field,
// or may make the elements somebody else's.
func (k *keeper) fieldFrees(field *types.Var) (frees bool) {
	if k.seen[field] {
		return false
	}
	k.seen[field] = true
	for _, file := range k.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if k.Info.Uses[n.Sel] == field {
					frees = frees || k.fieldUse(n)
				}
			case *ast.KeyValueExpr:
				if id, ok := n.Key.(*ast.Ident); ok && k.Info.Uses[id] == field {
					frees = frees || k.from(flow.Function(k.Package, n), n.Value, nil)
				}
			}
			return !frees
		})
	}
	return frees
}

// fieldUse is [keeper.use] for a place where the field is named.
func (k *keeper) fieldUse(sel *ast.SelectorExpr) bool {
	fn := flow.Function(k.Package, sel)
	if fn == nil {
		return true
	}
	u := flow.UseOf(k.Package, sel)
	switch u.Kind {
	case flow.Moved:
		return u.To == nil || k.frees(fn, u.To)
	case flow.Changed:
		a, ok := k.Parent(sel).(*ast.AssignStmt)
		i := slices.Index(a.Lhs, ast.Expr(sel))
		return !ok || i < 0 || len(a.Lhs) != len(a.Rhs) || k.from(fn, a.Rhs[i], nil)
	case flow.Stored:
		if u.To != nil && u.To.IsField() && u.To.Pkg() == k.Types && isList(u.To.Type()) {
			return k.fieldFrees(u.To)
		}
	case flow.Lost:
		if u.Call != nil && k.IsBuiltin(u.Call, "append") && slices.Index(u.Call.Args, u.At) == 0 {
			to := flow.UseOf(k.Package, u.Call)
			if to.Kind == flow.Stored && to.To != nil && k.seen[to.To] {
				return false // back to where it was
			}
		}
	}
	return k.use(fn, sel, u)
}

// frees reports whether something in a function may free an element of a list, or may make it
// somebody else's.
func (k *keeper) frees(fn ast.Node, list *types.Var) bool {
	if k.seen[list] {
		return false
	}
	k.seen[list] = true
	if k.taken(fn, list) {
		return true
	}
	value := flow.Follow(k.Package, fn, list)
	byPlace := func(a, b *types.Var) int { return cmp.Compare(a.Pos(), b.Pos()) }
	for _, v := range slices.SortedFunc(maps.Keys(value.Variables), byPlace) {
		if k.frees(fn, v) {
			return true
		}
	}
	for id, u := range value.InOrder() {
		if k.Variable(id) == list && k.use(fn, id, u) {
			return true
		}
	}
	return false
}

// taken reports whether a list is a part of something else, or an other variable's whose elements
// are freed.
func (k *keeper) taken(fn ast.Node, list *types.Var) (taken bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if k.Variable(l) == list {
					taken = taken || len(n.Lhs) != len(n.Rhs) || k.from(fn, n.Rhs[i], list)
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if k.Info.Defs[name] == list && i < len(n.Values) {
					taken = taken || k.from(fn, n.Values[i], list)
				}
			}
		case *ast.RangeStmt:
			if n.Value != nil && k.Variable(n.Value) == list {
				taken = true
			}
		}
		return !taken
	})
	return taken
}

// from reports whether a list that a variable or a field gets is a part of something else, or an
// other variable's whose elements are freed.
func (k *keeper) from(fn ast.Node, e ast.Expr, list *types.Var) bool {
	for {
		e = flow.Strip(k.Package, e)
		switch x := e.(type) {
		case *ast.SliceExpr:
			e = x.X
		case *ast.UnaryExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.CompositeLit:
			return false
		case *ast.CallExpr:
			if k.IsBuiltin(x, "Slice", "append") && len(x.Args) > 0 {
				e = x.Args[0]
				continue
			}
			_, ours := k.Owns.Acquires(x)
			return !ours && !k.IsBuiltin(x, "make", "new")
		case *ast.Ident:
			v := k.Variable(x)
			if v == nil || v == list {
				return false
			}
			inside := fn != nil && flow.Body(fn).Pos() <= v.Pos() && v.Pos() < fn.End()
			return !inside || k.frees(fn, v)
		case *ast.SelectorExpr:
			v, ok := k.Info.Uses[x.Sel].(*types.Var)
			return !ok || !v.IsField() || !k.seen[v]
		default:
			return !k.Info.Types[e].IsNil()
		}
	}
}

// use reports whether one use of a list may free elements, or let them get away.
func (k *keeper) use(fn ast.Node, id ast.Expr, u flow.Use) bool {
	switch u.Kind {
	case flow.Given:
		return true
	case flow.Stored:
		return u.To == nil || !u.To.IsField() || u.To.Exported() || u.To.Pkg() != k.Types || !isList(u.To.Type()) || k.fieldFrees(u.To)
	case flow.Lost:
		if u.Call == nil || !k.IsBuiltin(u.Call, "append") || slices.Index(u.Call.Args, u.At) != 0 {
			return true
		}
		to := flow.UseOf(k.Package, u.Call)
		return to.Kind != flow.Moved || to.To == nil || k.frees(fn, to.To)
	case flow.ToC:
		return k.inC(u)
	case flow.ToGo:
		return k.inGo(u)
	case flow.Read:
		switch p := k.Parent(id).(type) {
		case *ast.IndexExpr:
			return p.X == id && k.element(fn, p)
		case *ast.RangeStmt:
			if p.X != id || p.Value == nil {
				return false
			}
			v := k.Variable(p.Value)
			return v == nil && !isBlank(p.Value) || v != nil && k.elementIn(fn, v)
		case *ast.CallExpr:
			return k.IsBuiltin(p, "copy")
		}
	}
	return false
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

func (k *keeper) element(fn ast.Node, e ast.Expr) bool {
	u := flow.UseOf(k.Package, e)
	switch k.Owns.Effect(u) {
	case ownership.Released, ownership.Escaped:
		return true
	case ownership.Doubtful:
		k.doubt = u.Name
	}
	return u.Kind == flow.Moved && (u.To == nil || k.elementIn(fn, u.To))
}

func (k *keeper) elementIn(fn ast.Node, v *types.Var) bool {
	for _, u := range flow.Follow(k.Package, fn, v).InOrder() {
		switch k.Owns.Effect(u) {
		case ownership.Released, ownership.Escaped:
			return true
		case ownership.Doubtful:
			k.doubt = u.Name
		}
	}
	return false
}

// inC reports whether C that is given a list may free its elements, or keep the list or them. C.free
// frees the list alone.
func (k *keeper) inC(u flow.Use) bool {
	if u.Name == "free" || u.Name == "realloc" {
		return false
	}
	if flow.FreesByName(u.Name) {
		return true
	}
	fate := k.C.Fate(u.Name, u.Arg)
	if fate.Keeps || fate.Returns || fate.Stows {
		return true
	}
	if f := k.C.Func(u.Name); f == nil || !f.Defined || fate.Unknown {
		if f == nil || u.Arg >= len(f.Params) || !constElements(f.Params[u.Arg].Type) {
			k.doubt = u.Name
		}
		return false
	}
	// What it does with what it reads isn't followed: anything that it calls and that can free.
	return k.C.Reaches(u.Name, func(c string) bool {
		if c == "free" || c == "realloc" || flow.FreesByName(c) {
			return true
		}
		f := k.C.Func(c)
		return (f == nil || !f.Defined) && callgraph.ClassOf(c) == callgraph.Unknown
	}) != nil
}

// constElements reports whether a parameter is a list of what can't be changed: const char **.
func constElements(param string) bool {
	first, _, ok := strings.Cut(param, "*")
	return ok && strings.Contains(" "+first, " const ")
}

func (k *keeper) inGo(u flow.Use) bool {
	if k.Owns.Effect(u) == ownership.None && u.Func.Pkg() != k.Types {
		return false // a reader of the standard library
	}
	decl := k.Declarations()[u.Func]
	sig := u.Func.Signature()
	if decl == nil || u.Arg < 0 || u.Arg >= sig.Params().Len() || source.Named(sig.Params().At(u.Arg).Type()) != nil {
		return true
	}
	return k.frees(decl, sig.Params().At(u.Arg))
}
