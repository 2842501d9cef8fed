// Package keepalive finds C objects that a finalizer may free while C works on them.
package keepalive

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/ownership"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "keepalive",
	Title:    "a finalizer or cleanup may free a C object during the call, or while a child of it is in use",
	Severity: rule.Warning,
	Since:    "0.9",
	Doc: `A Go value may be collected as soon as the program doesn't use it any more: that is after
its field was read for the call of C, not after the call. If a finalizer frees what the field
points to, C works on freed memory.

Before:

	func (t *Tree) Len() int { return int(C.tree_len(t.c)) } // t may be finalized in tree_len

After:

	func (t *Tree) Len() int {
		n := int(C.tree_len(t.c))
		runtime.KeepAlive(t)
		return n
	}

A value that points into such an object must refer to the Go value that owns it:

	return &Node{c: C.tree_root(t.c), tree: t}

In a function that isn't exported it is a note: its callers may use the value afterwards. What C
returned for such an object may lie in it, so the object has to be kept for as long as that is used.`,
	Run: run,
}

func run(p *rule.Pass) {
	makers := map[*ast.FuncDecl]bool{} // functions that give a value its finalizer
	p.Functions(func(d *ast.FuncDecl) {
		ast.Inspect(d.Body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && p.Owns.Finalizes(call) {
				makers[d] = true
			}
			return true
		})
	})
	p.Functions(func(d *ast.FuncDecl) {
		f, ok := p.Info.Defs[d.Name].(*types.Func)
		if !ok {
			return
		}
		sig := f.Signature()
		vars := []*types.Var{sig.Recv()}
		for i := range sig.Params().Len() {
			vars = append(vars, sig.Params().At(i))
		}
		for _, v := range vars {
			if v == nil {
				continue
			}
			if _, pointer := types.Unalias(v.Type()).(*types.Pointer); !pointer {
				continue
			}
			if freed := p.Owns.FreedFields(v.Type()); freed != nil || p.Owns.HasLender(v.Type()) {
				owner{p, v, freed, d, false}.check()
			}
		}
		for _, v := range made(p, d, makers) {
			if freed := p.Owns.FreedFields(v.Type()); freed != nil {
				owner{p, v, freed, d, true}.check()
			}
		}
	})
}

// made are the local variables that hold what a function has just given a finalizer, and that
// nobody else holds.
func made(p *rule.Pass, d *ast.FuncDecl, makers map[*ast.FuncDecl]bool) (list []*types.Var) {
	decls := p.Declarations()
	ast.Inspect(d.Body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if _, lit := n.(*ast.FuncLit); lit || !ok || a.Tok != token.DEFINE || len(a.Rhs) != 1 {
			return !lit
		}
		call, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
		if !ok || !makers[decls[p.Callee(call)]] {
			return true
		}
		v := p.Variable(a.Lhs[0])
		if v == nil {
			return true
		}
		if _, pointer := types.Unalias(v.Type()).(*types.Pointer); !pointer {
			return true
		}
		for _, u := range flow.Follow(p.Package, d, v).Uses {
			switch {
			case u.Kind == flow.Stored, u.Kind == flow.Lost, u.Kind == flow.Moved, u.Kind == flow.Changed,
				u.Kind == flow.ToGo && u.Arg >= 0 && !(u.Func.Pkg() != nil && u.Func.Pkg().Path() == "runtime"):
				return true
			}
		}
		list = append(list, v)
		return true
	})
	return list
}

// owner is a parameter, or a local variable, whose finalizer frees what some of its fields point to.
type owner struct {
	*rule.Pass
	v      *types.Var
	fields map[*types.Var]bool
	decl   *ast.FuncDecl
	local  bool // it is a variable of the function instead
}

// dying is a call of C during which a finalizer may run.
type dying struct {
	call *ast.CallExpr
	say  string
	mend bool
}

