package compat

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// sameValue compares two values and shows them.
func (c *comparer) sameValue(old, new *model.Value) (was, is string, same bool) {
	if old == nil || new == nil {
		return show(old), show(new), old == new
	}
	was, is = show(old), show(new)
	same = c.values.ID(old) == c.values.ID(new)
	if !same && was == is {
		is = "another"
	}
	return was, is, same
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
