package compat

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// typeChange tells what breaks when one type becomes another, and why; the
// reason is empty if nothing changed.
func (c *comparer) typeChange(old, new *model.Type) (Severity, string) {
	if c.sameType(old, new) {
		if otherInPlace(old, new) {
			return Source, "the containers had structs and now have pointers to them, or the other way round: they look the same on the wire, but code that uses them must change"
		}
		if was, is := typedefName(old), typedefName(new); was != is {
			return Note, fmt.Sprintf("the type was written as %s and is now written as %s, which is the same type", spelled(old), spelled(new))
		}
		return Note, ""
	}
	change := fmt.Sprintf("the type was %s and is now %s", spelled(old), spelled(new))
	if why := c.wireDifference(old, new); why != "" {
		return Wire, change + ": " + why
	}
	return Source, change + ": they look the same on the wire, but code that uses it must change"
}

// otherInPlace reports whether the structs in the containers of one version are pointers to them
// in the other. The types are the same otherwise.
func otherInPlace(old, new *model.Type) bool {
	return old.InPlace != new.InPlace || old.Key != nil && otherInPlace(old.Key, new.Key) || old.Elem != nil && otherInPlace(old.Elem, new.Elem)
}

// sameType reports whether two types are two versions of the same, with typedefs
// seen through.
func (c *comparer) sameType(old, new *model.Type) bool {
	if old.Kind != new.Kind {
		return false
	}
	switch old.Kind {
	case model.EnumKind:
		return c.enum[old.Enum] == new.Enum
	case model.StructKind:
		return c.struc[old.Struct] == new.Struct
	case model.Map:
		return c.sameType(old.Key, new.Key) && c.sameType(old.Elem, new.Elem)
	case model.List, model.Set:
		return c.sameType(old.Elem, new.Elem)
	}
	return true
}

// wireKind is the same for types that can't be told apart on the wire.
func wireKind(k model.Kind) model.Kind {
	switch k {
	case model.EnumKind:
		return model.I32
	case model.Binary:
		return model.String
	}
	return k
}

// wireDifference says why a value of one type can't be read as the other, or
// "" if it can.
func (c *comparer) wireDifference(old, new *model.Type) string {
	if wireKind(old.Kind) != wireKind(new.Kind) {
		return fmt.Sprintf("%s can't be read as %s", kindName(old), kindName(new))
	}
	switch old.Kind {
	case model.EnumKind:
		if new.Kind == model.EnumKind && c.enum[old.Enum] != new.Enum {
			return numbersDiffer(old.Enum, new.Enum)
		}
	case model.StructKind:
		return c.shapeDifference(old.Struct, new.Struct)
	case model.Map:
		if why := c.wireDifference(old.Key, new.Key); why != "" {
			return why
		}
		return c.wireDifference(old.Elem, new.Elem)
	case model.List, model.Set:
		return c.wireDifference(old.Elem, new.Elem)
	}
	return ""
}

func kindName(t *model.Type) string {
	switch t.Kind {
	case model.EnumKind:
		return "an enum"
	case model.StructKind:
		return "a struct"
	}
	s := t.Kind.String()
	if s[0] == 'i' {
		return "an " + s
	}
	return "a " + s
}

// numbersDiffer says which number of an enum the other one does not have.
func numbersDiffer(old, new *model.Enum) string {
	has := map[int32]bool{}
	for _, v := range new.Values {
		has[v.Value] = true
	}
	for _, v := range old.Values {
		if !has[v.Value] {
			return fmt.Sprintf("%s = %d has no counterpart in %s", v.Name, v.Value, new.Name)
		}
	}
	return ""
}

// shapeDifference compares structs of different names. Those that are versions
// of the same are compared where they are defined.
func (c *comparer) shapeDifference(old, new *model.Struct) string {
	pair := [2]*model.Struct{old, new}
	if why, ok := c.shaped[pair]; ok || c.struc[old] == new {
		return why
	}
	c.shaped[pair] = "" // until a difference is found
	why := c.shape(old, new)
	if why != "" {
		// What relied on this pair being the same is unknown again. All
		// that are being compared differ too, so none of them comes back.
		maps.DeleteFunc(c.shaped, func(_ [2]*model.Struct, why string) bool { return why == "" })
	}
	c.shaped[pair] = why
	return why
}

func (c *comparer) shape(old, new *model.Struct) string {
	if (old.Kind == syntax.Union) != (new.Kind == syntax.Union) {
		return fmt.Sprintf("a union has exactly one field set, and %s is a%s", new.Name, structWords[new.Kind])
	}
	news := byID(new.Fields)
	for _, f := range old.Fields {
		g := news[f.ID]
		if g == nil {
			return fmt.Sprintf("%s has no field %d (%s)", new.Name, f.ID, f.Name)
		}
		if why := c.wireDifference(f.Type, g.Type); why != "" {
			return fmt.Sprintf("field %d: %s", f.ID, why)
		}
		if (f.Req == model.Required) != (g.Req == model.Required) {
			return fmt.Sprintf("field %d is required in only one of them", f.ID)
		}
	}
	olds := byID(old.Fields)
	for _, g := range new.Fields {
		if olds[g.ID] == nil && g.Req == model.Required {
			return fmt.Sprintf("%s requires field %d (%s)", new.Name, g.ID, g.Name)
		}
	}
	return ""
}

func byID(fields []*model.Field) map[int16]*model.Field {
	ids := make(map[int16]*model.Field, len(fields))
	for _, f := range fields {
		ids[f.ID] = f
	}
	return ids
}

// spelled is a type as it was written, with the names of typedefs.
func spelled(t *model.Type) string {
	if t.Typedef != nil {
		return t.Typedef.Name + " (" + t.String() + ")"
	}
	return cmp.Or(t.Container(spelled, ", "), t.String())
}

// typedefName is the text of a type with its typedefs' names only.
func typedefName(t *model.Type) string {
	if t.Typedef != nil {
		return t.Typedef.Name
	}
	return t.Container(typedefName, ", ")
}
