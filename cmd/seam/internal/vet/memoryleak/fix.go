package memoryleak

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/ownership"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// fix adds a deferred C.free after the statement, where that is plainly right: the memory
// stays in its function, is in no loop, and nothing frees it yet.
func (s site) fix() *rule.Fix {
	stmt, ok := s.Parent(s.call).(*ast.AssignStmt)
	if !ok || len(stmt.Lhs) != 1 || s.got.Release != "C.free" || s.loop() != nil || !s.freeable() {
		return nil
	}
	edits, ok := s.Imports(stmt, "unsafe")
	if !ok {
		return nil
	}
	if _, block := s.Parent(stmt).(*ast.BlockStmt); !block {
		return nil
	}
	id, ok := stmt.Lhs[0].(*ast.Ident)
	v := s.Variable(stmt.Lhs[0])
	fn := flow.Function(s.Package, s.call)
	if !ok || v == nil || fn == nil {
		return nil
	}
	for _, u := range flow.Follow(s.Package, fn, v).Uses {
		if e := s.Owns.Effect(u); e != ownership.None {
			return nil
		}
	}
	free, converts := deferredFree(id.Name, v.Type())
	if !converts {
		edits = nil
	}
	indent := strings.Repeat("\t", s.depth(stmt))
	return &rule.Fix{Message: "free it when the function ends", Edits: append(edits, rule.Edit{Pos: stmt.End(), End: stmt.End(), New: "\n" + indent + free})}
}

// deferredFree is a deferred C.free of a variable, and whether it needs package unsafe for that.
func deferredFree(name string, t types.Type) (free string, converts bool) {
	if t != nil && t.String() == "unsafe.Pointer" {
		return "defer C.free(" + name + ")", false
	}
	return "defer C.free(unsafe.Pointer(" + name + "))", true
}

// freeable reports whether the file can write C.free: another file of the package calling
// it doesn't declare it here.
func (s site) freeable() bool {
	file, ok := s.Enclosing(s.call, func(n ast.Node) bool { _, ok := n.(*ast.File); return ok }).(*ast.File)
	if !ok {
		return false
	}
	can, asked := s.freeing[file]
	if !asked {
		can = s.writesFree(file)
		s.freeing[file] = can
	}
	return can
}

func (s site) writesFree(file *ast.File) bool {
	declared := false
	for _, i := range file.Imports {
		if i.Path.Value == `"C"` {
			text := i.Doc.Text()
			if d, ok := s.Parent(i).(*ast.GenDecl); ok {
				text += d.Doc.Text()
			}
			declared = declared || strings.Contains(text, "stdlib.h")
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if name, ok := s.CCall(call); ok && name == "free" {
				declared = true
			}
		}
		return true
	})
	return declared
}

// depth is how far a statement is indented.
func (s site) depth(n ast.Node) (depth int) {
	for n := s.Parent(n); n != nil; n = s.Parent(n) {
		switch n.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			depth++
		}
	}
	return depth
}
