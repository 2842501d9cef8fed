package flow

import (
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Started is the function, literal or declared, that a node starts a goroutine with: by a go
// statement, or by a sync.WaitGroup. nil if it isn't such a node, or the function isn't seen.
func Started(p *source.Package, n ast.Node, decls map[*types.Func]*ast.FuncDecl) ast.Node {
	var fun ast.Expr
	switch n := n.(type) {
	case *ast.GoStmt:
		if d := decls[p.Callee(n.Call)]; d != nil {
			return d
		}
		fun = n.Call.Fun
	case *ast.CallExpr:
		if !p.Calls(n, "sync", "WaitGroup.Go") || len(n.Args) != 1 {
			return nil
		}
		fun = n.Args[0]
	default:
		return nil
	}
	var id *ast.Ident
	switch f := ast.Unparen(fun).(type) {
	case *ast.FuncLit:
		return f
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	if f, ok := p.Info.Uses[id].(*types.Func); ok && decls[f] != nil {
		return decls[f]
	}
	return nil
}

// InLoop reports whether a node is in a loop of its function.
func InLoop(p *source.Package, n ast.Node) bool {
	for n = p.Parent(n); n != nil; n = p.Parent(n) {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		case *ast.FuncDecl, *ast.FuncLit:
			return false
		}
	}
	return false
}
