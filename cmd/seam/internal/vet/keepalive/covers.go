package keepalive

import (
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// covered returns the C function behind a call of a Go function of the package that gives C what it
// is given: every parameter that is a pointer of C's goes to it as it is.
func covered(p *rule.Pass, call *ast.CallExpr, decls map[*types.Func]*ast.FuncDecl) (name string, ok bool) {
	d := decls[p.Callee(call)]
	if d == nil || d.Recv != nil {
		return "", false
	}
	for _, list := range d.Type.Params.List {
		for _, id := range list.Names {
			v, _ := p.Info.Defs[id].(*types.Var)
			if v == nil || !source.IsC(v.Type()) {
				continue
			}
			if _, pointer := types.Unalias(v.Type()).Underlying().(*types.Pointer); !pointer {
				continue
			}
			to := handedOn(p, d, v)
			if to == "" {
				return "", false
			}
			name = to
		}
	}
	return name, name != ""
}

// handedOn is the C function that a parameter is given to.
func handedOn(p *rule.Pass, d *ast.FuncDecl, v *types.Var) string {
	for _, u := range flow.Follow(p.Package, d.Body, v).InOrder() {
		if u.Kind == flow.ToC && !copies(u.Name) {
			return u.Name
		}
	}
	return ""
}
