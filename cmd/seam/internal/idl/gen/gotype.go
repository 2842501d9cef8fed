package gen

import (
	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// goType is the Go type of a value of t, as this file writes it.
func (f *file) goType(t *model.Type) string {
	if t.Typedef != nil {
		return star(t) + f.typedefName(t.Typedef)
	}
	return f.plainType(t)
}

// plainType is goType with the type's own typedef seen through.
func (f *file) plainType(t *model.Type) string {
	switch t.Kind {
	case model.Bool:
		return "bool"
	case model.I8:
		return "int8"
	case model.I16:
		return "int16"
	case model.I32:
		return "int32"
	case model.I64:
		return "int64"
	case model.Double:
		return "float64"
	case model.String:
		return "string"
	case model.Binary:
		return "[]byte"
	case model.UUID:
		return f.thrift() + ".UUID"
	case model.EnumKind:
		return f.enumName(t.Enum)
	case model.StructKind:
		return star(t) + f.structName(t.Struct)
	case model.List, model.Set:
		return "[]" + f.goType(t.Elem)
	case model.Map:
		if comparableKey(t.Key) {
			return "map[" + f.keyType(t.Key) + "]" + f.goType(t.Elem)
		}
		return "[]" + f.pairType(t)
	}
	panic("type without a Go type")
}

// star is what stands before the name of a type: a struct is used by a pointer, except where a
// container has it itself.
func star(t *model.Type) string {
	if t.Kind == model.StructKind && !t.InPlace {
		return "*"
	}
	return ""
}

// pairType is the element of a map that Go can't have as a map.
func (f *file) pairType(t *model.Type) string {
	return f.thrift() + ".Pair[" + f.goType(t.Key) + ", " + f.goType(t.Elem) + "]"
}

// keyType is the type of a Go map's key.
func (f *file) keyType(t *model.Type) string {
	if t.Kind == model.Binary {
		return "string" // []byte can't be a key
	}
	return f.goType(t)
}

// comparableKey reports whether a map with this key is a Go map; others are
// lists of pairs.
func comparableKey(t *model.Type) bool {
	switch t.Kind {
	case model.StructKind, model.List, model.Set, model.Map:
		return false
	}
	return true
}

// pointerField reports whether a field is a pointer to a plain value: optional,
// of a type that has no nil of its own, and not held by value.
func pointerField(x *model.Field) bool {
	if x.Req != model.Optional || x.ByValue {
		return false
	}
	switch x.Type.Kind {
	case model.StructKind, model.Binary, model.List, model.Set, model.Map:
		return false
	}
	return true
}

// fieldType is the Go type of a field.
func (f *file) fieldType(x *model.Field) string {
	if pointerField(x) {
		return "*" + f.goType(x.Type)
	}
	return f.goType(x.Type)
}

// structName is the name of a struct, with its package where that is another
// one, without *.
func (f *file) structName(s *model.Struct) string {
	if name, ok := f.g.namesOf(s.Program).types[s.Name]; ok {
		return f.useProgram(s.Program) + name
	}
	return f.useProgram(s.Program) + exported(s.Name)
}

// newName is the name of a struct's constructor.
func (f *file) newName(s *model.Struct) string {
	if name, ok := f.g.namesOf(s.Program).makers[s.Name]; ok {
		return f.useProgram(s.Program) + name
	}
	return f.useProgram(s.Program) + "New" + exported(s.Name)
}

// enumName is the name of an enum.
func (f *file) enumName(e *model.Enum) string {
	return f.useProgram(e.Program) + f.g.namesOf(e.Program).types[e.Name]
}

// enumValueName is the name of the constant for a value of an enum.
func (f *file) enumValueName(v *model.EnumValue) string {
	return f.useProgram(v.Enum.Program) + f.g.namesOf(v.Enum.Program).values[v]
}

// typedefName is the name of a typedef.
func (f *file) typedefName(t *model.Typedef) string {
	return f.useProgram(t.Program) + f.g.namesOf(t.Program).types[t.Name]
}

// constName is the name of a constant.
func (f *file) constName(c *model.Const) string {
	return f.useProgram(c.Program) + f.g.namesOf(c.Program).consts[c.Name]
}

// serviceName is the name of a service. With Client or Processor after it,
// and New in front of those, it is free as well.
func (f *file) serviceName(s *model.Service) string {
	return f.useProgram(s.Program) + f.g.namesOf(s.Program).services[s.Name]
}
