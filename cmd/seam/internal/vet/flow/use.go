// Package flow follows values through a function: what each use of a variable does with
// what it holds, which other variables get it, and what lies on the ways from one place to
// the function's ends.
package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Kind is what a use does with a value.
type Kind int

// The kinds of uses.
const (
	Read    Kind = iota // looks at it, or at what it points to
	Moved               // to the local variable To
	Changed             // the variable gets another value
	ToC                 // argument Arg of the C function Name
	ToGo                // argument Arg of the Go function Func; -1 is the receiver
	Stored              // in To or Field, or elsewhere in memory
	Given               // returned, as result Arg
	Lost                // to what can't be followed: a function value, a channel, a closure
)

// Use is one use of a value.
type Use struct {
	Kind Kind
	At   ast.Expr   // the value itself, with its conversions
	To   *types.Var // the variable of Moved; the field of Stored, nil if it isn't one
	Into ast.Expr   // where Stored stores
	Call *ast.CallExpr
	Name string      // of the C function
	Func *types.Func // the Go function
	Arg  int

	Address bool // it is the variable's address that C is given, by Call, Name and Arg; Kind is Lost
}

// UseOf tells what is done with the value of an expression: it climbs from conversion to
// conversion up to what uses the result.
func UseOf(p *source.Package, value ast.Expr) Use {
	var n ast.Node = value
	for {
		at, _ := n.(ast.Expr)
		parent := p.Parent(n)
		up := false
		var u Use
		switch x := parent.(type) {
		case *ast.ParenExpr, *ast.SliceExpr:
			up = true
			if s, ok := x.(*ast.SliceExpr); ok && s.X != n {
				up = false
			}
		case *ast.BinaryExpr:
			up = x.Op == token.ADD || x.Op == token.SUB
		case *ast.UnaryExpr:
			if x.Op == token.AND {
				if _, whole := ast.Unparen(at).(*ast.Ident); whole {
					lost := Use{Kind: Lost, At: x}
					if to := UseOf(p, x); to.Kind == ToC {
						lost.Address, lost.Call, lost.Name, lost.Arg = true, to.Call, to.Name, to.Arg
					}
					return lost
				}
				up = true
			}
		case *ast.SelectorExpr:
			return useOfMember(p, x, at)
		case *ast.IndexExpr:
			if x.X == n && addressed(p, x) {
				up = true
			} else if x.Index == n && assignedTo(p, x) {
				u.Kind = Lost // the key of a map
			}
		case *ast.StarExpr:
			up = addressed(p, x)
		case *ast.CallExpr:
			u, up = useOfArgument(p, x, at)
		case *ast.ReturnStmt:
			u = Use{Kind: Given, Arg: indexOf(x.Results, at)}
		case *ast.AssignStmt:
			u = useInAssignment(p, x, at)
		case *ast.ValueSpec:
			if i := indexOf(x.Values, at); i >= 0 && i < len(x.Names) {
				u = moveTo(p, x.Names[i])
			}
		case *ast.KeyValueExpr:
			u = Use{Kind: Stored}
			if id, ok := x.Key.(*ast.Ident); ok && x.Value == n {
				u.To, _ = p.Info.Uses[id].(*types.Var)
			}
			if lit, ok := p.Parent(x).(*ast.CompositeLit); ok {
				u.Into = lit
			}
		case *ast.CompositeLit:
			u = Use{Kind: Stored, Into: x}
			if s, ok := types.Unalias(typeOf(p, x)).Underlying().(*types.Struct); ok {
				if i := indexOf(x.Elts, at); i >= 0 && i < s.NumFields() {
					u.To = s.Field(i)
				}
			}
		case *ast.SendStmt:
			if x.Value == n {
				u.Kind = Lost
			}
		case *ast.RangeStmt:
			if x.X == n {
				u.Kind = Read
			} else {
				u.Kind = Changed
			}
		case *ast.IncDecStmt:
			u.Kind = Changed
		}
		if !up {
			u.At = at
			return u
		}
		n = parent
	}
}