func (o owner) check() {
	g := flow.NewGraph(o.Package, o.decl)
	children := map[ast.Node]bool{}
	var all []dying
	note := func(call *ast.CallExpr, mend bool, format string, args ...any) {
		all = append(all, dying{call, fmt.Sprintf(format, args...), mend})
	}
	ast.Inspect(o.decl.Body, func(n ast.Node) bool {
		if _, lit := n.(*ast.FuncLit); lit {
			return false
		}
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if lit := o.copiesInto(sel); lit != nil && !children[lit] {
				children[lit] = true
				o.Reportf(lit, rule.Warning, "%s gets what the finalizer of %s frees, %s, and nothing in it refers to %s: it may be used when that is gone", source.Text(lit.Type), o.typeName(), source.Text(sel), o.v.Name())
			}
			return true
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name, ok := o.CCall(call)
		if !ok {
			if name, ok := o.Owns.Covered(call); ok && !flow.FreesByName(name) && !o.releasesArgument(call) && o.given(call) && o.dies(g, call) {
				note(call, true, "%s is not used after this call, so its finalizer may free %s during C.%s, which %s calls: add runtime.KeepAlive(%s) after it", o.v.Name(), o.fieldIn(call), name, source.Text(call.Fun), o.v.Name())
			}
			return true
		}
		if flow.FreesByName(name) || o.Owns.Cast(call) != nil {
			return true // a cast reads nothing: what its result is given to is asked
		}
		if child := o.childIn(call); child != "" && !o.given(call) && o.dies(g, call) {
			note(call, false, "%s may lie in what the finalizer of %s frees, and %s is not used after this use of it: add runtime.KeepAlive(%s) after it", child, o.v.Name(), o.v.Name(), o.v.Name())
		}
		if ownership.Copies(name) || !o.given(call) {
			return true
		}
		if lit := o.child(call); lit != nil && !children[lit] {
			children[lit] = true
			o.Reportf(lit, rule.Warning, "%s points into what the finalizer of %s frees, and nothing in it refers to %s: it may be used when that is gone", source.Text(lit.Type), o.typeName(), o.v.Name())
		}
		if o.dies(g, call) {
			note(call, true, "%s is not used after this call, so its finalizer may free %s during C.%s: add runtime.KeepAlive(%s) after it", o.v.Name(), o.fieldIn(call), name, o.v.Name())
		}
		return true
	})
	if len(all) == 0 {
		return
	}
	f := rule.Finding{At: all[0].call, Severity: o.severity(), Message: all[0].say}
	if all[0].mend {
		f.Fix = o.fix(all)
	}
	o.Report(f)
}

// releasesArgument reports whether a Go function frees something that it is given.
func (o owner) releasesArgument(call *ast.CallExpr) bool {
	fact := o.Owns.Of(o.Callee(call))
	return fact != nil && len(fact.Frees) > 0
}

func (o owner) severity() rule.Severity {
	if !o.local && !o.decl.Name.IsExported() {
		return rule.Note // its callers may hold the value for longer
	}
	return rule.Warning
}

// childIn is the variable, among the arguments of a call of C, that holds what C has returned for
// the owner's object and that may lie in it.
func (o owner) childIn(call *ast.CallExpr) string {
	for _, a := range call.Args {
		v := o.Variable(flow.Strip(o.Package, a))
		if v == nil || v == o.v || v.IsField() {
			continue
		}
		if from := o.onlyCall(v); from != nil && from != call && o.given(from) && o.pointsInto(from) && !o.isOwn(from, v) && !o.isMessage(v, call) {
			return v.Name()
		}
	}
	return ""
}

// onlyCall is the call of C that gives a local variable its only value.
func (o owner) onlyCall(v *types.Var) (call *ast.CallExpr) {
	times := 0
	ast.Inspect(o.decl.Body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, l := range a.Lhs {
			if o.Variable(l) == v {
				times++
				if i < len(a.Rhs) {
					call, _ = flow.Strip(o.Package, a.Rhs[i]).(*ast.CallExpr)
				}
			}
		}
		return true
	})
	if times != 1 || call == nil {
		return nil
	}
	if _, ok := o.CCall(call); !ok {
		return nil
	}
	return call
}

