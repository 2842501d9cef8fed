package compat

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// sameValue compares two values and shows them.
func (c *comparer) sameValue(old, new *model.Value) (was, is string, same bool) {
	if old == nil || new == nil {
		return show(old), show(new), old == new
	}
	was, is = show(old), show(new)
	same = c.equalValue(old, new)
	if !same && was == is {
		is = "another"
	}
	return was, is, same
}

// sameWhenAbsent reports whether both versions read the same where a field is missing: its
// default, or else the zero value of its type.
func (c *comparer) sameWhenAbsent(d, n *model.Field) bool {
	if d.Default == nil && n.Default == nil {
		return true
	}
	if d.Type.Kind != model.StructKind {
		if d.Default == nil {
			return zero(n.Default)
		}
		if n.Default == nil {
			return zero(d.Default)
		}
	}
	return c.equalValue(d.Default, n.Default)
}

// zero reports whether a value is what a program reads that has no default for it.
func zero(v *model.Value) bool {
	switch v.Type.Kind {
	case model.Bool:
		return !v.Bool
	case model.I8, model.I16, model.I32, model.I64, model.EnumKind:
		return v.Int == 0
	case model.Double:
		return v.Double == 0
	case model.String, model.Binary:
		return v.String == ""
	case model.UUID:
		return v.String == "00000000-0000-0000-0000-000000000000"
	case model.List, model.Set:
		return len(v.List) == 0
	case model.Map:
		return len(v.Map) == 0
	}
	return false
}

// equalValue reports whether two values are the same for programs of the two versions: of
// structs, with their defaults, the fields that both have. Sets and maps that hold structs or
// containers count as the same only in one order.
func (c *comparer) equalValue(old, new *model.Value) bool {
	if old == nil || new == nil {
		return old == new
	}
	if wireKind(old.Type.Kind) != wireKind(new.Type.Kind) {
		return false
	}
	pair := [2]*model.Value{old, new}
	same, known := c.valued[pair]
	if !known {
		c.valued[pair] = true // defaults don't contain themselves, so this is asked for again only by a shared one
		same = c.equalParts(old, new)
		c.valued[pair] = same
	}
	return same
}

func (c *comparer) equalParts(old, new *model.Value) bool {
	switch old.Type.Kind {
	case model.Bool:
		return old.Bool == new.Bool
	case model.I8, model.I16, model.I32, model.I64, model.EnumKind:
		return old.Int == new.Int
	case model.Double:
		return old.Double == new.Double || old.Double != old.Double && new.Double != new.Double
	case model.String, model.Binary, model.UUID:
		return old.String == new.String
	case model.List:
		return slices.EqualFunc(old.List, new.List, c.equalValue)
	case model.Set:
		was, is := c.ordered(old.List), c.ordered(new.List)
		return slices.EqualFunc(was, is, c.equalValue)
	case model.Map:
		was, is := c.orderedPairs(old.Map), c.orderedPairs(new.Map)
		return slices.EqualFunc(was, is, func(a, b model.Entry) bool { return c.equalValue(a.Key, b.Key) && c.equalValue(a.Value, b.Value) })
	}
	was, is := given(old), given(new)
	news := byID(new.Type.Struct.Fields)
	for _, d := range old.Type.Struct.Fields {
		n := news[d.ID]
		if n == nil {
			continue
		}
		a, b := was[d.ID], is[d.ID]
		if old.Type.Struct.Kind != syntax.Union {
			if a == nil {
				a = d.Default
			}
			if b == nil {
				b = n.Default
			}
		}
		switch {
		case a == nil && b == nil:
		case a == nil || b == nil:
			// A union's field is there or not; elsewhere absent is the zero value.
			present := a
			if a == nil {
				present = b
			}
			if old.Type.Struct.Kind == syntax.Union || !zero(present) {
				return false
			}
		case !c.equalValue(a, b):
			return false
		}
	}
	return true
}

// given are the fields that a struct value sets.
func given(v *model.Value) map[int16]*model.Value {
	fields := make(map[int16]*model.Value, len(v.Fields))
	for _, f := range v.Fields {
		fields[f.Field.ID] = f.Value
	}
	return fields
}

// ordered is a set in an order that is that of its values, if they are simple.
func (c *comparer) ordered(list []*model.Value) []*model.Value {
	list = slices.Clone(list)
	slices.SortStableFunc(list, c.compareValues)
	return list
}

func (c *comparer) orderedPairs(list []model.Entry) []model.Entry {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b model.Entry) int { return c.compareValues(a.Key, b.Key) })
	return list
}

func (c *comparer) compareValues(a, b *model.Value) int {
	return cmp.Or(cmp.Compare(a.Int, b.Int), cmp.Compare(a.Double, b.Double), cmp.Compare(a.String, b.String), boolCompare(a.Bool, b.Bool))
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// show returns a short text of a value.
func show(v *model.Value) string {
	if v == nil {
		return "none"
	}
	switch v.Type.Kind {
	case model.Bool:
		return fmt.Sprint(v.Bool)
	case model.I8, model.I16, model.I32, model.I64:
		return fmt.Sprint(v.Int)
	case model.EnumKind:
		if v.Enum != nil {
			return v.Enum.Name
		}
		return fmt.Sprint(v.Int)
	case model.Double:
		return fmt.Sprint(v.Double)
	case model.String, model.Binary, model.UUID:
		if len(v.String) > 40 {
			return fmt.Sprintf("a string of %d bytes", len(v.String))
		}
		return fmt.Sprintf("%q", v.String)
	case model.List, model.Set:
		return fmt.Sprintf("a %s of %d", v.Type.Kind, len(v.List))
	case model.Map:
		return fmt.Sprintf("a map of %d", len(v.Map))
	}
	return fmt.Sprintf("a %s with %d fields set", v.Type.Struct.Name, len(v.Fields))
}
