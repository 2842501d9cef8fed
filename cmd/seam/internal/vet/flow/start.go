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
		fun = n.Call.Fun
	case *ast.CallExpr:
		if !p.Calls(n, "sync", "WaitGroup.Go") || len(n.Args) != 1 {
			return nil
		}
		fun = n.Args[0]
	default:
		return nil
	}
	if f, ok := ast.Unparen(fun).(*ast.FuncLit); ok {
		return f
	}
	if d := decls[p.Function(fun)]; d != nil {
		return d
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
