package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// callable makes C functions callable that a package also takes the address of. cgo declares
// such a name twice, and go/types, given the choice, takes the variable with the address
// for a call too. Without that variable calls have types; where the address is taken there
// is an error, which dropped tells from others.
func callable(files []*ast.File, fset *token.FileSet) (changed []*ast.File, dropped func(error) bool) {
	both := map[string]bool{}
	changed = slices.Clone(files)
	for i, f := range files {
		if !isGotypes(fset, f) {
			continue
		}
		funcs := map[string]bool{}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				funcs[strings.TrimPrefix(d.Name.Name, "_Cfunc_")] = true
			}
		}
		clone := *f
		clone.Decls = slices.DeleteFunc(slices.Clone(f.Decls), func(d ast.Decl) bool {
			name, ok := addressOf(d)
			if ok && funcs[name] {
				both[name] = true
			}
			return ok && funcs[name]
		})
		changed[i] = &clone
	}
	type span struct{ from, to token.Pos }
	var spans []span
	for _, f := range files {
		var stack []ast.Node
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || !both[sel.Sel.Name] {
				return true
			}
			if id, ok := sel.X.(*ast.Ident); !ok || id.Name != "C" {
				return true
			}
			for i := len(stack) - 2; i >= 0; i-- { // the statement around it
				if _, ok := stack[i].(ast.Stmt); ok || i == 0 {
					spans = append(spans, span{stack[i].Pos(), stack[i].End()})
					break
				}
			}
			return true
		})
	}
	return changed, func(err error) bool {
		e, ok := err.(types.Error)
		return ok && slices.ContainsFunc(spans, func(s span) bool { return s.from <= e.Pos && e.Pos <= s.to })
	}
}

// addressOf is the C function whose address a declaration of cgo's holds.
func addressOf(d ast.Decl) (name string, ok bool) {
	g, ok := d.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR || len(g.Specs) != 1 {
		return "", false
	}
	v, ok := g.Specs[0].(*ast.ValueSpec)
	if !ok || len(v.Names) != 1 {
		return "", false
	}
	return strings.CutPrefix(v.Names[0].Name, "_Cfpvar_fp_")
}
