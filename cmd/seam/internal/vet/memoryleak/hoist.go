package memoryleak

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// hoist gives memory that no variable holds a variable in a statement of its own, which a deferred
// C.free follows. That is plainly right where nothing else is then evaluated in another order, and
// what C returns cannot point into the memory.
func (s site) hoist() *rule.Fix {
	if s.got.Release != "C.free" || s.got.Result != 0 || s.loop() != nil || !s.freeable() {
		return nil
	}
	var around []ast.Node // of the call, innermost first, up to its statement
	stmt := s.Enclosing(s.call, func(n ast.Node) bool {
		around = append(around, n)
		_, is := n.(ast.Stmt)
		return is
	})
	switch stmt.(type) {
	case *ast.ExprStmt, *ast.AssignStmt, *ast.ReturnStmt:
	default:
		return nil
	}
	fn := flow.Function(s.Package, s.call)
	if _, block := s.Parent(stmt).(*ast.BlockStmt); !block || fn == nil || !s.keepsNothing(around) || !s.first(stmt, around) {
		return nil
	}
	edits, ok := s.Imports(stmt, "unsafe")
	if !ok {
		return nil
	}
	name := s.nameIn(fn)
	free, converts := deferredFree(name, s.Info.TypeOf(s.call))
	if !converts {
		edits = nil
	}
	indent := "\n" + strings.Repeat("\t", s.depth(stmt))
	before := name + " := " + source.Text(s.call) + indent + free + indent
	return &rule.Fix{Message: "keep it in a variable, and free it when the function ends", Edits: append(edits,
		rule.Edit{Pos: stmt.Pos(), End: stmt.Pos(), New: before},
		rule.Edit{Pos: s.call.Pos(), End: s.call.End(), New: name})}
}

// keepsNothing reports whether the C function that is given the memory returns nothing that may
// point into it, or a string that is copied at once.
func (s site) keepsNothing(around []ast.Node) bool {
	for i, n := range around {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		if _, isC := s.CCall(call); !isC {
			continue
		}
		if _, dropped := around[i+1].(*ast.ExprStmt); dropped {
			return true
		}
		t := s.Info.TypeOf(call)
		if t == nil {
			return false // its header is missing
		}
		if tuple, is := t.(*types.Tuple); is { // of the result and errno
			t = tuple.At(0).Type()
		}
		if basic, is := t.Underlying().(*types.Basic); is && basic.Kind() != types.UnsafePointer && basic.Kind() != types.Uintptr {
			return true
		}
		if copied, is := around[i+1].(*ast.CallExpr); is {
			name, isC := s.CCall(copied)
			return isC && slices.Contains([]string{"GoString", "GoStringN", "GoBytes"}, name)
		}
		return false
	}
	return false
}

// first reports whether the call is evaluated in any case, and before all other calls of its statement.
func (s site) first(stmt ast.Node, around []ast.Node) bool {
	for _, n := range around {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				return false
			}
		}
	}
	first := true
	ast.Inspect(stmt, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			first = first && (s.IsConversion(n) || n.Pos() >= s.call.Pos() || slices.Contains(around, ast.Node(n)))
		case *ast.FuncLit, *ast.CompositeLit:
			first = first && (n.Pos() < s.call.Pos() || n.Pos() >= s.call.End()) // source.Text shortens them
		case *ast.UnaryExpr:
			first = first && (n.Op != token.ARROW || n.Pos() >= s.call.Pos()) // a receive
		}
		return first
	})
	return first
}

// nameIn is a name for what the call is given, which the function doesn't use yet.
func (s site) nameIn(fn ast.Node) string {
	name := "cs"
	if len(s.call.Args) == 1 {
		switch arg := ast.Unparen(s.call.Args[0]).(type) {
		case *ast.Ident:
			name = inC(arg.Name)
		case *ast.SelectorExpr:
			name = inC(arg.Sel.Name)
		}
	}
	used := func(name string) bool {
		return flow.Any(fn, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			return ok && id.Name == name
		})
	}
	for i, base := 2, name; used(name); i++ {
		name = fmt.Sprintf("%s%d", base, i)
	}
	return name
}

// inC is cName for name.
func inC(name string) string {
	r := []rune(name)
	if len(r) == 0 || !unicode.IsLetter(r[0]) {
		return "cs"
	}
	return "c" + string(unicode.ToUpper(r[0])) + string(r[1:])
}