// isOwn reports whether what a call of C returns is seen, said by its name, or treated as an object
// of its own: freed, or given to Go that may free it.
func (o owner) isOwn(from *ast.CallExpr, v *types.Var) bool {
	name, _ := o.CCall(from)
	if o.isNew(from) || named(name, "ref", "open", "prepare", "acquire", "version", "type") {
		return true
	}
	return o.releases(v)
}

// isMessage reports whether a variable holds a text that C returns only where it has failed, and that
// becomes an error there: such texts are constants, and lie in no object.
func (o owner) isMessage(v *types.Var, use ast.Node) bool {
	if p, ok := types.Unalias(v.Type()).(*types.Pointer); !ok || !strings.HasSuffix(p.Elem().String(), "_Ctype_char") {
		return false
	}
	i, ok := o.Enclosing(use, func(n ast.Node) bool { _, ok := n.(*ast.IfStmt); return ok }).(*ast.IfStmt)
	if !ok || !flow.Contains(i.Body, use) || flow.Nil(o.Package, i.Cond, func(x *types.Var) (bool, bool) { return x == v, false }) != 1 {
		return false
	}
	last, ok := i.Body.List[len(i.Body.List)-1].(*ast.ReturnStmt)
	if !ok || len(last.Results) == 0 {
		return false
	}
	err := last.Results[len(last.Results)-1]
	return !o.Info.Types[err].IsNil() && o.Info.TypeOf(err) != nil && types.Implements(o.Info.TypeOf(err), errorType)
}

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// isNew reports whether what a call of C returns is seen to be new, or said so by the name.
func (o owner) isNew(from *ast.CallExpr) bool {
	name, _ := o.CCall(from)
	if _, owned := o.Owns.Acquires(from); owned {
		return true
	}
	f := o.C.Func(name)
	return f != nil && f.New || named(name, "new", "create", "copy", "dup", "clone", "alloc", "make")
}

func named(name string, words ...string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
}

// releases reports whether the function frees what a variable holds, or gives it to Go that may.
func (o owner) releases(v *types.Var) bool {
	for _, u := range flow.Follow(o.Package, o.decl, v).Uses {
		if u.Kind == flow.ToC && flow.FreesByName(u.Name) || u.Kind == flow.ToGo && o.Owns.Effect(u) != ownership.None {
			return true
		}
	}
	return false
}

func (o owner) typeName() string { return source.Named(o.v.Type()).Obj().Name() }

// given reports whether a call of C takes a field that the finalizer frees.
func (o owner) given(call *ast.CallExpr) bool { return o.fieldIn(call) != "" }

// fieldIn names the field that a call of C is given: itself, by a variable, or by a method.
func (o owner) fieldIn(call *ast.CallExpr) (found string) {
	for _, a := range call.Args {
		ast.Inspect(a, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if o.IsConversion(n) {
					return true
				}
				if o.Owns.Cast(n) != nil {
					return true
				}
				fun, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
				if f := o.Callee(n); ok && f != nil && len(n.Args) == 0 && o.Variable(fun.X) == o.v && o.Owns.Lends(f) {
					found = "what " + source.Text(n) + " returns"
				}
				return false // what another call makes of it
			case *ast.UnaryExpr:
				if n.Op == token.AND && o.inside(n.X) {
					return false // a pointer into the Go value, which keeps it
				}
			case *ast.SelectorExpr:
				if o.Variable(n.X) == o.v && o.owns(n) && (found == "" || isPointer(o.Info.TypeOf(n))) {
					found = source.Text(n) // a pointer rather than a number that is given with it
				}
			case *ast.Ident:
				v := o.Variable(n)
				if v == nil || v == o.v || v.IsField() {
					return true
				}
				if sel := o.Owns.CopyOf(o.decl, v); sel != nil && o.Variable(sel.X) == o.v && o.owns(sel) {
					found = source.Text(sel)
				}
			}
			return true
		})
	}
	return found
}

// inside reports whether an expression is a part of the Go value: a field, a field of that, an element
// of an array in it.
func (o owner) inside(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		if o.Variable(e.X) == o.v {
			return true
		}
		_, value := o.Underlying(e.X).(*types.Struct)
		return value && o.inside(e.X)
	case *ast.IndexExpr:
		_, value := o.Underlying(e.X).(*types.Array)
		return value && o.inside(e.X)
	}
	return false
}

