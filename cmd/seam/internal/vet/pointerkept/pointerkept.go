// Package pointerkept finds Go memory whose address stays in C.
package pointerkept

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
	"github.com/seamgo/seam/cmd/seam/internal/vet/values"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "pointer-kept",
	Title:    "Go memory whose address C keeps: stored in C memory, passed as a number, kept by the C body",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `The garbage collector doesn't look into C's memory. What only C points to is freed, and a
goroutine's stack moves. Go memory may be passed to a call; its address may stay in C only
while a runtime.Pinner holds it.

Before:

	iov := (*C.struct_iovec)(C.malloc(C.sizeof_struct_iovec))
	iov.iov_base = unsafe.Pointer(&buf[0])

After:

	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinner.Pin(&buf[0])
	iov.iov_base = unsafe.Pointer(&buf[0])

The Pinner must hold it until C has given the address up: a deferred Unpin is too early for memory
of C that the function returns.

It must be unpinned on every way out, or the program ends when it is collected: with defer.

A Go value that a callback needs goes to C as the number of a cgo.Handle, not as an address, and
not as the address of a local variable with the handle.`,
	Run: run,
}

func run(p *rule.Pass) {
	exports := p.Exports()
	p.Functions(func(d *ast.FuncDecl) {
		o := &function{p, d, exports}
		if pins(p, d) {
			unpinned(p, d)
			early(o, d)
			return
		}
		stale(o, d)
		ast.Inspect(d.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if len(n.Lhs) == len(n.Rhs) && (n.Tok == token.ASSIGN) {
					for i := range n.Lhs {
						o.stored(n.Lhs[i], n.Rhs[i])
					}
				}
			case *ast.CallExpr:
				if name, ok := p.CCall(n); ok {
					o.passed(name, n)
				}
			}
			return true
		})
	})
}

// function is one function that is searched.
type function struct {
	*rule.Pass
	fn      *ast.FuncDecl
	exports map[string]bool // functions that C can call
}

func (o *function) typeOf(e ast.Expr) types.Type {
	if t := o.Info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

func (o *function) isParameter(v *types.Var) bool {
	return o.fn.Type.Params.Pos() <= v.Pos() && v.Pos() < o.fn.Type.Params.End()
}

// stored reports the address of Go memory that is written to C memory.
func (o *function) stored(to, value ast.Expr) {
	t := o.typeOf(value)
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
	case *types.Basic:
		if u.Kind() != types.UnsafePointer {
			return
		}
	default:
		return
	}
	to = ast.Unparen(to)
	if _, variable := to.(*ast.Ident); variable {
		return
	}
	if o.Values.WhoseMemory(to) != values.C {
		return
	}
	if v := o.sliceOfC(value); v != nil {
		o.Reportf(value, rule.Warning, "the address of an element of %s is stored in C memory, and if that is no view of C's memory the garbage collector doesn't see it: pin it with a runtime.Pinner for as long, or use C memory", v.Name())
		return
	}
	if o.Values.Whose(value) != values.Go {
		return
	}
	o.Reportf(value, rule.Error, "the address of Go memory is stored in C memory, where the garbage collector doesn't see it: pin it with a runtime.Pinner for as long, or use C memory")
}

// sliceOfC is the parameter, a slice of C's types, of which a value is the address of an element.
func (o *function) sliceOfC(value ast.Expr) *types.Var {
	list := o.Values.Of(value)
	if len(list) != 1 || list[0].Kind != values.Param || list[0].Number {
		return nil
	}
	s, ok := types.Unalias(list[0].Var.Type()).Underlying().(*types.Slice)
	if !ok || !source.IsC(s.Elem()) {
		return nil
	}
	if _, pointers := types.Unalias(s.Elem()).Underlying().(*types.Pointer); pointers {
		return nil
	}
	return list[0].Var
}

// isAny reports whether a parameter takes any pointer, as that for user data does; one to a number
// is for a result.
func isAny(t types.Type) bool {
	b, ok := types.Unalias(t).Underlying().(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}

func (o *function) passed(name string, call *ast.CallExpr) {
	for i, a := range call.Args {
		t := o.typeOf(a)
		if isNumber(t) && o.hidesAddress(a) {
			severity := rule.Warning
			if o.keptAlive() {
				severity = rule.Note // the author knows that it is hidden
			}
			o.Reportf(a, severity, "the address of Go memory is passed as a number, which hides it from cgo's checks and from the garbage collector: pass a pointer, or a cgo.Handle")
			continue
		}
		if !source.IsPointer(t) {
			continue
		}
		fate := o.C.Fate(name, i)
		if h := o.localHandle(a); h != "" {
			switch {
			case fate.Static, fate.Member:
				o.Reportf(a, rule.Error, "C.%s keeps the address of the local variable %s, which is gone when the function returns: pass the handle itself as a C.uintptr_t", name, h)
			case fate.Unknown:
				severity := rule.Note
				if o.callback(call) != "" && registers(name) {
					severity = rule.Warning
				}
				o.Reportf(a, severity, "C.%s gets the address of the local variable %s: if it keeps that for later, pass the handle itself as a C.uintptr_t", name, h)
			}
			continue
		}
		if f := o.callback(call); f != "" && fate.Unknown && isAny(t) && o.Values.Whose(a) == values.Go {
			severity := rule.Note // it may call at once and never again
			if registers(name) {
				severity = rule.Warning
			}
			o.Reportf(a, severity, "C.%s gets the address of Go memory for %s, which it calls: if it does so after it has returned, the memory may be gone; pass a cgo.Handle, as a C.uintptr_t", name, f)
			continue
		}
		if (fate.Static || fate.Member && !o.besideGo(call, i)) && o.Values.Whose(a) == values.Go {
			o.Reportf(a, rule.Error, "C.%s keeps this pointer after it returns, and it leads to Go memory: pin that with a runtime.Pinner for as long, or use C memory", name)
		}
	}
}

// callback is the function that a call gives to C, for C to call.
func (o *function) callback(call *ast.CallExpr) string {
	for _, a := range call.Args {
		name, ok := o.CName(flow.Strip(o.Package, a))
		if !ok {
			continue
		}
		if f := o.C.Func(name); o.exports[name] || f != nil && f.Defined {
			return name
		}
	}
	return ""
}

// registers reports whether a C function's name says that what it is given is for later.
func registers(name string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' }) {
		for _, later := range []string{"set", "register", "add", "install", "subscribe", "hook", "watch", "listen", "connect", "attach", "create", "callback", "handler"} {
			if strings.HasPrefix(w, later) {
				return true
			}
		}
	}
	return false
}

