// Package exportresult finds exported functions that give C the address of Go memory.
package exportresult

import (
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/values"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "export-result",
	Title:    "a function that C calls returns the address of Go memory",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `What an exported function returns to C must not lead to Go memory that isn't pinned: the runtime
ends the program with "cgo result is unpinned Go pointer or points to unpinned Go pointer". A string
is such an address too.

Before:

	//export version
	func version() string { return major + "." + minor }

After:

	//export version
	func version() *C.char { return C.CString(major + "." + minor) } // C frees it

Constant strings pass, as they lie in no memory of the collector's. A function that pins anything is
believed, and of values from fields or other packages nothing is said.`,
	Run: run,
}

func run(p *rule.Pass) {
	exports := p.Exports()
	p.Functions(func(d *ast.FuncDecl) {
		if d.Recv != nil || !exports[d.Name.Name] || d.Type.Results == nil || pins(p, d) {
			return
		}
		ast.Inspect(d.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ReturnStmt:
				for _, e := range n.Results {
					if leads(p.Info.TypeOf(e)) && goOnly(p.Values.Of(e)) {
						p.Reportf(e, rule.Error, "C gets the address of Go memory from %s, and the runtime ends the program for it: return C memory, or a cgo.Handle", d.Name.Name)
					}
				}
			}
			return true
		})
	})
}

func leads(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer, *types.Slice:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Info()&types.IsString != 0
	}
	return false
}

// goOnly reports whether a value leads to Go memory wherever it comes from.
func goOnly(list []values.Origin) bool {
	n := 0
	for _, o := range list {
		switch {
		case o.Kind == values.Nil:
			continue
		case !o.Go(), o.Kind == values.GoText && o.Const:
			return false
		}
		n++
	}
	return n > 0
}

func pins(p *rule.Pass, d *ast.FuncDecl) bool {
	found := false
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && p.Calls(call, "runtime", "Pinner.Pin") && flow.Contains(d, call) {
			found = true
		}
		return !found
	})
	return found
}
