package gen

import (
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// clone writes the method Clone: a plain copy, in which the run-time then
// replaces what it shares with the original.
func (f *file) clone(s *model.Struct, name string) {
	f.Apart("// Clone returns a deep copy.")
	f.P("func (p *", name, ") Clone() *", name, " {")
	f.Block("if p == nil", "return nil")
	f.P("c := *p")
	groups := inGroups(f, s.Fields, one)
	if f.inParts(s) {
		for k := range groups {
			f.P("c.clone", k+1, "()")
		}
	} else {
		f.cloneFields(s, "&c.", s.Fields)
	}
	if f.opt.Unknown {
		f.P(f.runtime(), ".CloneSlice(&c.UnknownFields)")
	}
	f.P("return &c")
	f.P("}")
	if f.inParts(s) {
		for k, g := range groups {
			f.Apart("func (p *", name, ") clone", k+1, "() {")
			f.cloneFields(s, "&p.", g)
			f.P("}")
		}
	}
}

// cloneFields replaces what fields share with the original.
func (f *file) cloneFields(s *model.Struct, of string, fields []*model.Field) {
	for _, x := range fields {
		field := of + f.fieldName(s, x)
		switch {
		case pointerField(x) && f.flat(x.Type):
			f.P(f.runtime(), ".ClonePtr(", field, ")")
		case pointerField(x):
			f.P(f.runtime(), ".CloneStringPtr(", field, ")")
		case !f.flat(x.Type):
			if call := f.cloneCall(x.Type, field); strings.Contains(call, "\n") {
				f.statement(call)
			} else {
				f.P(call)
			}
		}
	}
}

// cloneCall is the call that replaces the value at a by a copy.
func (f *file) cloneCall(t *model.Type, a string) string {
	if simple, _ := f.simpleClone(t); simple != "" {
		return f.runtime() + "." + simple + "(" + a + ")"
	}
	switch {
	case t.Kind != model.Map:
		return f.runtime() + ".CloneEach(" + a + ", " + f.cloneFunc(t.Elem) + ")"
	case !comparableKey(t.Key):
		return f.runtime() + ".ClonePairs(" + a + ", " + f.cloneFunc(t.Key) + ", " + f.cloneFunc(t.Elem) + ")"
	case f.viewKey(t):
		return f.runtime() + ".CloneStringMap(" + a + ", " + f.cloneFunc(t.Elem) + ")"
	}
	return f.runtime() + ".CloneValues(" + a + ", " + f.cloneFunc(t.Elem) + ")"
}

// simpleClone is the run-time's function that copies a value without help,
// with its type arguments, or "".
func (f *file) simpleClone(t *model.Type) (name, arguments string) {
	switch {
	case t.Kind == model.String:
		return "CloneString", ""
	case t.Kind == model.Binary:
		return "CloneSlice", "[[]byte]"
	case t.Kind == model.StructKind && t.InPlace:
		return "CloneItem", "[" + f.goType(t) + "]"
	case t.Kind == model.StructKind:
		return "CloneStruct", "[" + f.goType(t) + "]"
	case t.Kind == model.List || t.Kind == model.Set:
		if f.flat(t.Elem) {
			return "CloneSlice", "[" + f.goType(t) + "]"
		}
		if t.Elem.Kind == model.StructKind && !t.Elem.InPlace {
			return "CloneStructs", "[" + f.goType(t.Elem) + "]"
		}
	case t.Kind == model.Map && comparableKey(t.Key) && f.flat(t.Elem) && !f.viewKey(t):
		return "CloneMap", "[" + f.keyType(t.Key) + ", " + f.goType(t.Elem) + "]"
	}
	return "", ""
}

// viewKey reports whether the keys of a Go map may be views of the input.
func (f *file) viewKey(t *model.Type) bool {
	return f.opt.Views && (t.Key.Kind == model.String || t.Key.Kind == model.Binary)
}

// flat reports whether a value is copied by =. A string that is a view of the
// input is not.
func (f *file) flat(t *model.Type) bool {
	return plain(t) && (t.Kind != model.String || !f.opt.Views)
}

// cloneFunc is a function that replaces a value by a copy, or nil for what
// = copies.
func (f *file) cloneFunc(t *model.Type) string {
	if f.flat(t) {
		return "nil"
	}
	if name, arguments := f.simpleClone(t); name != "" {
		return f.runtime() + "." + name + arguments
	}
	return "func(a *" + f.goType(t) + ") {\n" + f.cloneCall(t, "a") + "\n}"
}