func isNumber(t types.Type) bool {
	b, ok := types.Unalias(t).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// hidesAddress reports whether a number is made of an unsafe.Pointer to Go memory.
func (o *function) hidesAddress(e ast.Expr) bool {
	for {
		e = ast.Unparen(e)
		call, ok := e.(*ast.CallExpr)
		if !ok || !o.IsConversion(call) || len(call.Args) != 1 {
			return false
		}
		e = call.Args[0]
		if source.IsPointer(o.typeOf(e)) {
			return o.Values.Whose(e) == values.Go
		}
	}
}

// besideGo reports whether another argument leads to Go memory too: what C stores there the
// garbage collector sees.
func (o *function) besideGo(call *ast.CallExpr, i int) bool {
	for k, a := range call.Args {
		if k != i && source.IsPointer(o.typeOf(a)) && o.Values.Whose(a) == values.Go {
			return true
		}
	}
	return false
}

// keptAlive reports whether the function calls runtime.KeepAlive.
func (o *function) keptAlive() bool {
	found := false
	ast.Inspect(o.fn, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && o.Calls(call, "runtime", "KeepAlive") {
			found = true
		}
		return !found
	})
	return found
}

// localHandle is the name of a local cgo.Handle whose address an argument is.
func (o *function) localHandle(e ast.Expr) string {
	u, ok := flow.Strip(o.Package, e).(*ast.UnaryExpr)
	if !ok || u.Op != token.AND {
		return ""
	}
	v := o.Variable(u.X)
	if v == nil || v.Parent() == o.Types.Scope() {
		return ""
	}
	n := source.Named(v.Type())
	if n == nil || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != "runtime/cgo" || n.Obj().Name() != "Handle" {
		return ""
	}
	return v.Name()
}

// pins reports whether a function pins anything: what for is its business, if it unpins it late
// enough.
func pins(p *rule.Pass, d *ast.FuncDecl) bool {
	found := false
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && p.Calls(call, "runtime", "Pinner.Pin") {
			found = true
		}
		return !found
	})
	return found
}

// unpinned reports local Pinners that are unpinned never, or not on every way: the runtime ends the
// program when it collects one.
func unpinned(p *rule.Pass, d *ast.FuncDecl) {
	reported := map[*types.Var]bool{}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || !p.Calls(call, "runtime", "Pinner.Pin") {
			return true
		}
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return true
		}
		v := p.Variable(sel.X)
		if v == nil || reported[v] || v.IsField() || v.Pos() < d.Body.Pos() || d.End() < v.Pos() || source.Named(v.Type()) == nil {
			return true
		}
		if f := leaked(p, d, call, v); f != nil {
			reported[v] = true
			p.Report(*f)
		}
		return true
	})
}

// leaked looks for a way from a call of Pin to the end of its function without Unpin.
func leaked(p *rule.Pass, d *ast.FuncDecl, pin *ast.CallExpr, v *types.Var) *rule.Finding {
	value := flow.Follow(p.Package, d, v)
	fn := flow.Function(p.Package, pin)
	unpins := false
	for id, u := range value.InOrder() {
		switch {
		case u.Kind == flow.ToGo && u.Func.Name() == "Unpin":
			unpins = true
			if def := p.Enclosing(id, func(n ast.Node) bool { _, ok := n.(*ast.DeferStmt); return ok }); def != nil && def.Pos() < pin.Pos() {
				return nil // whatever happens
			}
		case u.Kind == flow.ToGo && u.Func.Name() == "Pin", u.Kind == flow.Read, u.Kind == flow.Moved, u.Kind == flow.Changed:
		default:
			return nil // somebody else has it
		}
	}
	if !unpins {
		return &rule.Finding{At: pin, Severity: rule.Error, Message: v.Name() + " is never unpinned: when it is collected the program ends"}
	}
	if fn == nil || v.Pos() < fn.Pos() || fn.End() < v.Pos() {
		return nil // of an outer function, which may do it
	}
	g := flow.NewGraph(p.Package, fn)
	at := g.From(pin, flow.Search{Node: func(n ast.Node) flow.Step {
		for _, u := range g.UsesIn(n, value) {
			if u.Kind == flow.ToGo && u.Func.Name() == "Unpin" || u.Kind == flow.Lost {
				return flow.Stop
			}
		}
		if _, ends := n.(*ast.ReturnStmt); ends {
			return flow.Hit
		}
		return flow.Go
	}})
	if at == nil {
		return nil
	}
	return &rule.Finding{
		At: pin, Severity: rule.Error, Also: []rule.Also{{At: at.Pos(), Message: "the function ends here without unpinning it"}},
		Message: fmt.Sprintf("%s is not unpinned on the way to line %d: when it is collected the program ends; defer %s.Unpin()", v.Name(), p.Position(at.Pos()).Line, v.Name()),
	}
}
