package ownership

import (
	"go/ast"
	"slices"
	"strings"

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
	case flow.Stored, flow.Given, flow.Lost:
		return Escaped
	case flow.ToC:
		return o.effectInC(u)
	case flow.ToGo:
		return o.effectInGo(u)
	}
	return None
}

func (o *Package) effectInC(u flow.Use) Effect {
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
	if o.C.Const(u.Name, u.Arg) {
		return None
	}
	if flow.TakesByName(u.Name) {
		return Escaped
	}
	return Doubtful
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
