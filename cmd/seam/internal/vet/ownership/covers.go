package ownership

import (
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Covered returns the C function behind a call of a Go function of the package that gives C what it
// is given: every parameter that is a pointer of C's goes to it as it is.
func (o *Package) Covered(call *ast.CallExpr) (name string, ok bool) {
	d := o.decls[o.Callee(call)]
	if d == nil || d.Recv != nil {
		return "", false
	}
	for _, list := range d.Type.Params.List {
		for _, id := range list.Names {
			v, _ := o.Info.Defs[id].(*types.Var)
			if v == nil || !source.IsC(v.Type()) {
				continue
			}
			if _, pointer := types.Unalias(v.Type()).Underlying().(*types.Pointer); !pointer {
				continue
			}
			to := o.handedOn(d, v)
			if to == "" {
				return "", false
			}
			name = to
		}
	}
	return name, name != ""
}

// handedOn is the C function that a parameter is given to.
func (o *Package) handedOn(d *ast.FuncDecl, v *types.Var) string {
	for _, u := range flow.Follow(o.Package, d.Body, v).InOrder() {
		if u.Kind == flow.ToC && !Copies(u.Name) {
			return u.Name
		}
	}
	return ""
}
