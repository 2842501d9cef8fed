package flow

import "go/ast"

// Any reports whether something holds for a node or one below it.
func Any(n ast.Node, is func(ast.Node) bool) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		found = found || n != nil && is(n)
		return !found
	})
	return found
}