// owns reports whether the finalizer frees a field.
func (o owner) owns(sel *ast.SelectorExpr) bool {
	f, ok := o.Info.Uses[sel.Sel].(*types.Var)
	return ok && o.fields[f]
}

// dies reports whether no way from the call to the end of the function uses the value any
// more. One that does is enough: the compiler keeps what may be needed until it is known.
func (o owner) dies(g *flow.Graph, call *ast.CallExpr) bool {
	if o.heldByDefer(call) || o.usedAround(call) || o.stopped(call) {
		return false
	}
	stmt := o.Enclosing(call, func(n ast.Node) bool { _, ok := n.(ast.Stmt); return ok })
	if o.usedAfter(stmt, call) {
		return false
	}
	if _, ends := stmt.(*ast.ReturnStmt); ends {
		return !o.used(stmt, call) // it may be what is returned
	}
	holders := o.holders(call)
	return g.From(call, flow.Search{Node: func(n ast.Node) flow.Step {
		if o.uses(n) || usesOne(o.Package, n, holders) {
			return flow.Hit
		}
		return flow.Go
	}}) == nil
}

// stopped reports whether the value's finalizer was taken away before a call, on every way to it.
func (o owner) stopped(call ast.Node) bool {
	found := false
	ast.Inspect(o.decl.Body, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || c.End() > call.Pos() || !o.Calls(c, "runtime", "SetFinalizer") || len(c.Args) != 2 || !o.Info.Types[c.Args[1]].IsNil() || o.Variable(c.Args[0]) != o.v {
			return !found
		}
		block := o.Parent(o.Parent(c)) // of the statement
		_, plain := block.(*ast.BlockStmt)
		found = found || plain && flow.Contains(block, call)
		return !found
	})
	return found
}

// holders are the variables that hold a new value which refers to the owner, before a call.
func (o owner) holders(call ast.Node) map[types.Object]bool {
	all := map[types.Object]bool{}
	ast.Inspect(o.decl.Body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || a.Pos() >= call.Pos() || len(a.Lhs) != len(a.Rhs) {
			return true
		}
		for i, r := range a.Rhs {
			if u, ok := ast.Unparen(r).(*ast.UnaryExpr); ok {
				r = u.X
			}
			lit, ok := ast.Unparen(r).(*ast.CompositeLit)
			if v := o.Variable(a.Lhs[i]); ok && v != nil && o.used(lit, nil) {
				all[v] = true
			}
		}
		return true
	})
	return all
}

func usesOne(p *source.Package, n ast.Node, of map[types.Object]bool) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && of[p.Info.Uses[id]] {
			found = true
		}
		return !found
	})
	return found
}

func (o owner) uses(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && o.Info.Uses[id] == o.v {
			found = true
		}
		return !found
	})
	return found
}

// usedAfter reports whether what follows a call in its statement uses the value.
func (o owner) usedAfter(stmt ast.Node, call *ast.CallExpr) bool {
	found := false
	ast.Inspect(stmt, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Pos() >= call.End() && o.Info.Uses[id] == o.v {
			_, block := stmt.(*ast.BlockStmt)
			found = !block
		}
		return !found
	})
	return found
}

// heldByDefer reports whether a deferred call uses the value when the function ends.
func (o owner) heldByDefer(call ast.Node) bool {
	found := false
	ast.Inspect(o.decl.Body, func(n ast.Node) bool {
		if d, ok := n.(*ast.DeferStmt); ok && d.Pos() < call.Pos() && o.heldBy(d) {
			found = true
		}
		return !found
	})
	return found
}

// heldBy reports whether a deferred call refers to the value. What it is called with is read when it
// is deferred: of defer t.ctx.Unlock() only the pointer in the field is kept.
func (o owner) heldBy(d *ast.DeferStmt) bool {
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			found = found || o.uses(lit)
			return false
		}
		if sel, ok := n.(*ast.SelectorExpr); ok && o.Variable(sel.X) == o.v && o.copied(sel) {
			return false
		}
		if id, ok := n.(*ast.Ident); ok && o.Info.Uses[id] == o.v {
			found = true
		}
		return !found
	})
	return found
}

