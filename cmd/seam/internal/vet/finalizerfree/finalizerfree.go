// Package finalizerfree finds C memory that a method frees and a finalizer frees again.
package finalizerfree

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "finalizer-free",
	Formerly: "cstring-leak",
	Title:    "a method frees C memory, and the finalizer or cleanup of its value frees it again",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `A method like Close that frees what the finalizer frees again must take the finalizer away, or set
the field to nil.

Before:

	func (t *Table) Close() { C.free(unsafe.Pointer(t.c)) } // runtime.SetFinalizer(t, (*Table).Close)

After:

	func (t *Table) Close() {
		runtime.SetFinalizer(t, nil)
		C.free(unsafe.Pointer(t.c))
	}

It is reported only where both free whatever happens before, every value that the package makes has
the finalizer, and the method neither takes it away nor changes the field.`,
	Run: run,
}

// finalFree is what the finalizer or cleanup of a type frees.
type finalFree struct {
	call    *ast.CallExpr // that sets it
	frees   map[*types.Var]*ast.CallExpr
	byValue bool // it has been given the pointer itself: the field doesn't matter any more
}

func run(p *rule.Pass) {
	decls := p.Declarations()
	finals, unclear := map[*types.TypeName]*finalFree{}, map[*types.TypeName]bool{}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			set, t := newFinalFree(p, call, decls)
			switch {
			case t == nil:
			case finals[t] != nil && !sameFields(finals[t], set), len(set.frees) == 0, chosen(p, call):
				unclear[t] = true
			default:
				finals[t] = set
			}
			return true
		})
	}
	if len(finals) == 0 {
		return
	}
	madeWithout(p, finals, unclear)
	p.Functions(func(d *ast.FuncDecl) {
		f, ok := p.Info.Defs[d.Name].(*types.Func)
		if !ok || !f.Exported() || d.Recv == nil || len(d.Recv.List[0].Names) != 1 {
			return
		}
		named := source.Named(f.Signature().Recv().Type())
		if named == nil || finals[named.Obj()] == nil || unclear[named.Obj()] {
			return
		}
		v, _ := p.Info.Defs[d.Recv.List[0].Names[0]].(*types.Var)
		checkFinalFree(p, d, v, finals[named.Obj()], decls)
	})
}

func checkFinalFree(p *rule.Pass, d *ast.FuncDecl, v *types.Var, final *finalFree, decls map[*types.Func]*ast.FuncDecl) {
	if v == nil {
		return
	}
	e := endOf(p, d.Body, v, decls, 0)
	if e.stops || e.unknown {
		return
	}
	for field, free := range e.frees {
		again := final.frees[field]
		if again == nil || e.clears[field] && !final.byValue {
			continue
		}
		name := v.Name() + "." + field.Name()
		how, mend := "finalizer", fmt.Sprintf("call runtime.SetFinalizer(%s, nil)", v.Name())
		if final.byValue {
			how, mend = "cleanup", "call Stop of what runtime.AddCleanup returned"
		}
		severity := rule.Warning
		if c, _ := p.CCall(e.by[field]); c == "free" {
			severity = rule.Error
		}
		found := rule.Finding{
			At: free, Severity: severity, Also: []rule.Also{{At: final.call.Pos(), Message: "the " + how + " is set here"}},
			Message: fmt.Sprintf("%s frees %s, and the %s does so again when %s is collected: %s here", d.Name.Name, name, how, v.Name(), mend),
		}
		if again != e.by[field] {
			found.Also = append(found.Also, rule.Also{At: again.Pos(), Message: "and frees it here"})
		}
		if !final.byValue {
			found.Fix = stopFinalizer(p, d, v)
		}
		p.Report(found)
	}
}

// stopFinalizer takes the finalizer away at the beginning of a method.
func stopFinalizer(p *rule.Pass, d *ast.FuncDecl, v *types.Var) *rule.Fix {
	edits, ok := p.Imports(d.Body, "runtime")
	if _, pointer := types.Unalias(v.Type()).(*types.Pointer); !ok || !pointer {
		return nil
	}
	at, line := d.Body.Lbrace+1, "\n\truntime.SetFinalizer("+v.Name()+", nil)"
	if p.Position(at).Line == p.Position(d.Body.Rbrace).Line {
		line += "\n"
	}
	return &rule.Fix{Message: "take the finalizer away", Edits: append(edits, rule.Edit{Pos: at, End: at, New: line})}
}

func sameFields(a, b *finalFree) bool {
	for f := range a.frees {
		if b.frees[f] == nil {
			return false
		}
	}
	return len(a.frees) == len(b.frees) && a.byValue == b.byValue
}

