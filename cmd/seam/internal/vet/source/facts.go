package source

import (
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// ExportFact makes a fact of what was learnt of a function of a package. The objects of a
// package that was checked again are others than the driver's, and are found by name.
func ExportFact(pass *analysis.Pass, f *types.Func, fact analysis.Fact) {
	if f.Pkg() == pass.Pkg {
		pass.ExportObjectFact(f, fact)
		return
	}
	if r := f.Signature().Recv(); r == nil {
		if g, ok := pass.Pkg.Scope().Lookup(f.Name()).(*types.Func); ok {
			pass.ExportObjectFact(g, fact)
		}
	} else if n := Named(r.Type()); n != nil {
		if t, ok := pass.Pkg.Scope().Lookup(n.Obj().Name()).(*types.TypeName); ok {
			if g, _, _ := types.LookupFieldOrMethod(types.NewPointer(t.Type()), false, pass.Pkg, f.Name()); g != nil {
				pass.ExportObjectFact(g, fact)
			}
		}
	}
}
