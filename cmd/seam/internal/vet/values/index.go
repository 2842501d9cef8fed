package values

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
)

// index notes what variables, fields and parts of variables get, and who calls whom.
func (p *Package) index() {
	called := map[*ast.Ident]bool{}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				f, _ := p.Info.Defs[n.Name].(*types.Func)
				p.noteParams(f, n.Recv, n.Type)
			case *ast.FuncLit:
				p.noteParams(nil, nil, n.Type)
			case *ast.AssignStmt:
				p.noteAssignment(n)
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if v, ok := p.Info.Defs[name].(*types.Var); ok && len(n.Values) > 0 {
						p.noteGift(v, n.Values, len(n.Names), i)
						if len(n.Values) == len(n.Names) {
							p.noteMembers(v, n.Values[i])
						}
					}
				}
			case *ast.RangeStmt:
				for _, e := range []ast.Expr{n.Key, n.Value} {
					if v := p.variable(e); v != nil {
						p.given[v] = append(p.given[v], gift{value: n.X, element: e})
					}
				}
			case *ast.IncDecStmt:
				if v := p.variable(n.X); v != nil {
					p.given[v] = append(p.given[v], gift{value: n.X, inner: true})
				}
			case *ast.CompositeLit:
				p.noteLiteral(n)
			case *ast.UnaryExpr:
				if v := p.variable(n.X); v != nil && n.Op == token.AND {
					p.noteAddress(n, v)
				}
			case *ast.CallExpr:
				if f := p.Callee(n); f != nil && f.Pkg() == p.Types {
					p.calls[f] = append(p.calls[f], n)
					called[nameOf(n.Fun)] = true
				}
			}
			return true
		})
	}
	for id, o := range p.Info.Uses {
		if f, ok := o.(*types.Func); ok && f.Pkg() == p.Types && !called[id] {
			p.shared[f.Origin()] = true
		}
	}
}

// nameOf is the name by which a call calls.
func nameOf(fun ast.Expr) *ast.Ident {
	switch x := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	case *ast.IndexExpr:
		return nameOf(x.X)
	case *ast.IndexListExpr:
		return nameOf(x.X)
	}
	return nil
}

// variable is the variable or field that an expression is as a whole.
func (p *Package) variable(e ast.Expr) *types.Var {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		if x.Name != "_" {
			return p.Variable(x)
		}
	case *ast.SelectorExpr:
		v, _ := p.Info.Uses[x.Sel].(*types.Var)
		return v
	}
	return nil
}

func (p *Package) noteParams(f *types.Func, recv *ast.FieldList, t *ast.FuncType) {
	if recv != nil {
		for _, field := range recv.List {
			for _, name := range field.Names {
				if v, ok := p.Info.Defs[name].(*types.Var); ok {
					p.params[v] = param{f, -1}
				}
			}
		}
	}
	i := 0
	for _, field := range t.Params.List {
		for _, name := range field.Names {
			if v, ok := p.Info.Defs[name].(*types.Var); ok {
				p.params[v] = param{f, i}
			}
			i++
		}
		if len(field.Names) == 0 {
			i++
		}
	}
}

func (p *Package) noteAssignment(n *ast.AssignStmt) {
	for i, l := range n.Lhs {
		if v := p.variable(l); v != nil {
			switch {
			case n.Tok == token.ASSIGN || n.Tok == token.DEFINE:
				p.noteGift(v, n.Rhs, len(n.Lhs), i)
			default: // p += n
				p.given[v] = append(p.given[v], gift{value: n.Rhs[0], inner: true})
			}
		}
		if len(n.Lhs) == len(n.Rhs) && n.Tok == token.ASSIGN {
			p.noteStore(n, l, n.Rhs[i])
		} else if n.Tok == token.ASSIGN {
			p.noteStore(n, l, nil)
		}
	}
	if len(n.Lhs) == len(n.Rhs) {
		for i, l := range n.Lhs {
			if v := p.variable(l); v != nil {
				p.noteMembers(v, n.Rhs[i])
			}
		}
	}
}

// noteGift notes that a variable gets value i of a list.
func (p *Package) noteGift(v *types.Var, values []ast.Expr, of, i int) {
	if len(values) == of {
		p.given[v] = append(p.given[v], gift{value: values[i]})
		return
	}
	if _, call := ast.Unparen(values[0]).(*ast.CallExpr); call {
		p.given[v] = append(p.given[v], gift{value: values[0], result: i})
		return
	}
	p.given[v] = append(p.given[v], gift{}) // of a map, a channel, an assertion
}