// newFinalFree reads a call that sets a finalizer or a cleanup; t is the type whose values get it, nil
// for other calls.
func newFinalFree(p *rule.Pass, call *ast.CallExpr, decls map[*types.Func]*ast.FuncDecl) (set *finalFree, t *types.TypeName) {
	cleanup := p.Calls(call, "runtime", "AddCleanup") && len(call.Args) == 3
	if !cleanup && !(p.Calls(call, "runtime", "SetFinalizer") && len(call.Args) == 2) || p.Info.Types[call.Args[1]].IsNil() {
		return nil, nil
	}
	at := p.Info.TypeOf(call.Args[0])
	if at == nil {
		return nil, nil
	}
	named := source.Named(at)
	if named == nil || named.Obj().Pkg() != p.Types {
		return nil, nil
	}
	set = &finalFree{call: call, frees: map[*types.Var]*ast.CallExpr{}, byValue: cleanup}
	body, v := functionOf(p, call.Args[1], decls)
	if body == nil || v == nil {
		return set, named.Obj()
	}
	if !cleanup {
		if e := endOf(p, body, v, decls, 0); !e.unknown {
			set.frees = e.frees
		}
		return set, named.Obj()
	}
	sel, ok := flow.Strip(p.Package, call.Args[2]).(*ast.SelectorExpr)
	if !ok {
		return set, named.Obj()
	}
	field, _ := p.Info.Uses[sel.Sel].(*types.Var)
	ast.Inspect(body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && field != nil && len(c.Args) == 1 {
			if name, ok := p.CCall(c); ok && flow.Destroys(p.Package, name, c) && p.Variable(flow.Strip(p.Package, c.Args[0])) == v && plainly(p, body, c, v, nil) {
				set.frees[field] = c
			}
		}
		return true
	})
	return set, named.Obj()
}

// functionOf is the body and the first parameter, or the receiver, of what an expression names.
func functionOf(p *rule.Pass, e ast.Expr, decls map[*types.Func]*ast.FuncDecl) (*ast.BlockStmt, *types.Var) {
	if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok {
		return lit.Body, firstOf(p, lit.Type.Params)
	}
	d := decls[p.Function(e)]
	if d == nil {
		return nil, nil
	}
	if d.Recv != nil {
		return d.Body, firstOf(p, d.Recv)
	}
	return d.Body, firstOf(p, d.Type.Params)
}

func firstOf(p *rule.Pass, list *ast.FieldList) *types.Var {
	if list == nil || len(list.List) == 0 || len(list.List[0].Names) == 0 {
		return nil
	}
	v, _ := p.Info.Defs[list.List[0].Names[0]].(*types.Var)
	return v
}

// chosen reports whether a finalizer is set only where a condition holds that isn't about nil.
func chosen(p *rule.Pass, call *ast.CallExpr) bool {
	return p.Enclosing(call, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			return !comparesNil(p, n.Cond)
		case *ast.CaseClause, *ast.CommClause:
			return true
		}
		return false
	}) != nil
}

func comparesNil(p *rule.Pass, cond ast.Expr) bool {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	return ok && (b.Op == token.EQL || b.Op == token.NEQ) && (p.Info.Types[b.X].IsNil() || p.Info.Types[b.Y].IsNil())
}

// madeWithout notes the types of which a function makes values without the finalizer: those may be
// the ones that users close.
func madeWithout(p *rule.Pass, finals map[*types.TypeName]*finalFree, unclear map[*types.TypeName]bool) {
	note := func(made ast.Node, t types.Type) {
		if t == nil {
			return
		}
		n, ok := types.Unalias(t).(*types.Named)
		if !ok || finals[n.Obj()] == nil {
			return
		}
		fn := p.Enclosing(made, func(n ast.Node) bool { _, ok := n.(*ast.FuncDecl); return ok })
		sets := false
		if fn != nil {
			ast.Inspect(fn, func(x ast.Node) bool {
				call, ok := x.(*ast.CallExpr)
				if ok && len(call.Args) >= 2 && (p.Calls(call, "runtime", "SetFinalizer") || p.Calls(call, "runtime", "AddCleanup")) {
					of := source.Named(p.Info.TypeOf(call.Args[0]))
					sets = sets || of != nil && of.Obj() == n.Obj()
				}
				return !sets
			})
		}
		if !sets {
			unclear[n.Obj()] = true
		}
	}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				note(n, p.Info.TypeOf(n))
			case *ast.ValueSpec:
				if n.Type != nil {
					note(n, p.Info.TypeOf(n.Type))
				}
			case *ast.CallExpr:
				if p.IsBuiltin(n, "new") && len(n.Args) == 1 {
					note(n, p.Info.TypeOf(n.Args[0]))
				}
			}
			return true
		})
	}
}

// end is what a function does at the end of the life of a value.
type end struct {
	frees   map[*types.Var]*ast.CallExpr // the call in the function, by the field
	by      map[*types.Var]*ast.CallExpr // the call of C
	clears  map[*types.Var]bool
	stops   bool // it takes the finalizer away
	unknown bool // what isn't seen gets the value
}

