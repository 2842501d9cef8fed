// Package crossing tells which Go functions are thin covers of a C function: each call of one
// is a call of C, and little else. What it learns of exported functions travels to the packages
// that import them, as facts.
package crossing

import (
	"go/ast"
	"go/types"
	"path"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/seamgo/seam/cmd/seam/internal/vet/csource"
	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
	"github.com/seamgo/seam/cmd/seam/internal/weld/callgraph"
)

// Fact says what a Go function calls in C, each time that it is called.
type Fact struct {
	Package string // import path of the package that calls C
	C       string // the C function
	File    string // without its folder
	Line    int
}

// AFact makes Fact a fact of an analyzer.
func (*Fact) AFact() {}

// Package is what is known about the functions that a package has and calls.
type Package struct {
	*source.Package
	own      map[*types.Func]*Fact
	imported func(*types.Func) *Fact
}

// NewAnalyzer returns the analyzer whose result is a *[Package].
func NewAnalyzer(src *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "cgocrossing",
		Doc:        "cgocrossing tells which Go functions are thin covers of a C function",
		Requires:   []*analysis.Analyzer{src},
		ResultType: reflect.TypeFor[*Package](),
		FactTypes:  []analysis.Fact{(*Fact)(nil)},
		Run: func(pass *analysis.Pass) (any, error) {
			c := &Package{Package: pass.ResultOf[src].(*source.Package), own: map[*types.Func]*Fact{}}
			c.imported = func(f *types.Func) *Fact {
				fact := &Fact{}
				if f.Pkg() != nil && f.Pkg() != c.Types && pass.ImportObjectFact(f, fact) {
					return fact
				}
				return nil
			}
			c.learn()
			for f, fact := range c.own {
				if f.Exported() && fact != nil {
					source.ExportFact(pass, f, fact)
				}
			}
			return c, nil
		},
	}
}

// Of returns what a Go function calls in C, or nil.
func (c *Package) Of(f *types.Func) *Fact {
	if fact, ok := c.own[f]; ok {
		return fact
	}
	return c.imported(f)
}

// learn looks at all functions until nothing new comes of it.
func (c *Package) learn() {
	for changed, round := true, 0; changed && round < 5; round++ {
		changed = false
		c.Functions(func(d *ast.FuncDecl) {
			f, ok := c.Info.Defs[d.Name].(*types.Func)
			if !ok || c.own[f] != nil || len(d.Body.List) > thin {
				return
			}
			if fact := c.look(d); fact != nil {
				c.own[f], changed = fact, true
			}
		})
	}
}

// thin is how many statements a function has at most that does little itself.
const thin = 8

// look returns what a function calls, if that is one thing, outside of loops.
func (c *Package) look(d *ast.FuncDecl) (found *Fact) {
	plain := true
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt, *ast.FuncLit:
			plain = false
		case *ast.CallExpr:
			name, isC := c.CCall(n)
			switch {
			case isC && Copies(name):
				plain = false // it costs more than the crossing
			case isC:
				if found != nil || !computes(c.C, name) || !c.takesValues(n) {
					plain = false
				}
				at := c.Position(n.Pos())
				found = &Fact{c.Types.Path(), name, path.Base(at.Filename), at.Line}
			default:
				if f := c.Callee(n); f != nil && !c.IsConversion(n) {
					if fact := c.Of(f); fact != nil {
						plain = plain && found == nil
						found = fact
					}
				}
			}
		}
		return plain
	})
	if !plain {
		return nil
	}
	return found
}

// Copies reports whether a C call gets, copies or frees memory.
func Copies(name string) bool {
	switch name {
	case "CString", "CBytes", "GoString", "GoStringN", "GoBytes", "malloc", "free":
		return true
	}
	return false
}

// takesValues reports whether a call gives C numbers and structs alone, not a buffer or string of
// which the length decides how long C works.
func (c *Package) takesValues(call *ast.CallExpr) bool {
	for _, a := range call.Args {
		t := c.Info.TypeOf(a)
		if t == nil {
			return false
		}
		switch u := types.Unalias(t).Underlying().(type) {
		case *types.Basic:
			if u.Info()&(types.IsNumeric|types.IsBoolean) == 0 && u.Kind() != types.UntypedNil {
				return false
			}
		case *types.Pointer:
			if b, ok := types.Unalias(u.Elem()).Underlying().(*types.Basic); ok && c.Sizes.Sizeof(b) < 4 {
				return false // of bytes
			}
		case *types.Struct:
		default:
			return false
		}
		switch x := flow.Strip(c.Package, a).(type) {
		case *ast.UnaryExpr: // &list[0]
			if _, element := ast.Unparen(x.X).(*ast.IndexExpr); element {
				return false
			}
		case *ast.CallExpr:
			if c.IsBuiltin(x, "SliceData", "StringData") {
				return false
			}
		}
	}
	return true
}

// computes reports whether all that a C function comes to is seen, and takes no memory, lock or
// file.
func computes(facts *csource.Facts, name string) bool {
	f := facts.Func(name)
	return f != nil && f.Defined && facts.Reaches(name, func(c string) bool {
		if f := facts.Func(c); f != nil && f.Defined {
			return f.Indirect || f.Assembly
		}
		return callgraph.ClassOf(c) != callgraph.Harmless && callgraph.ClassOf(c) != callgraph.NoReturn
	}) == nil
}
