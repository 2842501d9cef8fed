package values

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/vet/csource"
)

// most is how many origins of a value are told apart; one with more is unknown.
const most = 24

// Of returns the origins of a value. A parameter of a function whose calls are all seen has those
// of its arguments.
func (p *Package) Of(e ast.Expr) []Origin {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.expand(p.raw(e), 0)
}

// At returns the origins of the memory that a variable, a member or an element is in.
func (p *Package) At(e ast.Expr) []Origin {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.expand(p.place(e), 0)
}

func (p *Package) expand(list []Origin, depth int) (all []Origin) {
	for _, o := range list {
		if o.Kind == Param && depth < 3 {
			k := p.params[o.Var]
			if calls, whole := p.callsOf(k); whole && len(calls) > 0 {
				for _, c := range calls {
					all = join(all, with(p.expand(p.argument(c, k.index), depth+1), o))
				}
				continue
			}
		}
		all = join(all, []Origin{o})
	}
	return all
}

func (p *Package) callsOf(k param) ([]*ast.CallExpr, bool) {
	if k.of == nil {
		return nil, false
	}
	return p.calls[k.of], !k.of.Exported() && !p.shared[k.of]
}

// argument is what a call gives for a parameter.
func (p *Package) argument(call *ast.CallExpr, i int) []Origin {
	if i < 0 {
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			return p.raw(sel.X)
		}
		return []Origin{{}}
	}
	if f := p.Callee(call); f == nil || f.Signature().Variadic() && i >= f.Signature().Params().Len()-1 || i >= len(call.Args) {
		return []Origin{{}}
	}
	return p.raw(call.Args[i])
}

// with adds to origins what happened on the way from them.
func with(list []Origin, way Origin) []Origin {
	list = slices.Clone(list)
	for i := range list {
		list[i].Inner = list[i].Inner || way.Inner
		list[i].Number = list[i].Number || way.Number
	}
	return list
}

func join(all, more []Origin) []Origin {
	for _, o := range more {
		if !slices.Contains(all, o) {
			all = append(all, o)
		}
	}
	if len(all) > most {
		return []Origin{{}}
	}
	return all
}

// raw is Of without the arguments of parameters.
func (p *Package) raw(e ast.Expr) []Origin {
	if list, ok := p.memo[e]; ok {
		return list
	}
	if p.busy[e] {
		p.cut++
		return nil // the others say
	}
	before := p.cut
	p.busy[e] = true
	list := p.find(e)
	delete(p.busy, e)
	if len(p.busy) == 0 || p.cut == before { // what was found inside of a circle may lack something
		p.memo[e] = list
	}
	return list
}

func (p *Package) find(e ast.Expr) []Origin {
	t := p.Info.Types[e]
	switch {
	case t.IsNil():
		return []Origin{{Kind: Nil, At: e}}
	case t.Value != nil && t.Value.Kind() == constant.String:
		return []Origin{{Kind: GoText, At: e, Const: true}}
	case t.Value != nil, t.Type != nil && isNumber(t.Type) && !leads(t.Type):
		return nil // a number that is no address
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		return p.ofCall(x)
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return p.place(x.X)
		}
	case *ast.SliceExpr:
		list := p.raw(x.X)
		if _, array := types.Unalias(p.typeOf(x.X)).Underlying().(*types.Array); array {
			list = p.place(x.X)
		}
		return with(list, Origin{Inner: x.Low != nil && !p.zero(x.Low)})
	case *ast.BinaryExpr:
		if isText(p.typeOf(x)) {
			return []Origin{{Kind: GoText, At: x}}
		}
		switch x.Op {
		case token.ADD, token.SUB: // of an address and a number
			list := p.raw(x.X)
			if !slices.ContainsFunc(list, func(o Origin) bool { return o.Go() || o.C() }) {
				list = join(slices.Clone(list), p.raw(x.Y))
			}
			return with(list, Origin{Inner: true})
		case token.AND, token.AND_NOT:
			return with(p.raw(x.X), Origin{Inner: true})
		}
		return nil
	case *ast.CompositeLit, *ast.FuncLit:
		return []Origin{{Kind: GoMade, At: x}}
	case *ast.Ident:
		if v := p.Variable(x); v != nil {
			return p.ofVariable(v)
		}
	case *ast.SelectorExpr:
		if v := p.header(x); v != nil {
			return p.ofVariable(v)
		}
		if v, ok := p.Info.Uses[x.Sel].(*types.Var); ok && v.IsField() && v.Pkg() == p.Types && len(p.given[v]) > 0 {
			list := p.ofGifts(v)
			if v.Exported() || !p.declared(v) {
				list = join(slices.Clone(list), []Origin{{At: x}}) // others may set it
			}
			return list
		}
	}
	return []Origin{{At: ast.Unparen(e)}}
}

