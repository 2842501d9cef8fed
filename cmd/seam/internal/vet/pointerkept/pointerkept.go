// Package pointerkept finds Go memory whose address stays in C.
package pointerkept

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
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

A Go value that a callback needs goes to C as the number of a cgo.Handle, not as an address, and
not as the address of a local variable with the handle.`,
	Run: run,
}

func run(p *rule.Pass) {
	cFields := map[*types.Var]bool{}
	p.Functions(func(d *ast.FuncDecl) {
		o := &origins{Pass: p, fn: d, busy: map[*types.Var]bool{}, cFields: cFields}
		if pins(p, d) {
			unpinned(p, d)
			early(o, d)
			return
		}
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

// stored reports the address of Go memory that is written to C memory.
func (o *origins) stored(to, value ast.Expr) {
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
	if o.place(to) != cMemory || o.of(value) != goMemory {
		return
	}
	o.Reportf(value, rule.Error, "the address of Go memory is stored in C memory, where the garbage collector doesn't see it: pin it with a runtime.Pinner for as long, or use C memory")
}

func (o *origins) passed(name string, call *ast.CallExpr) {
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
		if !isPointer(t) {
			continue
		}
		fate := o.C.Fate(name, i)
		if h := o.localHandle(a); h != "" {
			switch {
			case fate.Static, fate.Member:
				o.Reportf(a, rule.Error, "C.%s keeps the address of the local variable %s, which is gone when the function returns: pass the handle itself as a C.uintptr_t", name, h)
			case fate.Unknown:
				o.Reportf(a, rule.Note, "C.%s gets the address of the local variable %s: if it keeps that for later, pass the handle itself as a C.uintptr_t", name, h)
			}
			continue
		}
		if (fate.Static || fate.Member && !o.besideGo(call, i)) && o.of(a) == goMemory {
			o.Reportf(a, rule.Error, "C.%s keeps this pointer after it returns, and it leads to Go memory: pin that with a runtime.Pinner for as long, or use C memory", name)
		}
	}
}

func isNumber(t types.Type) bool {
	b, ok := types.Unalias(t).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func isPointer(t types.Type) bool {
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// hidesAddress reports whether a number is made of an unsafe.Pointer to Go memory.
func (o *origins) hidesAddress(e ast.Expr) bool {
	for {
		e = ast.Unparen(e)
		call, ok := e.(*ast.CallExpr)
		if !ok || !o.IsConversion(call) || len(call.Args) != 1 {
			return false
		}
		e = call.Args[0]
		if isPointer(o.typeOf(e)) {
			return o.of(e) == goMemory
		}
	}
}

// besideGo reports whether another argument leads to Go memory too: what C stores there the
// garbage collector sees.
func (o *origins) besideGo(call *ast.CallExpr, i int) bool {
	for k, a := range call.Args {
		if k != i && isPointer(o.typeOf(a)) && o.of(a) == goMemory {
			return true
		}
	}
	return false
}

// keptAlive reports whether the function calls runtime.KeepAlive.
func (o *origins) keptAlive() bool {
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
func (o *origins) localHandle(e ast.Expr) string {
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

// unpinned reports local Pinners that are never unpinned: the runtime ends the program for one.
func unpinned(p *rule.Pass, d *ast.FuncDecl) {
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
		if v == nil || v.IsField() || v.Pos() < d.Body.Pos() || d.End() < v.Pos() {
			return true
		}
		if source.Named(v.Type()) == nil {
			return true
		}
		for _, u := range flow.Follow(p.Package, d, v).Uses {
			if u.Kind == flow.ToGo && u.Func.Name() == "Unpin" || u.Kind == flow.Lost || u.Kind == flow.Stored || u.Kind == flow.Given ||
				u.Kind == flow.ToGo && u.Func.Name() != "Pin" {
				return true
			}
		}
		p.Reportf(call, rule.Error, "%s is never unpinned: when it is collected the program ends", v.Name())
		return true
	})
}
