// Package lengthcut finds lengths and sizes that are cut to fewer bits on the way between Go and C.
package lengthcut

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "length-cut",
	Title:    "a length or size of 64 bits that is cut to 32 on the way between Go and C",
	Severity: rule.Warning,
	Since:    "0.9",
	Doc: `C.int has 32 bits, and a conversion to it cuts without a word. From 2 GiB on the length is negative
or too small, and C, or C.GoBytes, works on something else than it is given.

Before:

	var n C.uint64_t
	p := C.read(&n)
	return C.GoBytes(p, C.int(n))

After:

	if n > math.MaxInt32 {
		return nil, errTooLong
	}
	return C.GoBytes(p, C.int(n)), nil

A number of C's with 64 bits that becomes the length of C.GoBytes, C.GoStringN or a call of C is a
warning, the length of a slice or string that a caller has given is a note: who has no such long ones
has no harm. Where the function compares the same length with anything but 0, nothing is said.`,
	Run: run,
}

func run(p *rule.Pass) {
	if p.Sizes == nil || p.Sizes.Sizeof(types.Typ[types.Int]) < 8 {
		return
	}
	noted := map[ast.Node]bool{} // functions of which one length was named
	p.Functions(func(d *ast.FuncDecl) {
		ast.Inspect(d.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, ok := p.CCall(call)
			if !ok {
				return true
			}
			for _, a := range call.Args {
				check(p, d, name, a, noted)
			}
			return true
		})
	})
}

// check looks at an argument that is a conversion to a number of at most 32 bits.
func check(p *rule.Pass, d *ast.FuncDecl, name string, a ast.Expr, noted map[ast.Node]bool) {
	conv, ok := ast.Unparen(a).(*ast.CallExpr)
	if !ok || !p.IsConversion(conv) || len(conv.Args) != 1 || !number(p, conv, 4) || p.Info.Types[a].Value != nil {
		return
	}
	x := flow.Strip(p.Package, conv.Args[0])
	if p.Info.Types[x].Value != nil {
		return
	}
	if l, ok := x.(*ast.CallExpr); ok && p.IsBuiltin(l, "len", "cap") {
		if noted[d] || compares(p, d, x) || fixed(p, l.Args[0]) {
			return
		}
		noted[d] = true
		p.Reportf(a, rule.Note, "%s is cut to 32 bits for C.%s: if it can be 2 GiB or more, compare it with math.MaxInt32 first", source.Text(x), name)
		return
	}
	if !number(p, x, 8) || !isLength(name, p, x) || compares(p, d, x) || bounded(p, x) {
		return
	}
	p.Report(rule.Finding{
		At: a, Severity: rule.Warning,
		Message: fmt.Sprintf("%s, of 64 bits, is cut to 32 for C.%s: from 2 GiB on the length is wrong or negative; compare it with math.MaxInt32 first, or use unsafe.Slice", source.Text(x), name),
	})
}

// number reports whether an expression is a whole number of so many bytes.
func number(p *rule.Pass, e ast.Expr, bytes int64) bool {
	t := p.Info.TypeOf(e)
	if t == nil || t == types.Typ[types.Invalid] {
		return widths[cType(p, e)] == bytes
	}
	b, ok := types.Unalias(t).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0 && b.Info()&types.IsUntyped == 0 && p.Sizes.Sizeof(b) == bytes
}

// isLength reports whether a call of cgo's is given the length, which C told.
func isLength(name string, p *rule.Pass, x ast.Expr) bool {
	return (name == "GoBytes" || name == "GoStringN") && (source.IsC(p.Info.TypeOf(x)) || cType(p, x) != "")
}

// widths are the bytes of C's numbers where int has 64 bits in Go.
var widths = map[string]int64{
	"int": 4, "uint": 4, "int32_t": 4, "uint32_t": 4,
	"size_t": 8, "ssize_t": 8, "long": 8, "ulong": 8, "longlong": 8, "ulonglong": 8, "int64_t": 8, "uint64_t": 8,
}

// cType is the name of C's type that a conversion is to or a variable is declared as, where a missing
// header keeps its type from being known; "" if that isn't seen.
func cType(p *rule.Pass, e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		name, _ := p.CName(e.Fun)
		return name
	case *ast.Ident:
		v := p.Variable(e)
		if v == nil {
			return ""
		}
		name := ""
		for _, f := range p.Files {
			if v.Pos() < f.FileStart || f.FileEnd <= v.Pos() {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ValueSpec:
					if n.Type != nil && slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return p.Info.Defs[id] == v }) {
						name, _ = p.CName(n.Type)
					}
				case *ast.Field:
					if slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return p.Info.Defs[id] == v }) {
						name, _ = p.CName(n.Type)
					}
				}
				return name == ""
			})
		}
		return name
	}
	return ""
}

// fixed reports whether a length is that of an array, or of a constant.
func fixed(p *rule.Pass, e ast.Expr) bool {
	t := p.Info.TypeOf(e)
	if t == nil || p.Info.Types[e].Value != nil {
		return true
	}
	_, array := types.Unalias(t).Underlying().(*types.Array)
	return array
}

// bounded reports whether a length is counted up to a constant.
func bounded(p *rule.Pass, x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	if name, c := p.CCall(call); !p.IsBuiltin(call, "min") && !(c && name == "strnlen") {
		return false
	}
	return slices.ContainsFunc(call.Args, func(a ast.Expr) bool {
		v := p.Info.Types[a].Value
		return v != nil && constant.Compare(constant.ToInt(v), token.LEQ, constant.MakeInt64(math.MaxInt32))
	})
}

// compares reports whether the function compares a length with anything but 0.
func compares(p *rule.Pass, d *ast.FuncDecl, x ast.Expr) bool {
	found := false
	text := source.Text(x)
	ast.Inspect(d.Body, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok {
			return !found
		}
		switch b.Op {
		case token.LSS, token.GTR, token.LEQ, token.GEQ, token.EQL, token.NEQ:
			for i, e := range []ast.Expr{b.X, b.Y} {
				other := []ast.Expr{b.Y, b.X}[i]
				v := p.Info.Types[other].Value
				if source.Text(flow.Strip(p.Package, e)) == text && (v == nil || v.ExactString() != "0") && !p.Info.Types[other].IsNil() {
					found = true
				}
			}
		}
		return !found
	})
	return found
}