// copied reports whether a selector reads a pointer to a struct that doesn't itself refer back to
// values of the owner's type.
func (o owner) copied(sel *ast.SelectorExpr) bool {
	s := o.Info.Selections[sel]
	if s == nil || s.Kind() != types.FieldVal {
		return false
	}
	if u, ok := o.Parent(sel).(*ast.UnaryExpr); ok && u.Op == token.AND {
		return false
	}
	if _, pointer := types.Unalias(s.Type()).(*types.Pointer); !pointer {
		return false
	}
	to := source.Named(s.Type())
	if to == nil {
		return false
	}
	fields, ok := to.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range fields.Fields() {
		if o.mentions(f.Type()) {
			return false
		}
	}
	return true
}

// mentions reports whether a type is the owner's, or a pointer to such or a collection of such.
func (o owner) mentions(t types.Type) bool {
	switch u := types.Unalias(t).(type) {
	case *types.Named:
		return u.Obj() == source.Named(o.v.Type()).Obj()
	case *types.Map:
		return o.mentions(u.Key()) || o.mentions(u.Elem())
	case *types.Interface, *types.TypeParam, *types.Signature:
		return true // may be
	case interface{ Elem() types.Type }:
		return o.mentions(u.Elem())
	}
	return false
}

// usedAround reports whether a Go call around the call of C takes the value too: it lives
// until then.
func (o owner) usedAround(call *ast.CallExpr) bool {
	for n := o.Parent(call); n != nil; n = o.Parent(n) {
		switch x := n.(type) {
		case *ast.CallExpr:
			if o.IsConversion(x) {
				continue
			}
			if _, c := o.CCall(x); !c && o.used(x, call) {
				return true
			}
		case *ast.CompositeLit:
			if o.used(x, call) {
				return true
			}
		case *ast.AssignStmt:
			for _, l := range x.Lhs {
				if o.uses(l) {
					return true
				}
			}
			return false
		case ast.Stmt:
			return false
		}
	}
	return false
}

// used reports whether the value itself, not only a field for C, is an operand beside a call.
func (o owner) used(n, beside ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if n == beside {
			return false
		}
		id, ok := n.(*ast.Ident)
		if !ok || o.Info.Uses[id] != o.v {
			return true
		}
		if sel, ok := o.Parent(id).(*ast.SelectorExpr); ok {
			if s := o.Info.Selections[sel]; s != nil && s.Kind() == types.FieldVal {
				return true
			}
		}
		found = true
		return false
	})
	return found
}

// child is the literal of a struct that takes what a call returns and isn't tied to the
// owner; nil if there is none.
func (o owner) child(call *ast.CallExpr) *ast.CompositeLit {
	u := flow.UseOf(o.Package, call)
	if o.isNew(call) || u.Kind == flow.Moved && o.releases(u.To) {
		return nil
	}
	if u.Kind == flow.Moved {
		for _, v := range flow.Follow(o.Package, o.decl, u.To).InOrder() {
			if v.Kind == flow.Stored {
				u = v
			}
		}
	}
	lit, ok := u.Into.(*ast.CompositeLit)
	if !ok || o.refersToOwner(lit) {
		return nil
	}
	t := o.Info.TypeOf(lit)
	if t == nil {
		return nil
	}
	n := source.Named(t)
	if n == nil || n.Obj().Pkg() != o.Types || source.IsC(n) || o.Owns.FreedFields(n) != nil || !o.pointsInto(call) || ownsItself(n) {
		return nil
	}
	return lit
}

// refersToOwner reports whether a literal refers to the owner, or to a Go value that it has.
func (o owner) refersToOwner(lit *ast.CompositeLit) bool {
	found := false
	ast.Inspect(lit, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if _, c := o.CCall(call); c {
				return false
			}
		}
		if sel, ok := n.(*ast.SelectorExpr); ok && o.Variable(sel.X) == o.v && o.owns(sel) {
			return false // what C knows of it, which keeps nothing
		}
		if id, ok := n.(*ast.Ident); ok && o.Info.Uses[id] == o.v {
			found = true
		}
		return !found
	})
	return found
}

