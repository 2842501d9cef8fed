// Package ownership tells who must free what: which C and Go functions return memory that
// the caller owns, which free what they are given, and which keep it. What it learns of
// exported functions travels to the packages that import them, as facts.
package ownership

import (
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/seamgo/seam/cmd/seam/internal/vet/csource"
	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Fact is what is known about a Go function. Parameters count from 0; the receiver is -1.
type Fact struct {
	Frees []int         // parameters that it frees on some path
	Keeps []int         // parameters that outlive the call
	Owned map[int]Owned // results that the caller must free
	Lends bool          // a method: what it returns is C's, and the finalizer of its receiver frees it
}

// Owned is where a result comes from that must be freed.
type Owned struct {
	What string
	Sure bool // that it must be freed is not a guess
}

// AFact makes Fact a fact of an analyzer.
func (*Fact) AFact() {}

// Package is what is known about the functions that a package has and calls.
type Package struct {
	*source.Package
	own      map[*types.Func]*Fact
	imported func(*types.Func) *Fact
	freedBy  map[string]string // C functions whose result is freed somewhere in the package

	decls     map[*types.Func]*ast.FuncDecl
	finalized map[*types.TypeName]map[*types.Var]bool // types with a finalizer, and the fields that it hands to C
	lenders   map[types.Type]bool                     // whether values have a method that lends
}

// NewAnalyzer returns the analyzer whose result is a *[Package].
func NewAnalyzer(src *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "cgoownership",
		Doc:        "cgoownership tells who must free what",
		Requires:   []*analysis.Analyzer{src},
		ResultType: reflect.TypeFor[*Package](),
		FactTypes:  []analysis.Fact{(*Fact)(nil)},
		Run: func(pass *analysis.Pass) (any, error) {
			o := &Package{Package: pass.ResultOf[src].(*source.Package), own: map[*types.Func]*Fact{}, freedBy: map[string]string{}, lenders: map[types.Type]bool{}}
			o.imported = func(f *types.Func) *Fact {
				fact := &Fact{}
				if f.Pkg() != nil && f.Pkg() != o.Types && pass.ImportObjectFact(f, fact) {
					return fact
				}
				return nil
			}
			o.decls = o.Declarations()
			o.findFinalized()
			o.learn()
			o.export(pass)
			return o, nil
		},
	}
}

// export makes facts of what was learnt.
func (o *Package) export(pass *analysis.Pass) {
	for f, fact := range o.own {
		fact.Lends = f.Exported() && o.Lends(f)
		if f.Exported() && (fact.Lends || len(fact.Frees)+len(fact.Keeps)+len(fact.Owned) > 0) {
			source.ExportFact(pass, f, fact)
		}
	}
}

// Of returns what is known about a Go function, or nil.
func (o *Package) Of(f *types.Func) *Fact {
	if fact, ok := o.own[f]; ok {
		return fact
	}
	return o.imported(f)
}

// learn looks at all functions until nothing new comes of it.
func (o *Package) learn() {
	o.Functions(func(d *ast.FuncDecl) {
		if f, ok := o.Info.Defs[d.Name].(*types.Func); ok {
			o.own[f] = &Fact{}
		}
	})
	for changed, rounds := true, 0; changed && rounds < 10; rounds++ {
		changed = false
		o.Functions(func(d *ast.FuncDecl) {
			f, ok := o.Info.Defs[d.Name].(*types.Func)
			if !ok {
				return
			}
			fact := o.look(d, f)
			if !reflect.DeepEqual(fact, o.own[f]) {
				o.own[f], changed = fact, true
			}
		})
	}
}

func (o *Package) look(d *ast.FuncDecl, f *types.Func) *Fact {
	fact := &Fact{}
	sig := f.Signature()
	for i := -1; i < sig.Params().Len(); i++ {
		v := sig.Recv()
		if i >= 0 {
			v = sig.Params().At(i)
		}
		if v == nil || v.Name() == "" || v.Name() == "_" {
			continue
		}
		for _, u := range flow.Follow(o.Package, d.Body, v).Uses {
			switch o.Effect(u) {
			case Released:
				fact.Frees = add(fact.Frees, i)
			case Escaped, Doubtful:
				fact.Keeps = add(fact.Keeps, i)
			}
		}
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		a, ok := o.Acquires(call)
		if !ok {
			o.believe(d, call)
			return true
		}
		uses := o.usesOf(d, call)
		if slices.ContainsFunc(uses, func(u flow.Use) bool { return u.Kind != flow.Given && o.Effect(u) == Escaped }) {
			return true // it is kept here as well, as a key by which it will be found
		}
		for _, u := range uses {
			if u.Kind == flow.Given && u.Arg >= 0 {
				if fact.Owned == nil {
					fact.Owned = map[int]Owned{}
				}
				if u.Arg < sig.Results().Len() {
					fact.Owned[u.Arg] = Owned{a.What, a.Certain}
				}
			}
		}
		return true
	})
	slices.Sort(fact.Frees)
	slices.Sort(fact.Keeps)
	return fact
}