func typeOf(p *source.Package, e ast.Expr) types.Type {
	if t := p.Info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// addressed reports whether an element or what a pointer leads to is only named for its address.
func addressed(p *source.Package, e ast.Expr) bool {
	for {
		switch x := p.Parent(e).(type) {
		case *ast.ParenExpr:
			e = x
		case *ast.SelectorExpr:
			if x.X != e {
				return false
			}
			if s := p.Info.Selections[x]; s == nil || s.Kind() != types.FieldVal {
				return false
			}
			e = x
		case *ast.IndexExpr:
			if x.X != e {
				return false
			}
			e = x
		case *ast.SliceExpr:
			return x.X == e
		case *ast.UnaryExpr:
			return x.Op == token.AND
		default:
			return false
		}
	}
}

// assignedTo reports whether something is stored in an element.
func assignedTo(p *source.Package, x *ast.IndexExpr) bool {
	a, ok := p.Parent(x).(*ast.AssignStmt)
	return ok && indexOf(a.Lhs, x) >= 0
}

func useOfMember(p *source.Package, sel *ast.SelectorExpr, at ast.Expr) Use {
	s := p.Info.Selections[sel]
	if s == nil || s.Kind() == types.FieldVal {
		if addressed(p, sel) {
			return UseOf(p, sel)
		}
		return Use{Kind: Read, At: at}
	}
	if call, ok := p.Parent(sel).(*ast.CallExpr); ok && call.Fun == sel {
		if f := p.Callee(call); f != nil {
			return Use{Kind: ToGo, At: at, Call: call, Func: f, Arg: -1}
		}
		return Use{Kind: Read, At: at, Call: call}
	}
	return Use{Kind: Lost, At: at} // a method value
}

// useOfArgument also reports whether the value goes on in the call's result.
func useOfArgument(p *source.Package, call *ast.CallExpr, at ast.Expr) (u Use, up bool) {
	i := indexOf(call.Args, at)
	switch {
	case i < 0:
		return Use{Kind: Read}, false
	case p.IsConversion(call):
		return u, !copies(p, call)
	case p.IsBuiltin(call, "Slice", "String", "Add", "SliceData", "StringData"):
		return u, i == 0
	case p.IsBuiltin(call, "len", "cap", "copy", "clear", "print", "println", "min", "max", "Sizeof"):
		return Use{Kind: Read}, false
	}
	if name, ok := p.CCall(call); ok {
		switch name {
		case "GoString", "GoStringN", "GoBytes":
			return Use{Kind: Read, Call: call}, false
		}
		return Use{Kind: ToC, Call: call, Name: name, Arg: i}, false
	}
	if f := p.Callee(call); f != nil {
		if sig := f.Signature(); sig.Variadic() {
			i = min(i, sig.Params().Len()-1)
		}
		return Use{Kind: ToGo, Call: call, Func: f, Arg: i}, false
	}
	return Use{Kind: Lost, Call: call}, false
}

// copies reports whether a conversion makes a value that doesn't refer to the old one:
// string([]byte).
func copies(p *source.Package, call *ast.CallExpr) bool {
	to, _ := types.Unalias(typeOf(p, call)).Underlying().(*types.Basic)
	return to != nil && to.Info()&types.IsString != 0
}

func useInAssignment(p *source.Package, x *ast.AssignStmt, at ast.Expr) Use {
	if indexOf(x.Lhs, at) >= 0 {
		return Use{Kind: Changed}
	}
	i := indexOf(x.Rhs, at)
	if i < 0 || len(x.Lhs) < len(x.Rhs) {
		return Use{Kind: Read}
	}
	if x.Tok != token.ASSIGN && x.Tok != token.DEFINE {
		return Use{Kind: Read}
	}
	return moveTo(p, x.Lhs[i])
}

// moveTo is the use that stores a value in the variable or other place that to is.
func moveTo(p *source.Package, to ast.Expr) Use {
	to = ast.Unparen(to)
	if id, ok := to.(*ast.Ident); ok {
		if id.Name == "_" {
			return Use{Kind: Read}
		}
		v := p.Variable(id)
		if v == nil || v.Pkg() == nil || v.Parent() == v.Pkg().Scope() {
			return Use{Kind: Stored, Into: to, To: v}
		}
		return Use{Kind: Moved, To: v}
	}
	u := Use{Kind: Stored, Into: to}
	base := to
	for {
		index, ok := base.(*ast.IndexExpr)
		if !ok {
			break
		}
		base = ast.Unparen(index.X)
	}
	if sel, ok := base.(*ast.SelectorExpr); ok {
		u.To, _ = p.Info.Uses[sel.Sel].(*types.Var)
	}
	return u
}

func indexOf(list []ast.Expr, e ast.Expr) int {
	for i, x := range list {
		if x == e {
			return i
		}
	}
	return -1
}

// FreesByName reports whether a C function's name says that it ends the life of its argument.
func FreesByName(name string) bool {
	lower := strings.ToLower(name)
	for _, w := range []string{"free", "destroy", "delete", "release", "dispose", "unref", "finalize", "dealloc", "drop", "close", "cleanup", "fini"} {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return false
}

// TakesByName reports whether a C function's name says that it takes its argument over:
// g_bytes_new_take, adopt_buffer, X509_set0_name.
func TakesByName(name string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' }), func(w string) bool {
		return slices.Contains([]string{"take", "takes", "adopt", "steal", "consume", "set0", "add0", "push0"}, w)
	})
}

// KeepsByName reports whether a C function's name says that it keeps its argument for ever:
// g_quark_from_static_string, register_static.
func KeepsByName(name string) bool {
	return slices.Contains(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' }), "static")
}
