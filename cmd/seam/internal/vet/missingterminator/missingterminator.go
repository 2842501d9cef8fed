// Package missingterminator finds Go's bytes that are given to C that reads as far as a 0.
package missingterminator

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/contracts"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/values"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "missing-terminator",
	Title:    "a string or bytes of Go, without a 0 at the end, given to C that reads as far as one",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `A Go string has no 0 at its end. C that isn't told the length reads on behind it, into whatever lies
there, until a 0 comes.

Before:

	C.by_name((*C.char)(unsafe.Pointer(unsafe.StringData(name))))

After:

	cs := C.CString(name)
	defer C.free(unsafe.Pointer(cs))
	C.by_name(cs)

It is asked about calls that get no number which may be the length. It is an error where the body of
the C function gives the pointer to what looks for the 0 (strlen, fopen, printf), and a warning where
it isn't seen and takes a const char *. Bytes to which the package appends anything, and a string to
which a constant that ends in a 0 is added, count as ended.`,
	Run: run,
}

func run(p *rule.Pass) {
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name, ok := p.CCall(call); ok && !told(p, call) {
				for i, a := range call.Args {
					check(p, name, i, a)
				}
			}
			return true
		})
	}
}

// told reports whether a call has a number that isn't constant: it may be the length.
func told(p *rule.Pass, call *ast.CallExpr) bool {
	return slices.ContainsFunc(call.Args, func(a ast.Expr) bool {
		tv := p.Info.Types[a]
		if tv.Type == nil || tv.Type == types.Typ[types.Invalid] {
			return true
		}
		b, ok := types.Unalias(tv.Type).Underlying().(*types.Basic)
		if ok && b.Info()&types.IsInteger != 0 {
			return true
		}
		_, s := types.Unalias(tv.Type).Underlying().(*types.Struct)
		return s
	})
}

func check(p *rule.Pass, name string, i int, a ast.Expr) {
	fate := p.C.Fate(name, i)
	if !charPointer(p, a) || !fate.Text && !fate.Unknown || !unended(p, p.Values.Of(a)) {
		return
	}
	severity := rule.Error
	if c := contracts.Of(name); c == nil || !slices.Contains(c.Text, i) {
		if !fate.Text {
			if severity = rule.Warning; !p.C.Const(name, i) {
				return // it may be a buffer
			}
		}
	}
	p.Reportf(a, severity, "C.%s reads as far as a 0, and the bytes of this Go string or slice don't end in one: pass C.CString, or append a 0", name)
}

func charPointer(p *rule.Pass, a ast.Expr) bool {
	t := p.Info.TypeOf(a)
	if t == nil {
		return false
	}
	ptr, ok := types.Unalias(t).Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(ptr.Elem()).(*types.Named)
	return ok && n.Obj().Name() == "_Ctype_char"
}

// unended reports whether all that a pointer comes from is a string, or the bytes of one, as it is.
func unended(p *rule.Pass, list []values.Origin) bool {
	n := 0
	for _, o := range list {
		switch {
		case o.Kind == values.Nil:
			continue
		case o.Kind == values.GoText && !ended(p, o.At):
		case o.Kind == values.Param && o.Var.Type().String() == "string":
		case o.Kind == values.GoMade && ofText(p, o.At):
		default:
			return false
		}
		n++
	}
	return n > 0
}

// ofText reports whether bytes are made of a string: []byte(s).
func ofText(p *rule.Pass, e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || !p.IsConversion(call) || len(call.Args) != 1 {
		return false
	}
	b, ok := p.Underlying(call.Args[0]).(*types.Basic)
	return ok && b.Info()&types.IsString != 0 && !ended(p, call.Args[0]) && !appended(p, call)
}

// ended reports whether a string is a constant that ends in a 0, or ends with such a one.
func ended(p *rule.Pass, e ast.Expr) bool {
	if e == nil {
		return true // nothing is known of it
	}
	if v := p.Info.Types[e].Value; v != nil && v.Kind() == constant.String {
		return strings.HasSuffix(constant.StringVal(v), "\x00")
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		return x.Op == token.ADD && ended(p, x.Y)
	case *ast.CallExpr:
		if p.IsConversion(x) && len(x.Args) == 1 {
			if _, text := p.Underlying(x.Args[0]).(*types.Basic); text {
				return ended(p, x.Args[0])
			}
		}
		return true // what a function makes of it
	}
	return false
}

// appended reports whether the bytes go on to append, themselves or by their variable.
func appended(p *rule.Pass, call *ast.CallExpr) bool {
	outer, ok := p.Parent(call).(*ast.CallExpr)
	return ok && p.IsBuiltin(outer, "append")
}
