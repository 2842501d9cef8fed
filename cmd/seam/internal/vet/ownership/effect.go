package ownership

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/contracts"
	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
)

// Effect is what a use means for who must free a value.
type Effect int

// The effects.
const (
	None     Effect = iota
	Released        // it is freed, or will be when the function ends
	Escaped         // somebody else may free it
	Replaced        // the variable holds another value
	Doubtful        // it goes to C that can't be seen
)

// Effect tells what a use of C memory means.
func (o *Package) Effect(u flow.Use) Effect {
	switch u.Kind {
	case flow.Changed:
		return Replaced
	case flow.Lost:
		if u.Address && o.freesByPlace(u.Name, u.Arg) {
			return Released
		}
		return Escaped
	case flow.Stored, flow.Given:
		return Escaped
	case flow.ToC:
		return o.effectInC(u)
	case flow.ToGo:
		return o.effectInGo(u)
	}
	return None
}

// freesByPlace reports whether a C function frees what a variable holds whose address it is given, as
// destroy(&p) does.
func (o *Package) freesByPlace(name string, arg int) bool {
	if f := o.C.Func(name); f != nil && f.Defined {
		return f.Clears(arg) || f.Indirect && flow.FreesByName(name)
	}
	if c := contracts.Of(name); c != nil {
		return slices.Contains(c.ByPlace, arg)
	}
	return arg == 0 && flow.FreesByName(name)
}

func (o *Package) effectInC(u flow.Use) Effect {
	if c := o.contract(u.Name); c != nil {
		switch {
		case slices.Contains(c.Frees, u.Arg):
			return Released
		case slices.Contains(c.Keeps, u.Arg), slices.Contains(c.Takes, u.Arg):
			return Escaped
		case c.Uses:
			return None
		}
	}
	if flow.FreesByName(u.Name) {
		return Released
	}
	switch fate := o.C.Fate(u.Name, u.Arg); {
	case fate.Frees:
		return Released
	case fate.Keeps, fate.Returns:
		return Escaped
	case !fate.Unknown:
		return None
	}
	for _, a := range u.Call.Args {
		if o.isDestructor(a) {
			return Escaped
		}
	}
	switch {
	case o.borrows[given{u.Name, u.Arg}]:
		return None
	case flow.TakesByName(u.Name) || flow.KeepsByName(u.Name) || o.joins(u) || o.setsForAll(u) || o.becomesPart(u):
		return Escaped
	case o.C.Const(u.Name, u.Arg):
		return None
	}
	return Doubtful
}

// contract is what is known of a C function whose body isn't seen.
func (o *Package) contract(name string) *contracts.Contract {
	if f := o.C.Func(name); f != nil && f.Defined {
		return nil
	}
	return contracts.Of(name)
}

// Asks reports whether a use gives a pointer to const to C of which nothing is known: that doesn't
// free it, but may keep it for ever.
func (o *Package) Asks(u flow.Use) bool {
	return u.Kind == flow.ToC && o.contract(u.Name) == nil && o.C.Fate(u.Name, u.Arg).Unknown && o.Effect(u) == None && !o.borrows[given{u.Name, u.Arg}]
}

// setsForAll reports whether C can do nothing with the value but keep it or print it, and its name says
// which: it gets no object, may change what it gets, returns nothing, and sets something.
func (o *Package) setsForAll(u flow.Use) bool {
	t := o.Info.TypeOf(u.Call)
	return len(u.Call.Args) == 1 && strings.Contains(strings.ToLower(u.Name), "set") && !o.C.Const(u.Name, 0) &&
		t != nil && strings.HasSuffix(t.String(), "_Ctype_void")
}

// becomesPart reports whether C makes an object of the value, and the package frees parts of such objects
// when it destroys them.
func (o *Package) becomesPart(u flow.Use) bool {
	made := objectOf(first(o.Info.TypeOf(u.Call)))
	return made != nil && o.parted[made]
}

// joins reports whether C adds the value to a list, list = C.add(list, value), that is given to Go
// or leaves the function: the code that gets it may free what is in it.
func (o *Package) joins(u flow.Use) bool {
	a, ok := o.Parent(u.Call).(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 {
		return false
	}
	list := o.Variable(a.Lhs[0])
	if list == nil || !slices.ContainsFunc(u.Call.Args, func(e ast.Expr) bool { return o.Variable(flow.Strip(o.Package, e)) == list }) {
		return false
	}
	for _, u := range flow.Follow(o.Package, flow.Function(o.Package, u.Call), list).Uses {
		if u.Kind == flow.ToGo || u.Kind == flow.Given || u.Kind == flow.Stored || u.Kind == flow.Lost {
			return true
		}
	}
	return false
}

// isDestructor reports whether an argument is a C function that frees: bind(p, C.free).
func (o *Package) isDestructor(e ast.Expr) bool {
	name, ok := o.CName(flow.Strip(o.Package, e))
	return ok && flow.FreesByName(name)
}

// readers are packages of the standard library whose functions don't keep a C pointer.
var readers = []string{"fmt", "unsafe", "reflect", "runtime", "strconv", "bytes", "strings", "log", "errors"}

func (o *Package) effectInGo(u flow.Use) Effect {
	if pkg := u.Func.Pkg(); pkg != nil {
		switch {
		case pkg.Path() == "runtime" && strings.HasPrefix(u.Func.Name(), "Set"), pkg.Path() == "runtime" && u.Func.Name() == "AddCleanup":
			return Escaped
		case slices.Contains(readers, pkg.Path()):
			return None
		}
	}
	fact := o.Of(u.Func)
	switch {
	case fact == nil:
		return Escaped
	case slices.Contains(fact.Frees, u.Arg):
		return Released
	case slices.Contains(fact.Keeps, u.Arg):
		return Escaped
	}
	return None
}