// copiesInto is the literal of a struct that takes a pointer which the finalizer frees, and isn't tied
// to the owner; nil if there is none.
func (o owner) copiesInto(sel *ast.SelectorExpr) *ast.CompositeLit {
	if o.Variable(sel.X) != o.v || !o.owns(sel) || !isPointer(o.Info.TypeOf(sel)) {
		return nil
	}
	u := flow.UseOf(o.Package, sel)
	lit, ok := u.Into.(*ast.CompositeLit)
	if !ok || u.Kind != flow.Stored || o.refersToOwner(lit) || o.stopped(lit) {
		return nil
	}
	n := source.Named(o.Info.TypeOf(lit))
	if n == nil || n.Obj().Pkg() != o.Types || source.IsC(n) || n.Obj() == source.Named(o.v.Type()).Obj() || !o.leaves(lit) {
		return nil
	}
	return lit
}

// leaves reports whether a new value is returned, or gets a finalizer of its own.
func (o owner) leaves(lit *ast.CompositeLit) bool {
	var e ast.Expr = lit
	if u, ok := o.Parent(lit).(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = u
	}
	u := flow.UseOf(o.Package, e)
	if u.Kind != flow.Moved {
		return u.Kind == flow.Given
	}
	for _, u := range flow.Follow(o.Package, o.decl, u.To).Uses {
		if u.Kind == flow.Given || u.Kind == flow.ToGo && u.Func.Name() == "SetFinalizer" && u.Arg == 0 {
			return true
		}
	}
	return false
}

func isPointer(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := types.Unalias(t).Underlying().(*types.Pointer)
	return ok
}

// pointsInto reports whether what C returns can hold a pointer.
func (o owner) pointsInto(call *ast.CallExpr) bool {
	t := o.Info.TypeOf(call)
	if t == nil {
		return false
	}
	switch types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		return true
	case *types.Struct:
		return hasPointer(t, 0)
	}
	return false
}

func hasPointer(t types.Type, depth int) bool {
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Array:
		return hasPointer(u.Elem(), depth+1)
	case *types.Struct:
		for i := range u.NumFields() {
			if depth < 4 && hasPointer(u.Field(i).Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

// ownsItself reports whether a type has a method that frees: what C returned is its own then.
func ownsItself(n *types.Named) bool {
	for i := range n.NumMethods() {
		if flow.FreesByName(n.Method(i).Name()) {
			return true
		}
	}
	return false
}

// fix keeps the value alive for all calls of the function: after the one, if that is a statement of
// its own which is always come to, and else to the end of the function.
func (o owner) fix(all []dying) *rule.Fix {
	edits, ok := o.Imports(o.decl.Body, "runtime")
	if !ok {
		return nil
	}
	keep := "runtime.KeepAlive(" + o.v.Name() + ")"
	if len(all) == 1 || o.local {
		switch s := o.Parent(all[0].call).(type) {
		case *ast.ExprStmt, *ast.AssignStmt:
			if o.Parent(s) == o.decl.Body || o.local && o.inList(s) {
				return &rule.Fix{Message: "keep it alive until C returns", Edits: append(edits, rule.Edit{Pos: s.End(), End: s.End(), New: "\n" + keep})}
			}
		}
	}
	if o.local || o.v.Name() == "" || o.v.Name() == "_" || o.assigned() {
		return nil
	}
	return &rule.Fix{Message: "keep it alive until the function ends", Edits: append(edits, o.First(o.decl.Body, "defer "+keep))}
}

// inList reports whether another statement can stand after one, on the same ways.
func (o owner) inList(s ast.Node) bool {
	switch o.Parent(s).(type) {
	case *ast.BlockStmt, *ast.CaseClause:
		return true
	}
	return false
}

// assigned reports whether the function gives the variable another value.
func (o owner) assigned() bool {
	found := false
	ast.Inspect(o.decl.Body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			for _, l := range a.Lhs {
				found = found || o.Variable(l) == o.v
			}
		}
		return !found
	})
	return found
}
