// Package ownership tells who must free what: which C and Go functions return memory that
// the caller owns, which free what they are given, and which keep it. What it learns of
// exported functions travels to the packages that import them, as facts.
package ownership

import (
	"go/ast"
	"go/token"
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
	By   int  // the result, a function, that frees it if it is called; 0 if there is none, which the first can't be
}

// AFact makes Fact a fact of an analyzer.
func (*Fact) AFact() {}

// Package is what is known about the functions that a package has and calls.
type Package struct {
	*source.Package
	own        map[*types.Func]*Fact
	imported   func(*types.Func) *Fact
	freedBy    map[string]string          // C functions whose result is freed somewhere in the package, by what first
	allFrees   map[string][]string        // by all of it
	freedCalls map[string][]*ast.CallExpr // and the calls of them
	outFreed   map[given]string           // C functions that put something into a variable which is freed somewhere
	parted     map[*types.TypeName]bool   // types of C of which the package frees what it asks them for, before it destroys them
	borrows    map[given]bool             // C functions that are given something which is freed afterwards: they don't take it over

	decls     map[*types.Func]*ast.FuncDecl
	finalized map[*types.TypeName]map[*types.Var]bool // types with a finalizer, and the fields that it hands to C
	lenders   map[types.Type]bool                     // whether values have a method that lends
}

// given is an argument of a C function.
type given struct {
	name string
	arg  int
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
			o := &Package{Package: pass.ResultOf[src].(*source.Package), own: map[*types.Func]*Fact{}, freedBy: map[string]string{}, allFrees: map[string][]string{}, freedCalls: map[string][]*ast.CallExpr{}, outFreed: map[given]string{}, parted: map[*types.TypeName]bool{}, borrows: map[given]bool{}, lenders: map[types.Type]bool{}}
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
	o.Functions(o.believe)
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
		held := []*types.Var{v}
		if sig.Variadic() && i == sig.Params().Len()-1 {
			held = append(held, o.elements(d, v)...)
		}
		for _, u := range flow.Follow(o.Package, d.Body, held...).Uses {
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
			return true
		}
		uses := o.usesOf(d, call)
		if by, ok := o.cleanup(d, uses); ok {
			o.ownedBy(fact, sig, uses, a, by)
			return true
		}
		if slices.ContainsFunc(uses, func(u flow.Use) bool { return u.Kind != flow.Given && o.Effect(u) == Escaped }) {
			return true // it is kept here as well, as a key by which it will be found
		}
		for _, u := range uses {
			if u.Kind == flow.Given && u.Arg >= 0 {
				if fact.Owned == nil {
					fact.Owned = map[int]Owned{}
				}
				if u.Arg < sig.Results().Len() {
					fact.Owned[u.Arg] = Owned{What: a.What, Sure: a.Certain}
				}
			}
		}
		return true
	})
	slices.Sort(fact.Frees)
	slices.Sort(fact.Keeps)
	return fact
}

// elements are the variables that hold, one after the other, what a variadic parameter was given.
func (o *Package) elements(d *ast.FuncDecl, list *types.Var) (all []*types.Var) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if r, ok := n.(*ast.RangeStmt); ok && r.Value != nil && o.Variable(r.X) == list {
			all = append(all, o.Variable(r.Value))
		}
		return true
	})
	return slices.DeleteFunc(all, func(v *types.Var) bool { return v == nil })
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

// cleanup is the result of a function that is a literal which frees what has the uses: what the
// caller must call.
func (o *Package) cleanup(d *ast.FuncDecl, uses []flow.Use) (result int, ok bool) {
	for _, u := range uses {
		if u.At == nil || o.Effect(u) != Released {
			continue
		}
		lit, deferred := flow.InLiteral(o.Package, d, u.At)
		if lit == nil || deferred {
			continue
		}
		to := flow.UseOf(o.Package, lit)
		if to.Kind == flow.Moved {
			for _, v := range flow.Follow(o.Package, d, to.To).Uses {
				if v.Kind == flow.Given {
					to = v
				}
			}
		}
		if to.Kind == flow.Given && to.Arg > 0 {
			return to.Arg, true
		}
	}
	return 0, false
}

// ownedBy notes that a result must be freed by calling another one.
func (o *Package) ownedBy(fact *Fact, sig *types.Signature, uses []flow.Use, a Acquired, by int) {
	for _, u := range uses {
		if u.Kind != flow.Given || u.Arg < 0 || u.Arg >= sig.Results().Len() || u.Arg == by {
			continue
		}
		if fact.Owned == nil {
			fact.Owned = map[int]Owned{}
		}
		fact.Owned[u.Arg] = Owned{What: a.What, Sure: a.Certain, By: by}
	}
}