// header is the string or slice of which a selector reads the address, by a struct that looks like one:
// (*stringHeader)(unsafe.Pointer(&s)).Data. Generators of bindings write that.
func (p *Package) header(x *ast.SelectorExpr) *types.Var {
	s := p.Info.Selections[x]
	if s == nil || s.Kind() != types.FieldVal || len(s.Index()) != 1 || s.Index()[0] != 0 || !leads(s.Type()) {
		return nil
	}
	if _, pointer := types.Unalias(s.Recv()).Underlying().(*types.Pointer); !pointer {
		return nil
	}
	list := p.raw(x.X)
	if len(list) != 1 || list[0].Kind != GoVar || list[0].Inner || list[0].Var == nil {
		return nil
	}
	v := list[0].Var
	if _, slice := types.Unalias(v.Type()).Underlying().(*types.Slice); !slice && !isText(v.Type()) {
		return nil
	}
	return v
}

// declared reports whether a field is one of a struct that the package declares, and not C.
func (p *Package) declared(v *types.Var) bool {
	return slices.ContainsFunc(p.Files, func(f *ast.File) bool { return f.FileStart <= v.Pos() && v.Pos() < f.FileEnd })
}

func (p *Package) typeOf(e ast.Expr) types.Type {
	if t := p.Info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

func (p *Package) zero(e ast.Expr) bool {
	v := p.Info.Types[e].Value
	return v != nil && v.ExactString() == "0"
}

func isText(t types.Type) bool {
	b, ok := types.Unalias(t).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func isNumber(t types.Type) bool {
	b, ok := types.Unalias(t).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// place is the memory that a variable, a member or an element is in.
func (p *Package) place(e ast.Expr) []Origin {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v := p.Variable(x); v != nil {
			return []Origin{{Kind: GoVar, At: x, Var: v}}
		}
	case *ast.SelectorExpr:
		inner := Origin{Inner: true}
		if s := p.Info.Selections[x]; s != nil && len(s.Index()) == 1 && s.Index()[0] == 0 {
			inner.Inner = false // the first member begins where the whole does
		}
		if _, pointer := types.Unalias(p.typeOf(x.X)).Underlying().(*types.Pointer); pointer {
			return with(p.raw(x.X), inner)
		}
		if v, ok := p.Info.Uses[x.Sel].(*types.Var); ok && !v.IsField() {
			return []Origin{{Kind: GoVar, At: x, Var: v}} // of another package
		}
		return with(p.place(x.X), inner)
	case *ast.IndexExpr:
		inner := Origin{Inner: !p.zero(x.Index)}
		switch types.Unalias(p.typeOf(x.X)).Underlying().(type) {
		case *types.Slice, *types.Pointer:
			return with(p.raw(x.X), inner)
		}
		return with(p.place(x.X), inner)
	case *ast.StarExpr:
		return p.raw(x.X)
	case *ast.CompositeLit:
		return []Origin{{Kind: GoMade, At: x}}
	}
	return []Origin{{At: ast.Unparen(e)}}
}

func (p *Package) ofCall(x *ast.CallExpr) []Origin {
	switch {
	case p.IsConversion(x) && len(x.Args) == 1:
		return p.ofConversion(x)
	case p.IsBuiltin(x, "new", "make", "append"):
		return []Origin{{Kind: GoMade, At: x}}
	case p.IsBuiltin(x, "SliceData", "StringData", "Slice", "String"):
		return p.raw(x.Args[0])
	case p.IsBuiltin(x, "Add"):
		return with(p.raw(x.Args[0]), Origin{Inner: !p.zero(x.Args[1])})
	case p.IsBuiltin(x, "min", "max"):
		return nil
	}
	if name, ok := p.CCall(x); ok {
		return p.ofC(x, name)
	}
	return p.ofResult(x, 0)
}

func (p *Package) ofConversion(x *ast.CallExpr) []Origin {
	from, to := p.typeOf(x.Args[0]), p.typeOf(x)
	_, slice := types.Unalias(to).Underlying().(*types.Slice)
	_, fromSlice := types.Unalias(from).Underlying().(*types.Slice)
	switch {
	case slice && isText(from):
		return []Origin{{Kind: GoMade, At: x}} // []byte(s)
	case fromSlice && isText(to):
		return []Origin{{Kind: GoText, At: x}}
	case isText(to) && !isText(from):
		return []Origin{{Kind: GoText, At: x}}
	}
	if isNumber(from) && !leads(from) {
		return nil
	}
	list := p.raw(x.Args[0])
	if isNumber(to) && !isNumber(from) {
		return with(list, Origin{Number: true})
	}
	return list
}

// ofC is what a call of C gives. A function that is seen to give back what it is given, and makes
// nothing, gives that.
func (p *Package) ofC(x *ast.CallExpr, name string) []Origin {
	switch name {
	case "CString", "CBytes":
		return []Origin{{Kind: CHeap, At: x, Name: name}}
	case "GoBytes":
		return []Origin{{Kind: GoMade, At: x}}
	case "GoString", "GoStringN":
		return []Origin{{Kind: GoText, At: x}}
	}
	if slices.Contains(csource.Allocators, name) {
		return []Origin{{Kind: CHeap, At: x, Name: name}}
	}
	f := p.C.Func(name)
	if f != nil && f.Defined && f.Static && !f.New {
		return []Origin{{Kind: CStatic, At: x, Name: name}}
	}
	if f != nil && f.Defined && !f.New && leads(p.typeOf(x)) {
		for i, a := range x.Args {
			if p.C.Fate(name, i).Returns && leads(p.typeOf(a)) {
				return with(p.raw(a), Origin{Inner: true})
			}
		}
	}
	return []Origin{{Kind: CGave, At: x, Name: name}}
}

// ofResult is a result of a call of Go.
func (p *Package) ofResult(x *ast.CallExpr, i int) []Origin {
	if lit, ok := ast.Unparen(x.Fun).(*ast.FuncLit); ok {
		return p.returnedBy(lit.Type, lit.Body, i)
	}
	f := p.Callee(x)
	if f == nil {
		return []Origin{{At: x}}
	}
	var all []Origin
	if p.decls[f] != nil {
		for _, o := range p.results(f, i) {
			if k := p.params[o.Var]; o.Kind == Param && k.of == f {
				all = join(all, with(p.argument(x, k.index), o))
				continue
			}
			if o.Kind == Unknown {
				o.At = x
			}
			all = join(all, []Origin{o})
		}
		return all
	}
	fact := p.imported(f)
	if fact == nil || i >= len(fact.Results) || len(fact.Results[i]) == 0 {
		return []Origin{{At: x}}
	}
	for _, r := range fact.Results[i] {
		if r.Kind == Param {
			all = join(all, with(p.argument(x, r.Param), Origin{Inner: r.Inner, Number: r.Number}))
			continue
		}
		all = join(all, []Origin{{Kind: r.Kind, At: x, Name: r.Name, Const: r.Const, Inner: r.Inner, Number: r.Number}})
	}
	return all
}

// result names a result of a function, for what is being looked for.
type result struct {
	f *types.Func
	i int
}

// results are the origins of a result of a function of the package.
func (p *Package) results(f *types.Func, i int) []Origin {
	k := result{f, i}
	d := p.decls[f]
	if d == nil {
		return nil
	}
	if p.busy[k] {
		p.cut++
		return nil
	}
	p.busy[k] = true
	defer delete(p.busy, k)
	return p.returnedBy(d.Type, d.Body, i)
}

func (p *Package) returnedBy(t *ast.FuncType, body *ast.BlockStmt, i int) (all []Origin) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			switch {
			case len(n.Results) == 0 && t.Results != nil:
				if v := p.resultVariable(t, i); v != nil {
					all = join(all, p.ofVariable(v))
				}
			case len(n.Results) == 1 && i > 0 || len(n.Results) == 1 && t.Results != nil && t.Results.NumFields() > 1:
				if call, ok := ast.Unparen(n.Results[0]).(*ast.CallExpr); ok {
					all = join(all, p.ofResult(call, i))
				}
			case i < len(n.Results):
				all = join(all, p.raw(n.Results[i]))
			}
		}
		return true
	})
	return all
}