// endOf looks at a function and at those of the package that it gives the value to.
func endOf(p *rule.Pass, body *ast.BlockStmt, v *types.Var, decls map[*types.Func]*ast.FuncDecl, depth int) *end {
	e := &end{frees: map[*types.Var]*ast.CallExpr{}, by: map[*types.Var]*ast.CallExpr{}, clears: map[*types.Var]bool{}}
	field := func(x ast.Expr) *types.Var {
		sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
		if !ok || p.Variable(sel.X) != v {
			return nil
		}
		f, _ := p.Info.Uses[sel.Sel].(*types.Var)
		return f
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if f := field(l); f != nil {
					e.clears[f] = true
				} else if star, ok := ast.Unparen(l).(*ast.StarExpr); ok && p.Variable(star.X) == v {
					e.stops = true // all of it changes
				}
			}
		case *ast.UnaryExpr:
			if f := field(n.X); f != nil && n.Op == token.AND {
				e.clears[f] = true
			}
		case *ast.CallExpr:
			e.call(p, body, n, v, field, decls, depth)
		}
		return true
	})
	return e
}

func (e *end) call(p *rule.Pass, body *ast.BlockStmt, call *ast.CallExpr, v *types.Var, field func(ast.Expr) *types.Var, decls map[*types.Func]*ast.FuncDecl, depth int) {
	if name, ok := p.CCall(call); ok {
		if len(call.Args) != 1 || !flow.Destroys(p.Package, name, call) {
			return
		}
		if f := field(flow.Strip(p.Package, call.Args[0])); f != nil && plainly(p, body, call, v, f) {
			e.frees[f], e.by[f] = call, call
		}
		return
	}
	if p.Calls(call, "runtime", "KeepAlive") || p.IsConversion(call) {
		return
	}
	if p.Calls(call, "runtime", "SetFinalizer") || p.Calls(call, "runtime", "Cleanup.Stop") {
		e.stops = true
		return
	}
	given := -2 // as which parameter; -1 is the receiver
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && p.Variable(sel.X) == v {
		given = -1
	}
	for i, a := range call.Args {
		if p.Variable(flow.Strip(p.Package, a)) == v {
			given = i
		}
	}
	if given == -2 {
		return
	}
	d := decls[p.Callee(call)]
	if d == nil || depth == 3 || given > 0 {
		e.unknown = true
		return
	}
	list := d.Recv
	if given == 0 {
		list = d.Type.Params
	}
	to := firstOf(p, list)
	if to == nil {
		return // it has no name for it
	}
	inner := endOf(p, d.Body, to, decls, depth+1)
	e.stops, e.unknown = e.stops || inner.stops, e.unknown || inner.unknown
	for f := range inner.clears {
		e.clears[f] = true
	}
	for f := range inner.frees {
		if plainly(p, body, call, v, f) {
			e.frees[f], e.by[f] = call, inner.by[f]
		}
	}
}

// plainly reports whether a function comes to a call whatever happens, but for what is nil: no other
// condition stands around it, and none lets the function return before.
func plainly(p *rule.Pass, body *ast.BlockStmt, call *ast.CallExpr, v *types.Var, field *types.Var) bool {
	about := func(cond ast.Expr) bool { // nil of the value itself or of its field
		b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
		if !ok || !comparesNil(p, cond) {
			return false
		}
		x := b.X
		if p.Info.Types[x].IsNil() {
			x = b.Y
		}
		x = flow.Strip(p.Package, x)
		if sel, ok := ast.Unparen(x).(*ast.SelectorExpr); ok {
			return p.Variable(sel.X) == v && field != nil && p.Info.Uses[sel.Sel] == field
		}
		return p.Variable(x) == v
	}
	var inner ast.Node = call
	for n := p.Parent(call); n != nil && n != body; n = p.Parent(n) {
		switch n := n.(type) {
		case *ast.IfStmt:
			if inner != n.Init && inner != n.Cond && !about(n.Cond) {
				return false
			}
		case *ast.ForStmt, *ast.RangeStmt, *ast.CaseClause, *ast.CommClause, *ast.GoStmt:
			return false
		case *ast.FuncLit:
			if flow.Deferred(p.Package, n) == nil {
				return false
			}
		}
		inner = n
	}
	plain := true
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return flow.Contains(n, call)
		case *ast.ReturnStmt:
			if n.Pos() > call.Pos() {
				return false
			}
			i, ok := p.Enclosing(n, func(n ast.Node) bool { _, ok := n.(*ast.IfStmt); return ok }).(*ast.IfStmt)
			plain = plain && ok && about(i.Cond)
		case *ast.BranchStmt:
			plain = plain && n.Tok != token.GOTO
		}
		return true
	})
	return plain
}