// believe notes what a function does that others must do too: what a C function returns, or puts
// into a variable, is freed; and what it does that says that C doesn't take something over: it frees
// that afterwards.
func (o *Package) believe(d *ast.FuncDecl) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name, ok := o.CCall(call)
		if !ok || flow.FreesByName(name) {
			return true
		}
		if name == "CString" || name == "CBytes" || slices.Contains(csource.Allocators, name) {
			o.noteBorrows(o.usesOf(d, call))
			return true
		}
		for i := range call.Args {
			if v := o.OutVariable(call, i); v != nil {
				uses := o.usesOfVariable(d, v)
				if by := o.release(name, uses); by != "" && o.outFreed[given{name, i}] == "" {
					o.outFreed[given{name, i}] = by
					if isErrorText(v) {
						o.outFreed[errorText] = by
					}
				}
				o.noteBorrows(uses)
			}
		}
		if o.givesBack(name) || !source.IsPointer(first(o.Info.TypeOf(call))) {
			return true
		}
		uses := o.usesOf(d, call)
		if by := o.release(name, uses); by != "" && !o.takesApart(d, call) {
			if o.freedBy[name] == "" {
				o.freedBy[name] = by
			}
			o.freedCalls[name] = append(o.freedCalls[name], call)
			o.allFrees[name] = add(o.allFrees[name], by)
		}
		o.noteBorrows(uses)
		return true
	})
}

// takesApart reports whether a function destroys the object that a call is given: what it frees before is
// a part of that, and what others ask for it isn't theirs.
func (o *Package) takesApart(d *ast.FuncDecl, call *ast.CallExpr) bool {
	if len(call.Args) != 1 || objectOf(o.Info.TypeOf(call.Args[0])) == nil {
		return false
	}
	object := call.Args[0]
	found := false
	ast.Inspect(d.Body, func(n ast.Node) bool {
		other, ok := n.(*ast.CallExpr)
		if !ok || len(other.Args) != 1 {
			return !found
		}
		if name, ok := o.CCall(other); ok && flow.FreesByName(name) && source.Text(other.Args[0]) == source.Text(object) {
			found = true
			o.parted[objectOf(o.Info.TypeOf(object))] = true
		}
		return !found
	})
	return found
}

// objectOf is the type that a pointer leads to; nil if it is no pointer, or to none with a name.
func objectOf(t types.Type) *types.TypeName {
	if !source.IsPointer(t) {
		return nil
	}
	if n := source.Named(t); n != nil {
		return n.Obj()
	}
	return nil
}

// errorText stands for all variables that C functions put the text of an error into.
var errorText = given{"", -1}

// isErrorText reports whether a variable is such a one: a library hands all of them out alike.
func isErrorText(v *types.Var) bool {
	return strings.Contains(strings.ToLower(v.Name()), "err") && strings.HasSuffix(v.Type().String(), "_Ctype_char")
}

// first is the type of a value, or of the first of several.
func first(t types.Type) types.Type {
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() > 0 {
		return tuple.At(0).Type()
	}
	return t
}

// OutVariable is the local variable, a pointer to a type of C's, whose address argument i of a call is;
// nil if it isn't one.
func (o *Package) OutVariable(call *ast.CallExpr, i int) *types.Var {
	u, ok := flow.Strip(o.Package, call.Args[i]).(*ast.UnaryExpr)
	if !ok || u.Op != token.AND {
		return nil
	}
	v := o.Variable(u.X)
	if v == nil || v.IsField() || v.Parent() == o.Types.Scope() || !source.IsC(v.Type()) && v.Type().String() != "unsafe.Pointer" || !source.IsPointer(v.Type()) {
		return nil
	}
	return v
}

func (o *Package) usesOfVariable(fn ast.Node, v *types.Var) (all []flow.Use) {
	for _, u := range flow.Follow(o.Package, fn, v).InOrder() {
		all = append(all, u)
	}
	return all
}

// release is the C function that frees what a C function has made, by its uses; "" if none does.
func (o *Package) release(name string, uses []flow.Use) string {
	for _, u := range uses {
		if u.Name != name && o.Effect(u) == Released && u.Call != nil && o.plainly(u) {
			return u.Name
		}
	}
	return ""
}

// plainly reports whether a call that frees frees this argument: it is the only pointer, the body
// shows it, or the name ends in a word that means nothing else.
func (o *Package) plainly(u flow.Use) bool {
	if u.Kind != flow.ToC && !u.Address {
		return false
	}
	if c := o.contract(u.Name); c != nil {
		return slices.Contains(c.Frees, u.Arg) || slices.Contains(c.ByPlace, u.Arg)
	}
	if o.C.Fate(u.Name, u.Arg).Frees {
		return true
	}
	for i, a := range u.Call.Args {
		t := o.Info.TypeOf(a)
		if i == u.Arg || t == nil {
			continue
		}
		if b, ok := types.Unalias(t).Underlying().(*types.Basic); ok && b.Info()&types.IsNumeric != 0 || o.Info.Types[a].IsNil() {
			continue
		}
		lower := strings.ToLower(u.Name)
		return i < u.Arg && slices.ContainsFunc([]string{"free", "destroy", "unref", "release", "dispose"}, func(w string) bool { return strings.HasSuffix(lower, w) })
	}
	return true
}

