package compat

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// A difference is why a value of one type can't be read as another, or isn't the same then. The
// zero difference is none.
type difference struct {
	rule *Rule
	why  string
}

func differ(rule *Rule, format string, args ...any) difference {
	return difference{rule, fmt.Sprintf(format, args...)}
}

// typeChange tells what breaks when one type becomes another, and why; there is
// no rule if nothing changed.
func (c *comparer) typeChange(old, new *model.Type) (*Rule, string) {
	if c.sameType(old, new) {
		if otherInPlace(old, new) {
			return typeGo, "the containers had structs and now have pointers to them, or the other way round: they look the same on the wire, but code that uses them must change"
		}
		if was, is := typedefName(old), typedefName(new); was != is {
			return typeSpelling, fmt.Sprintf("the type was written as %s and is now written as %s, which is the same type", spelled(old), spelled(new))
		}
		return nil, ""
	}
	change := fmt.Sprintf("the type was %s and is now %s", spelled(old), spelled(new))
	if diff := c.wireDifference(old, new); diff.rule != nil {
		return diff.rule, change + ": " + diff.why
	}
	return typeGo, change + ": they look the same on the wire, but code that uses it must change"
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

// wireDifference says why a value of one type can't be read as the other.
func (c *comparer) wireDifference(old, new *model.Type) difference {
	if wireKind(old.Kind) != wireKind(new.Kind) {
		return differ(typeWire, "%s can't be read as %s", kindName(old), kindName(new))
	}
	if (old.Kind == model.Binary) != (new.Kind == model.Binary) && c.opt.Names {
		return differ(typeNames, "JSON has a binary in base64 and a string as it is")
	}
	if (old.Kind == model.EnumKind) != (new.Kind == model.EnumKind) && c.opt.Names {
		return differ(typeNames, "JSON has the name of an enum's value and the digits of a number")
	}
	if (old.Kind == model.Binary) != (new.Kind == model.Binary) && !c.opt.NoJSON {
		return differ(typeJSON, "in the JSON protocol a binary is written in base64 and a string is not; without that protocol, say --protocols binary,compact")
	}
	switch old.Kind {
	case model.EnumKind:
		if new.Kind == model.EnumKind && c.enum[old.Enum] != new.Enum {
			if diff := numbersDiffer(old.Enum, new.Enum); diff.rule != nil || !c.opt.Names {
				return diff
			}
			return namesDiffer(old.Enum, new.Enum)
		}
	case model.StructKind:
		return c.shapeDifference(old.Struct, new.Struct)
	case model.Map:
		if diff := c.wireDifference(old.Key, new.Key); diff.rule != nil {
			return diff
		}
		return c.wireDifference(old.Elem, new.Elem)
	case model.List, model.Set:
		return c.wireDifference(old.Elem, new.Elem)
	}
	return difference{}
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

// numbersDiffer says which number of an enum the other one does not have, or calls
// something else.
func numbersDiffer(old, new *model.Enum) difference {
	has, number := map[int32]bool{}, map[string]int32{}
	for _, v := range new.Values {
		has[v.Value], number[v.Name] = true, v.Value
	}
	for _, v := range old.Values {
		if !has[v.Value] {
			return differ(typeWire, "%s = %d has no counterpart in %s", v.Name, v.Value, new.Name)
		}
		if n, ok := number[v.Name]; ok && n != v.Value {
			return differ(typeWire, "%s is %d in %s and %d in %s", v.Name, v.Value, old.Name, n, new.Name)
		}
	}
	return difference{}
}

// namesDiffer says which name of an enum the other one does not have.
func namesDiffer(old, new *model.Enum) difference {
	for _, pair := range [][2]*model.Enum{{old, new}, {new, old}} {
		for _, v := range pair[0].Values {
			if !slices.ContainsFunc(pair[1].Values, func(o *model.EnumValue) bool { return o.Name == v.Name }) {
				return differ(typeNames, "%s has no value %s, as JSON has it", pair[1].Name, v.Name)
			}
		}
	}
	return difference{}
}

// shapeDifference compares structs of different names. Those that are versions
// of the same are compared where they are defined.
func (c *comparer) shapeDifference(old, new *model.Struct) difference {
	pair := [2]*model.Struct{old, new}
	if diff, ok := c.shaped[pair]; ok || c.struc[old] == new {
		return diff
	}
	c.shaped[pair] = difference{} // until one is found
	diff := c.shape(old, new)
	if diff.rule != nil {
		// What relied on this pair being the same is unknown again. All
		// that are being compared differ too, so none of them comes back.
		maps.DeleteFunc(c.shaped, func(_ [2]*model.Struct, diff difference) bool { return diff.rule == nil })
	}
	c.shaped[pair] = diff
	return diff
}

func (c *comparer) shape(old, new *model.Struct) difference {
	if (old.Kind == syntax.Union) != (new.Kind == syntax.Union) {
		return differ(typeWire, "a union has exactly one field set, and %s is a%s", new.Name, structWords[new.Kind])
	}
	news, olds := byID(new.Fields), byID(old.Fields)
	idOf := map[string]int16{}
	for _, g := range new.Fields {
		idOf[g.Name] = g.ID
	}
	for _, f := range old.Fields {
		g := news[f.ID]
		if g == nil {
			return differ(typeWire, "%s has no field %d (%s)", new.Name, f.ID, f.Name)
		}
		if id, ok := idOf[f.Name]; ok && id != f.ID {
			return differ(typeWire, "%s is field %d of %s and field %d of %s", f.Name, f.ID, old.Name, id, new.Name)
		}
		if diff := c.wireDifference(f.Type, g.Type); diff.rule != nil {
			return difference{diff.rule, fmt.Sprintf("field %d: %s", f.ID, diff.why)}
		}
		if tag := "go.tag"; c.opt.Names && (f.Name != g.Name || f.Annotations[tag] != g.Annotations[tag]) {
			return differ(typeNames, "field %d is %s in %s and %s in %s, and may have another name in JSON", f.ID, f.Name, old.Name, g.Name, new.Name)
		}
		if (f.Req == model.Required) != (g.Req == model.Required) {
			return differ(typeWire, "field %d is required in only one of them", f.ID)
		}
		if name := tighter(f.Annotations, g.Annotations); name != "" {
			return differ(validation, "%s of field %d may refuse what %s accepts", name, f.ID, old.Name)
		}
		if f.Req == model.Optional && g.Req != model.Optional && refusesAbsent(g, new.Kind == syntax.Union) {
			return differ(validation, "field %d of %s is not optional, and has rules", f.ID, new.Name)
		}
		if c.becomesPointer(f, g) {
			return differ(validation, "field %d of %s has no default, and must not be nil", f.ID, new.Name)
		}
		if old.Kind != syntax.Union && (c.mayBeAbsent(f) || c.mayBeAbsent(g)) && !c.sameWhenAbsent(f, g) {
			return differ(typeWire, "the default of field %d (%s) differs", f.ID, f.Name)
		}
	}
	if name := tighter(old.Annotations, new.Annotations); name != "" {
		return differ(validation, "%s of %s may refuse what %s accepts", name, new.Name, old.Name)
	}
	for _, g := range new.Fields {
		if olds[g.ID] == nil && refusesAbsent(g, new.Kind == syntax.Union) {
			return differ(validation, "%s has rules for field %d (%s), which %s doesn't have", new.Name, g.ID, g.Name, old.Name)
		}
		if olds[g.ID] == nil && g.Req == model.Required {
			return differ(typeWire, "%s requires field %d (%s)", new.Name, g.ID, g.Name)
		}
	}
	return difference{}
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
