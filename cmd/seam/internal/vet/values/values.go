// Package values tells where the values come from that go between Go and C, and what memory they
// lead to: a variable of Go's, what Go or C has made, a string, what a C function gave. It follows
// them through variables and fields, closures, conversions, calls and results; what it learns of
// exported functions travels to the packages that import them, as facts. Rules ask it; none of them
// follows values by itself.
//
// It is told without order: a value has every origin that it has anywhere. What comes before what is
// for package flow to tell.
package values

import (
	"go/ast"
	"go/types"
	"reflect"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Kind is what an origin is.
type Kind int

// The kinds of origins.
const (
	Unknown Kind = iota
	Nil
	GoVar   // the variable Var of Go, whose address it is
	GoMade  // memory that Go has made: new, make, a literal, append, C.GoBytes
	GoText  // the bytes of a string
	CHeap   // C's heap, by C.CString or what the C library has: Name
	CGave   // what the C function Name returned, or wrote to a variable
	CStatic // that too, and it is a constant or a static variable of C
	Param   // the parameter Var, of which not all calls are known
)

// Origin is one place that a value comes from.
type Origin struct {
	Kind   Kind
	At     ast.Expr // what makes it, in the function that is asked about if it can be told
	Var    *types.Var
	Name   string
	Const  bool // of a string: it is a constant
	Inner  bool // it may lead behind the beginning
	Number bool // it was a number on the way
}

// Go reports whether the memory is Go's, C whether it is C's.
func (o Origin) Go() bool { return o.Kind == GoVar || o.Kind == GoMade || o.Kind == GoText }

// C reports whether the memory is C's.
func (o Origin) C() bool { return o.Kind == CHeap || o.Kind == CGave || o.Kind == CStatic }

// Fact is what is known about the results of a Go function.
type Fact struct{ Results [][]Result }

// Result is an origin of a result, for other packages.
type Result struct {
	Kind   Kind
	Param  int // of Param: which parameter; -1 is the receiver
	Name   string
	Const  bool
	Inner  bool
	Number bool
}

// AFact makes Fact a fact of an analyzer.
func (*Fact) AFact() {}

// Package is what is known about the values of a package.
type Package struct {
	*source.Package
	decls    map[*types.Func]*ast.FuncDecl
	given    map[*types.Var][]gift           // what each variable and field gets
	stores   map[*types.Var][]Store          // what is stored in parts of a variable, or in what it leads to
	calls    map[*types.Func][]*ast.CallExpr // of the package's functions
	shared   map[*types.Func]bool            // those that are used other than by calling them
	params   map[*types.Var]param            // of functions and literals
	memo     map[ast.Expr][]Origin
	busy     map[any]bool
	cut      int        // how often something was asked for that was being looked for
	mu       sync.Mutex // rules ask at once
	imported func(*types.Func) *Fact
}

// gift is one value that a variable gets: an expression, one of a call's results, or something else.
type gift struct {
	value  ast.Expr
	result int
	inner  bool
	c      string // the C function that is given the variable's address

	element ast.Expr // the variable, where it gets the elements of the value
}

// Store is something that is stored in a part of a variable, or in what it leads to.
type Store struct {
	At    ast.Node // the assignment, or the literal
	To    ast.Expr // nil in a literal
	Field *types.Var
	Value ast.Expr
}

type param struct {
	of    *types.Func // nil of a literal
	index int         // -1 is the receiver
}

// NewAnalyzer returns the analyzer whose result is a *[Package].
func NewAnalyzer(src *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "cgovalues",
		Doc:        "cgovalues tells where the values come from that go between Go and C",
		Requires:   []*analysis.Analyzer{src},
		ResultType: reflect.TypeFor[*Package](),
		FactTypes:  []analysis.Fact{(*Fact)(nil)},
		Run: func(pass *analysis.Pass) (any, error) {
			p := &Package{
				Package: pass.ResultOf[src].(*source.Package), given: map[*types.Var][]gift{}, stores: map[*types.Var][]Store{},
				calls: map[*types.Func][]*ast.CallExpr{}, shared: map[*types.Func]bool{}, params: map[*types.Var]param{},
				memo: map[ast.Expr][]Origin{}, busy: map[any]bool{},
			}
			p.imported = func(f *types.Func) *Fact {
				fact := &Fact{}
				if f.Pkg() != nil && f.Pkg() != p.Types && pass.ImportObjectFact(f, fact) {
					return fact
				}
				return nil
			}
			p.decls = p.Declarations()
			p.index()
			for f := range p.decls {
				if fact := p.fact(f); fact != nil {
					source.ExportFact(pass, f, fact)
				}
			}
			return p, nil
		},
	}
}

// leads reports whether a value of a type can lead to memory, or be such an address as a number.
func leads(t types.Type) bool {
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer, *types.Slice:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Kind() == types.Uintptr || u.Kind() == types.Uint64 || u.Info()&types.IsString != 0 || u.Kind() == types.UntypedNil
	}
	return false
}

// fact is what other packages may know of a function's results; nil if that is nothing.
func (p *Package) fact(f *types.Func) *Fact {
	if !f.Exported() {
		return nil
	}
	fact, any := &Fact{Results: make([][]Result, f.Signature().Results().Len())}, false
	for i := range fact.Results {
		if !leads(f.Signature().Results().At(i).Type()) {
			continue
		}
		for _, o := range p.results(f, i) {
			r := Result{Kind: o.Kind, Name: o.Name, Const: o.Const, Inner: o.Inner, Number: o.Number}
			switch o.Kind {
			case Param:
				k := p.params[o.Var]
				if k.of != f {
					r.Kind = Unknown
				}
				r.Param = k.index
			case GoVar:
				r.Kind = GoMade // somebody else's variable
			}
			fact.Results[i] = append(fact.Results[i], r)
			any = any || r.Kind != Unknown && r.Kind != Nil
		}
	}
	if !any {
		return nil
	}
	return fact
}

// Stores are what is stored in parts of a variable, or in what it leads to.
func (p *Package) Stores(v *types.Var) []Store { return p.stores[v] }

// Calls are the calls of a function of the package; all is false if it can be called in other ways too.
func (p *Package) Calls(f *types.Func) (list []*ast.CallExpr, all bool) {
	return p.calls[f], !f.Exported() && !p.shared[f]
}

// Fixed reports whether a variable is a parameter, and nothing gives it another value.
func (p *Package) Fixed(v *types.Var) bool {
	_, is := p.params[v]
	return is && len(p.given[v]) == 0
}