func (o *Package) usesOf(fn ast.Node, call *ast.CallExpr) []flow.Use {
	u := flow.UseOf(o.Package, call)
	if u.Kind != flow.Moved {
		return []flow.Use{u}
	}
	var all []flow.Use
	for _, u := range flow.Follow(o.Package, fn, u.To).InOrder() {
		all = append(all, u)
	}
	return all
}

// believe notes that the package frees what a C function returns: where it does so in one
// place, it must in others.
func (o *Package) believe(fn ast.Node, call *ast.CallExpr) {
	name, ok := o.CCall(call)
	if !ok || o.freedBy[name] != "" || o.givesBack(name) {
		return
	}
	t := o.Info.TypeOf(call)
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() > 0 {
		t = tuple.At(0).Type()
	}
	if t == nil {
		return
	}
	switch types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
	default:
		return
	}
	for _, u := range o.usesOf(fn, call) {
		if u.Kind == flow.ToC && u.Arg == 0 && flow.FreesByName(u.Name) && u.Name != name && (len(u.Call.Args) == 1 || o.C.Fate(u.Name, 0).Frees) {
			o.freedBy[name] = u.Name
		}
	}
}

// givesBack reports whether a C function is seen to return what it is given: what must be freed then
// is that.
func (o *Package) givesBack(name string) bool {
	f := o.C.Func(name)
	return f != nil && f.Defined && !f.New && slices.ContainsFunc(f.Params, func(p csource.Param) bool { return p.Fate.Returns })
}

func add(list []int, i int) []int {
	if slices.Contains(list, i) {
		return list
	}
	return append(list, i)
}

// Acquired is what a call gets that must be freed.
type Acquired struct {
	What    string // "C.CString", or the Go function that called it
	Release string // what frees it
	Certain bool   // that it must be freed is not a guess
	Result  int    // which result of the call it is
}

// Acquires tells whether a call returns C memory that its caller must free.
func (o *Package) Acquires(call *ast.CallExpr) (a Acquired, ok bool) {
	if name, ok := o.CCall(call); ok {
		a = Acquired{What: "C." + name, Release: "C.free", Certain: true}
		switch fn := o.C.Func(name); {
		case name == "CString" || name == "CBytes":
			return a, true
		case name == "realloc" || name == "reallocarray":
			return a, false // the old pointer is the question, and the flow of that isn't followed
		case name == "realpath" && len(call.Args) == 2 && !o.Info.Types[call.Args[1]].IsNil():
			return a, false // it writes to what it is given
		case slices.Contains(csource.Allocators, name):
			return a, true
		case o.freedBy[name] != "":
			a.Release, a.Certain = "C."+o.freedBy[name], false
			return a, true
		case fn != nil && fn.New && fn.Defined && plain(o.Info.TypeOf(call)):
			a.Certain = false
			return a, true
		}
		return a, false
	}
	f := o.Callee(call)
	if f == nil {
		return a, false
	}
	fact := o.Of(f)
	if fact == nil || len(fact.Owned) == 0 {
		return a, false
	}
	for i, from := range fact.Owned {
		if len(fact.Owned) > 1 && i != 0 {
			continue
		}
		a = Acquired{What: source.FuncName(f), Release: "C.free", Certain: from.Sure, Result: i}
		if !strings.HasSuffix(from.What, ")") { // not through a wrapper of its own
			a.What += " (" + from.What + ")"
		}
	}
	return a, a.What != ""
}

// plain reports whether a type is one that free takes for itself: a struct of which C has
// a function to destroy it may need that.
func plain(t types.Type) bool {
	if t == nil {
		return false
	}
	ptr, ok := types.Unalias(t).Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	b, ok := types.Unalias(ptr.Elem()).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}
