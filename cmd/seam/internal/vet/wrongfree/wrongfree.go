// Package wrongfree finds memory that is freed by what doesn't own it.
package wrongfree

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/contracts"
	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/values"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "wrong-free",
	Title:    "memory that is freed by another allocator than the one that it comes from, or that is none of C's heap",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `What C.CString and C.malloc give goes back by C.free. A library may have an allocator of its own:
what it gives goes back by its own function, and nothing else does. A constant or a static variable
of C, Go memory, and an address behind the beginning of a block can't be freed at all: the heap is
broken then, which shows much later.

Before:

	cs := C.CString(name)
	defer C.SDL_free(unsafe.Pointer(cs))

After:

	cs := C.CString(name)
	defer C.free(unsafe.Pointer(cs))

A function of a library counts as one that frees if its name ends so and its body isn't seen to call
free, and takes one pointer without a type. Of C that isn't seen a mismatch is a warning, by what frees
the same function's results elsewhere in the package, or by a known library's contract. Memory that
comes by way of fields or by functions of other packages that aren't known isn't judged.`,
	Run: run,
}

func run(p *rule.Pass) {
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			if name, ok := p.CCall(call); ok && (name == "free" || ofLibrary(p, name, call)) {
				check(p, name, call)
			}
			return true
		})
	}
}

// ofLibrary reports whether a C function frees memory of any kind by an allocator that isn't malloc's:
// its name ends so, and it takes a pointer without a type.
func ofLibrary(p *rule.Pass, name string, call *ast.CallExpr) bool {
	if len(call.Args) != 1 || !strings.HasSuffix(strings.ToLower(name), "free") {
		return false
	}
	if f := p.C.Func(name); f != nil && f.Defined {
		return !p.C.Fate(name, 0).Frees && !p.C.Fate(name, 0).Unknown
	}
	b, ok := types.Unalias(typeOf(p, call.Args[0])).Underlying().(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}

func typeOf(p *rule.Pass, e ast.Expr) types.Type {
	if t := p.Info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

func check(p *rule.Pass, name string, call *ast.CallExpr) {
	list := p.Values.Of(call.Args[0])
	bad, why, severity := 0, "", rule.Severity("")
	var from ast.Expr
	for _, o := range list {
		w, s := wrong(p, name, call, o)
		if o.Kind == values.Nil {
			continue
		}
		if w == "" {
			return // by another way it may be right: which it is isn't known
		}
		bad++
		why, severity, from = w, s, o.At
	}
	if bad == 0 {
		return
	}
	f := rule.Finding{At: call, Severity: severity, Message: fmt.Sprintf("C.%s frees %s", name, why)}
	if from != nil && from.Pos() != call.Args[0].Pos() {
		f.Also = []rule.Also{{At: from.Pos(), Message: "it comes from here"}}
	}
	p.Report(f)
}

// wrong says what is freed that can't be by a function; "" if nothing is known to be wrong.
func wrong(p *rule.Pass, name string, call *ast.CallExpr, o values.Origin) (string, rule.Severity) {
	switch o.Kind {
	case values.GoVar, values.GoMade, values.GoText:
		return "Go memory, which the garbage collector owns", rule.Error
	case values.CStatic:
		return fmt.Sprintf("what C.%s returns, which may be a constant or a static variable of C", o.Name), rule.Error
	case values.Param:
		if _, ok := types.Unalias(o.Var.Type()).Underlying().(*types.Slice); ok && o.Var.Type().String() == "[]byte" && direct(p, call) {
			return "Go memory, unless " + o.Var.Name() + " is a view of C's", rule.Warning
		}
	case values.CHeap:
		switch {
		case o.Inner && moved(p, call.Args[0]):
			return "an address behind the beginning of what C." + o.Name + " gave", rule.Error
		case name != "free":
			if c := contracts.Of(name); c != nil && c.Library == "c" {
				return "", ""
			}
			return fmt.Sprintf("what C.%s gave, which C.free frees: another allocator than malloc's may be behind C.%s", o.Name, name), rule.Warning
		}
	case values.CGave:
		return mismatch(p, name, o.Name)
	}
	return "", ""
}

// mismatch says by what else a C function's result must be freed.
func mismatch(p *rule.Pass, name, by string) (string, rule.Severity) {
	if f := p.C.Func(by); f != nil && f.Defined {
		return "", ""
	}
	if c := contracts.Of(by); c != nil {
		switch {
		case c.Static:
			return fmt.Sprintf("what C.%s returns, which belongs to the library (%s)", by, c.Library), rule.Error
		case name == "free" && slices.Equal(c.New, []string{"g_free"}):
			return fmt.Sprintf("what C.%s returns, which C.g_free frees: they are the same since GLib 2.46 only", by), rule.Note
		case len(c.New) > 0 && !slices.Contains(c.New, name):
			return fmt.Sprintf("what C.%s returns, which C.%s frees (%s)", by, strings.Join(c.New, " or C."), c.Library), rule.Error
		}
		return "", ""
	}
	if name != "free" {
		return "", ""
	}
	for _, other := range p.Owns.Releases(by) {
		if other != "free" && ofAnything(p, other) {
			return fmt.Sprintf("what C.%s returns, which the package frees by C.%s elsewhere: is it C's heap or the library's?", by, other), rule.Warning
		}
	}
	return "", ""
}

// ofAnything reports whether a C function frees memory and no object: its name says no more than that.
func ofAnything(p *rule.Pass, name string) bool {
	if f := p.C.Func(name); f != nil && f.Defined {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' })
	return len(words) <= 2 && words[len(words)-1] == "free"
}

// moved reports whether the argument itself is computed to lead behind the beginning.
func moved(p *rule.Pass, e ast.Expr) bool {
	switch x := flow.Strip(p.Package, e).(type) {
	case *ast.CallExpr:
		if p.IsBuiltin(x, "Add") {
			v := p.Info.Types[x.Args[1]].Value
			return v != nil && !strings.HasPrefix(v.ExactString(), "-") && v.ExactString() != "0"
		}
	case *ast.UnaryExpr:
		if i, ok := ast.Unparen(x.X).(*ast.IndexExpr); ok {
			v := p.Info.Types[i.Index].Value
			return v != nil && v.ExactString() != "0"
		}
	}
	return false
}

// direct reports whether what is freed is the address of an element: C.free(&b[0]).
func direct(p *rule.Pass, call *ast.CallExpr) bool {
	_, ok := flow.Strip(p.Package, call.Args[0]).(*ast.UnaryExpr)
	return ok
}
