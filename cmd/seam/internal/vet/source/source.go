// Package source is a Go package with C in it as its author wrote it, with types.
//
// The go command and its vet know such a package only as cgo has rewritten it: a call that
// passes a pointer is a function literal there, with a temporary variable for every argument,
// in a file that counts as generated. This package parses the files that cgo has read and has
// go/types check them as gopls does: C.f stands for what _cgo_gotypes.go declares for it. So
// positions, edits and the flow of values are those of the source.
package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/seamgo/seam/cmd/seam/internal/vet/csource"
)

// Package is one package.
type Package struct {
	Fset  *token.FileSet
	Files []*ast.File // as written
	Types *types.Package
	Info  *types.Info
	Sizes types.Sizes
	UsesC bool           // a file imports "C"
	C     *csource.Facts // nil where nothing is known

	parents   map[ast.Node]ast.Node
	typesOnce sync.Once
	typeNames map[string]bool // of C, where that was asked
}

// NewAnalyzer returns the analyzer whose result is a *[Package]. facts says what is known
// about the C of the package with an import path.
func NewAnalyzer(facts func(path string) *csource.Facts) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "cgosource",
		Doc:        "cgosource is a package as its author wrote it",
		ResultType: reflect.TypeFor[*Package](),
		Run: func(pass *analysis.Pass) (any, error) {
			p := &Package{Fset: pass.Fset, Types: pass.Pkg, Info: pass.TypesInfo, Sizes: pass.TypesSizes, C: facts(pass.Pkg.Path())}
			files := pass.Files
			if cooked(pass.Fset, files) {
				raw, err := join(pass)
				if err != nil {
					return nil, err
				}
				p.Types, p.Info, files = raw.types, raw.info, raw.files
			}
			for _, f := range files {
				if isGotypes(pass.Fset, f) {
					continue
				}
				p.Files = append(p.Files, f)
				for _, i := range f.Imports {
					p.UsesC = p.UsesC || i.Path.Value == `"C"`
				}
			}
			p.findParents()
			return p, nil
		},
	}
}

func (p *Package) findParents() {
	p.parents = map[ast.Node]ast.Node{}
	for _, f := range p.Files {
		var stack []ast.Node
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			if len(stack) > 0 {
				p.parents[n] = stack[len(stack)-1]
			}
			stack = append(stack, n)
			return true
		})
	}
}

// Parent is the node that a node is a part of.
func (p *Package) Parent(n ast.Node) ast.Node { return p.parents[n] }

// Enclosing is the innermost node around n for which is holds, or nil.
func (p *Package) Enclosing(n ast.Node, is func(ast.Node) bool) ast.Node {
	for n = p.parents[n]; n != nil; n = p.parents[n] {
		if is(n) {
			return n
		}
	}
	return nil
}

// Functions calls f for every function that has a body, the outer ones first.
func (p *Package) Functions(f func(decl *ast.FuncDecl)) {
	for _, file := range p.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				f(d)
			}
		}
	}
}

// Declarations are the functions that have a body, by what they are called as.
func (p *Package) Declarations() map[*types.Func]*ast.FuncDecl {
	all := map[*types.Func]*ast.FuncDecl{}
	p.Functions(func(d *ast.FuncDecl) {
		if f, ok := p.Info.Defs[d.Name].(*types.Func); ok {
			all[f] = d
		}
	})
	return all
}

// isGotypes reports whether a file is what cgo declares for the C names of a package.
func isGotypes(fset *token.FileSet, f *ast.File) bool {
	return strings.HasSuffix(fset.PositionFor(f.Package, false).Filename, "_cgo_gotypes.go")
}