// noteStore notes what is stored in a part of a variable.
func (p *Package) noteStore(at ast.Node, to, value ast.Expr) {
	field := (*types.Var)(nil)
	base, part := ast.Unparen(to), false
	for {
		switch x := base.(type) {
		case *ast.SelectorExpr:
			if v, ok := p.Info.Uses[x.Sel].(*types.Var); ok && field == nil && v.IsField() {
				field = v
			}
			base = ast.Unparen(x.X)
		case *ast.IndexExpr:
			base = ast.Unparen(x.X)
		case *ast.StarExpr:
			base = flow.Strip(p.Package, x.X)
		case *ast.CallExpr:
			if !p.IsBuiltin(x, "Slice", "Add") {
				return
			}
			base = flow.Strip(p.Package, x.Args[0])
		case *ast.SliceExpr:
			base = ast.Unparen(x.X)
		default:
			if v := p.Variable(base); v != nil && part {
				p.stores[v] = append(p.stores[v], Store{At: at, To: to, Field: field, Value: value})
			}
			return
		}
		part = true
	}
}

// noteMembers notes the values in a literal that a variable gets, or the address of which it gets.
func (p *Package) noteMembers(v *types.Var, value ast.Expr) {
	if u, ok := ast.Unparen(value).(*ast.UnaryExpr); ok && u.Op == token.AND {
		value = u.X
	}
	lit, ok := ast.Unparen(value).(*ast.CompositeLit)
	if !ok {
		return
	}
	for i, e := range lit.Elts {
		field, x := p.fieldOf(lit, i, e)
		if inner, ok := ast.Unparen(x).(*ast.CompositeLit); ok {
			p.noteMembers(v, inner)
			continue
		}
		p.stores[v] = append(p.stores[v], Store{At: lit, Field: field, Value: x})
	}
}

// fieldOf is the field that an element of a literal is for, nil in a list, and the value.
func (p *Package) fieldOf(lit *ast.CompositeLit, i int, e ast.Expr) (*types.Var, ast.Expr) {
	if kv, ok := e.(*ast.KeyValueExpr); ok {
		if id, ok := kv.Key.(*ast.Ident); ok {
			v, _ := p.Info.Uses[id].(*types.Var)
			if v != nil && v.IsField() {
				return v, kv.Value
			}
		}
		return nil, kv.Value
	}
	if s, ok := types.Unalias(p.typeOf(lit)).Underlying().(*types.Struct); ok && i < s.NumFields() {
		return s.Field(i), e
	}
	return nil, e
}

func (p *Package) noteLiteral(lit *ast.CompositeLit) {
	for i, e := range lit.Elts {
		if v, x := p.fieldOf(lit, i, e); v != nil {
			p.given[v] = append(p.given[v], gift{value: x})
		}
	}
}

// noteAddress notes that somebody may set a variable by its address: C that is given it, or others.
func (p *Package) noteAddress(at *ast.UnaryExpr, v *types.Var) {
	switch u := flow.UseOf(p.Package, at); u.Kind {
	case flow.ToC:
		if !p.C.Const(u.Name, u.Arg) {
			p.given[v] = append(p.given[v], gift{value: u.Call, c: u.Name})
		}
	case flow.ToGo, flow.Lost, flow.Stored, flow.Given, flow.Moved:
		if f := u.Func; f != nil && f.Pkg() != nil && f.Pkg().Path() == "runtime" {
			return // a Pinner, KeepAlive
		}
		if p.looked(at) {
			return
		}
		p.given[v] = append(p.given[v], gift{})
	}
}

// looked reports whether the address of a variable is given another type, and by that only read:
// h := (*stringHeader)(unsafe.Pointer(&s)).
func (p *Package) looked(at ast.Expr) bool {
	n := p.Parent(at)
	for {
		if call, ok := n.(*ast.CallExpr); ok && p.IsConversion(call) || isParen(n) {
			n = p.Parent(n)
			continue
		}
		break
	}
	set, ok := n.(*ast.AssignStmt)
	if !ok || len(set.Lhs) != 1 {
		return false
	}
	h := p.Variable(set.Lhs[0])
	body := p.Enclosing(at, func(n ast.Node) bool { _, ok := n.(*ast.FuncDecl); return ok })
	if h == nil || body == nil || h.Parent() == p.Types.Scope() {
		return false
	}
	read := true
	ast.Inspect(body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || id == set.Lhs[0] || p.Variable(id) != h {
			return read
		}
		sel, ok := p.Parent(id).(*ast.SelectorExpr)
		switch of := p.Parent(sel).(type) {
		case *ast.AssignStmt:
			read = read && ok && !slices.Contains(of.Lhs, ast.Expr(sel))
		case *ast.UnaryExpr:
			read = read && ok && of.Op != token.AND
		default:
			read = read && ok
		}
		return read
	})
	return read
}

func isParen(n ast.Node) bool { _, ok := n.(*ast.ParenExpr); return ok }
