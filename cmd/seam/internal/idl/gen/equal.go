package gen

import (
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// equal writes the method Equal.
func (f *file) equal(s *model.Struct, name string) {
	f.Apart("// Equal compares field by field. An empty list, set or map equals a nil one, except")
	f.P("// in an optional field; the order of a set doesn't matter; NaN equals nothing.")
	f.P("func (p *", name, ") Equal(other *", name, ") bool {")
	f.Block("if p == nil || other == nil", "return p == other")
	// It is one expression, since every return would add its own exit from
	// the function.
	var all []string
	for _, x := range s.Fields {
		field := f.fieldName(s, x)
		a, b := "p."+field, "other."+field
		switch {
		case pointerField(x):
			all = append(all, f.runtime()+".EqualPtr("+a+", "+b+")")
		case x.Req == model.Optional && x.Type.Kind != model.StructKind && !plain(x.Type):
			all = append(all, "("+a+" == nil) == ("+b+" == nil)", f.same(x.Type, a, b))
		default:
			all = append(all, f.sameField(x.Type, a, b))
		}
	}
	if f.opt.Unknown {
		all = append(all, "string(p.UnknownFields) == string(other.UnknownFields)")
	}
	if len(all) == 0 {
		all = []string{"true"}
	}
	if !f.inParts(s) {
		f.allTrue(all)
		return
	}
	groups := inGroups(f, all, one)
	var calls []string
	for k := range groups {
		calls = append(calls, fmt.Sprintf("p.equal%d(other)", k+1))
	}
	f.allTrue(calls)
	for k, g := range groups {
		f.Apart("func (p *", name, ") equal", k+1, "(other *", name, ") bool {")
		f.allTrue(g)
	}
}

// allTrue ends a function: all of the expressions are true.
func (f *file) allTrue(all []string) {
	if expression := strings.Join(all, " &&\n\t"); strings.Contains(expression, "{\n") {
		f.statement("return " + expression)
	} else {
		f.P("return ", strings.ReplaceAll(expression, "\n", "\n"+strings.Repeat("\t", f.depth)))
	}
	f.P("}")
}

// sameField is same for two fields. Values of several words are compared by
// their addresses, which is less code than loading them.
func (f *file) sameField(t *model.Type, a, b string) string {
	name := ""
	switch {
	case t.Kind == model.String:
		name = "EqualStringAt"
	case t.Kind == model.Binary:
		name = "EqualBytesAt"
	case t.Kind == model.List && plain(t.Elem):
		name = "EqualSliceAt"
	default:
		return f.same(t, a, b)
	}
	return f.runtime() + "." + name + "(&" + a + ", &" + b + ")"
}

// same is an expression: a and b are equal.
func (f *file) same(t *model.Type, a, b string) string {
	switch t.Kind {
	case model.Binary:
		return "string(" + a + ") == string(" + b + ")"
	case model.StructKind:
		return a + ".Equal(" + b + ")"
	case model.List, model.Set, model.Map:
		return f.equalCall(t, a, b)
	}
	return a + " == " + b
}

// equalCall is the call that compares two containers.
func (f *file) equalCall(t *model.Type, a, b string) string {
	rt := f.runtime()
	switch {
	case t.Kind == model.List && plain(t.Elem):
		return rt + ".EqualSlice(" + a + ", " + b + ")"
	case t.Kind == model.List && t.Elem.InPlace:
		return rt + ".EqualItems(" + a + ", " + b + ", (*" + f.goType(t.Elem) + ").Equal)"
	case t.Kind == model.List:
		return rt + ".EqualList(" + a + ", " + b + ", " + f.equalFunc(t.Elem) + ")"
	case t.Kind == model.Set && plain(t.Elem):
		return rt + ".EqualSet(" + a + ", " + b + ")"
	case t.Kind == model.Set:
		return rt + ".EqualSetFunc(" + a + ", " + b + ", " + f.equalFunc(t.Elem) + ")"
	case !comparableKey(t.Key):
		return rt + ".EqualPairs(" + a + ", " + b + ", " + f.equalFunc(t.Key) + ", " + f.equalFunc(t.Elem) + ")"
	case plain(t.Elem):
		return rt + ".EqualMap(" + a + ", " + b + ")"
	}
	return rt + ".EqualValues(" + a + ", " + b + ", " + f.equalFunc(t.Elem) + ")"
}

// equalFunc is a function that compares two values of a type.
func (f *file) equalFunc(t *model.Type) string {
	switch {
	case plain(t):
		return f.runtime() + ".Same[" + f.goType(t) + "]"
	case t.Kind == model.Binary:
		return f.use("bytes") + ".Equal"
	case t.Kind == model.StructKind && t.InPlace:
		return "func(a, b " + f.goType(t) + ") bool {\nreturn a.Equal(&b)\n}"
	case t.Kind == model.StructKind:
		return "(" + f.goType(t) + ").Equal"
	}
	switch {
	case t.Kind == model.List && plain(t.Elem):
		return f.runtime() + ".EqualSlice[" + f.goType(t.Elem) + "]"
	case t.Kind == model.Set && plain(t.Elem):
		return f.runtime() + ".EqualSet[" + f.goType(t.Elem) + "]"
	case t.Kind == model.Map && comparableKey(t.Key) && plain(t.Elem):
		return f.runtime() + ".EqualMap[" + f.keyType(t.Key) + ", " + f.goType(t.Elem) + "]"
	}
	return "func(a, b " + f.goType(t) + ") bool {\nreturn " + f.equalCall(t, "a", "b") + "\n}"
}

// plain reports whether values of the type are compared by == and copied by =.
func plain(t *model.Type) bool {
	switch t.Kind {
	case model.Binary, model.StructKind, model.List, model.Set, model.Map:
		return false
	}
	return true
}