// noteBorrows notes which C functions don't take over what they are given: it is freed by a deferred
// call, or later on, whatever they say.
func (o *Package) noteBorrows(uses []flow.Use) {
	var freed ast.Node
	for _, u := range uses {
		if o.Effect(u) == Released && u.Call != nil && o.plainly(u) && (o.always(u.Call) || o.isDeferred(u.Call)) {
			freed = u.Call
		}
	}
	if freed == nil {
		return
	}
	for _, u := range uses {
		if u.Kind == flow.ToC && !flow.FreesByName(u.Name) && (u.Call.End() <= freed.Pos() || o.isDeferred(freed)) {
			o.borrows[given{u.Name, u.Arg}] = true
		}
	}
}

// always reports whether a call is a statement of a function's own body, in no condition.
func (o *Package) always(call ast.Node) bool {
	s, ok := o.Parent(call).(*ast.ExprStmt)
	if !ok {
		return false
	}
	b, ok := o.Parent(s).(*ast.BlockStmt)
	if !ok {
		return false
	}
	_, ok = o.Parent(b).(*ast.FuncDecl)
	return ok
}

// isDeferred reports whether a call is deferred, itself or in a literal.
func (o *Package) isDeferred(call ast.Node) bool {
	return o.Enclosing(call, func(n ast.Node) bool { _, ok := n.(*ast.DeferStmt); return ok }) != nil
}

// Releases are the C functions that free what a C function returns, somewhere in the package.
func (o *Package) Releases(name string) []string { return o.allFrees[name] }

// givesBack reports whether a C function is seen to return what it is given: what must be freed then
// is that.
func (o *Package) givesBack(name string) bool {
	f := o.C.Func(name)
	return f != nil && f.Defined && !f.New && slices.ContainsFunc(f.Params, func(p csource.Param) bool { return p.Fate.Returns })
}

func add[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

// Acquired is what a call gets that must be freed.
type Acquired struct {
	What    string // "C.CString", or the Go function that called it
	Release string // what frees it
	Certain bool   // that it must be freed is not a guess
	Result  int    // which result of the call it is
	By      int    // the result, a function, that frees it if it is called; 0 if there is none
}

// AcquiresBy reports whether a call puts C memory into the variable whose address its argument i is, and
// the caller must free that: the C is seen to make it, or the package frees it elsewhere.
func (o *Package) AcquiresBy(call *ast.CallExpr, i int) (a Acquired, ok bool) {
	name, ok := o.CCall(call)
	if !ok || flow.FreesByName(name) {
		return a, false
	}
	if f := o.C.Func(name); f != nil && f.Defined && !(i < len(f.Params) && f.Params[i].Fate.Fills) {
		return a, false // it puts there what is somebody else's
	}
	if by := o.outFreed[given{name, i}]; by != "" {
		return Acquired{What: "C." + name, Release: "C." + by}, true
	}
	if by := o.outFreed[errorText]; by != "" && (i == len(call.Args)-1) {
		if v := o.OutVariable(call, i); v != nil && isErrorText(v) {
			return Acquired{What: "C." + name, Release: "C." + by}, true
		}
	}
	return a, false
}

// Acquires reports whether a call returns C memory that its caller must free.
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
		case o.contract(name) != nil && len(o.contract(name).New) > 0 && source.IsPointer(first(o.Info.TypeOf(call))):
			a.Release = "C." + o.contract(name).New[0]
			return a, true
		case o.contract(name) != nil && o.contract(name).Static:
			return a, false
		case o.freedBy[name] != "" && o.isGiven(name, call):
			return a, false
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
		a = Acquired{What: source.FuncName(f), Release: "C.free", Certain: from.Sure, Result: i, By: from.By}
		if !strings.HasSuffix(from.What, ")") { // not through a wrapper of its own
			a.What += " (" + from.What + ")"
		}
	}
	return a, a.What != ""
}

// isGiven reports whether a call may return what it is given: an argument of the type of its result, where
// all calls whose result is freed have nil.
func (o *Package) isGiven(name string, call *ast.CallExpr) bool {
	result := first(o.Info.TypeOf(call))
	for i, a := range call.Args {
		if t := o.Info.TypeOf(a); t == nil || result == nil || !types.Identical(t, result) {
			continue
		}
		if !slices.ContainsFunc(o.freedCalls[name], func(c *ast.CallExpr) bool { return i >= len(c.Args) || !o.Info.Types[c.Args[i]].IsNil() }) {
			return true
		}
	}
	return false
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