func (p *Package) resultVariable(t *ast.FuncType, i int) *types.Var {
	for _, f := range t.Results.List {
		for _, name := range f.Names {
			if i == 0 {
				v, _ := p.Info.Defs[name].(*types.Var)
				return v
			}
			i--
		}
	}
	return nil
}

func (p *Package) ofVariable(v *types.Var) []Origin {
	if _, is := p.params[v]; is {
		all := []Origin{{Kind: Param, Var: v}}
		if len(p.given[v]) > 0 {
			all = join(all, p.ofGifts(v))
		}
		return all
	}
	if len(p.given[v]) == 0 {
		if v.Pkg() != p.Types || v.Exported() && v.Parent() == p.Types.Scope() {
			return []Origin{{}}
		}
		return []Origin{{Kind: Nil}} // it is declared and gets nothing
	}
	return p.ofGifts(v)
}

// ofGifts are the origins of all that a variable or field gets.
func (p *Package) ofGifts(v *types.Var) (all []Origin) {
	if p.busy[v] {
		p.cut++
		return nil
	}
	p.busy[v] = true
	defer delete(p.busy, v)
	for _, g := range p.given[v] {
		var list []Origin
		switch {
		case g.c != "":
			list = []Origin{{Kind: CGave, At: g.value, Name: g.c}}
		case g.value == nil:
			list = []Origin{{}}
		case g.element != nil:
			if p.sideOf(g.value, p.raw(g.value)) != C {
				list = []Origin{{At: g.element}}
			}
		case g.result > 0:
			if call, ok := ast.Unparen(g.value).(*ast.CallExpr); ok {
				list = p.ofResult(call, g.result)
			}
		default:
			list = p.raw(g.value)
		}
		all = join(all, with(list, Origin{Inner: g.inner}))
	}
	return all
}
