package cmemory

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// sum is a size: factors of lengths and variables by how they are written, and of 1 by "".
type sum map[string]int64

// sizeOf is a number as a sum; ok is false if it is none.
func sizeOf(p *rule.Pass, e ast.Expr) (s sum, ok bool) {
	e = ast.Unparen(e)
	if v := p.Info.Types[e].Value; v != nil {
		n, exact := constant.Int64Val(constant.ToInt(v))
		return sum{"": n}, exact
	}
	switch x := e.(type) {
	case *ast.CallExpr:
		if p.IsConversion(x) && len(x.Args) == 1 {
			if b, is := p.Underlying(x.Args[0]).(*types.Basic); is && b.Info()&types.IsInteger != 0 {
				return sizeOf(p, x.Args[0])
			}
			return nil, false
		}
		if p.IsBuiltin(x, "len") {
			return sum{source.Text(x): 1}, true
		}
	case *ast.Ident:
		if v := p.Variable(x); v != nil {
			if init := only(p, x, v); init != nil {
				return sizeOf(p, init)
			}
			if parameter(p, v) {
				return sum{x.Name: 1}, true
			}
		}
	case *ast.BinaryExpr:
		a, ok := sizeOf(p, x.X)
		b, ok2 := sizeOf(p, x.Y)
		if !ok || !ok2 {
			return nil, false
		}
		switch x.Op {
		case token.ADD:
			return a.plus(b, 1), true
		case token.SUB:
			return a.plus(b, -1), true
		case token.MUL:
			if n, is := a.constant(); is {
				return b.times(n), true
			}
			if n, is := b.constant(); is {
				return a.times(n), true
			}
		}
	}
	return nil, false
}

// only is the value of a variable that gets one and no other.
func only(p *rule.Pass, id *ast.Ident, v *types.Var) (value ast.Expr) {
	times := 0
	for _, f := range p.Files {
		if !(f.FileStart <= id.Pos() && id.Pos() < f.FileEnd) {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					if p.Variable(l) != v {
						continue
					}
					times++
					if len(n.Lhs) == len(n.Rhs) && (n.Tok == token.DEFINE || n.Tok == token.ASSIGN) {
						value = n.Rhs[i]
					} else {
						times = 2
					}
				}
			case *ast.IncDecStmt:
				if p.Variable(n.X) == v {
					times = 2
				}
			case *ast.RangeStmt:
				if n.Key != nil && p.Variable(n.Key) == v || n.Value != nil && p.Variable(n.Value) == v {
					times = 2
				}
			case *ast.UnaryExpr:
				if n.Op == token.AND && p.Variable(n.X) == v {
					times = 2
				}
			}
			return true
		})
	}
	if times != 1 {
		return nil
	}
	return value
}

// parameter reports whether a variable is a parameter that nobody changes.
func parameter(p *rule.Pass, v *types.Var) bool {
	return p.Values.Fixed(v)
}

func (s sum) constant() (n int64, ok bool) {
	for name, factor := range s {
		if name != "" && factor != 0 {
			return 0, false
		}
	}
	return s[""], true
}

func (s sum) times(n int64) sum {
	r := sum{}
	for name, factor := range s {
		r[name] = factor * n
	}
	return r
}

func (s sum) plus(t sum, sign int64) sum {
	r := maps.Clone(s)
	for name, factor := range t {
		r[name] += sign * factor
	}
	return r
}

// lessThan reports whether a sum is less than another whatever the lengths are, which aren't negative,
// and where they aren't all 0.
func (s sum) lessThan(t sum) bool {
	less := false
	for _, d := range t.plus(s, -1) {
		if d < 0 {
			return false
		}
		less = less || d > 0
	}
	return less
}

func (s sum) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		switch n := s[name]; {
		case n == 0 || name == "":
		case n == 1:
			parts = append(parts, name)
		default:
			parts = append(parts, fmt.Sprintf("%d×%s", n, name))
		}
	}
	if n := s[""]; n != 0 || len(parts) == 0 {
		parts = append(parts, fmt.Sprint(n))
	}
	return strings.Join(parts, "+")
}
