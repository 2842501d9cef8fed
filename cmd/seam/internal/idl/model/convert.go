package model

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// A converter makes a value of one type from a value of another, where the
// constant that is used has another type. A value that is used many times is
// converted once: constants that refer to each other can hold far more values
// than there is memory for if each were made by itself.
type converter struct {
	*file
	pos  syntax.Pos // of the reference
	name string     // of what is referred to
	made map[conversion]*Value
}

type conversion struct {
	from *Value
	to   *Type
}

// convert returns v itself if it already has the type.
func (c *converter) convert(v *Value, t *Type) *Value {
	if v.Type.Same(t) {
		return v
	}
	key := conversion{v, t}
	made, ok := c.made[key]
	if !ok {
		if c.conversions++; c.conversions > maxWritten {
			if c.conversions == maxWritten+1 {
				c.errorf(c.pos, "more than %d values would have to be converted, here to %s: use constants of the types that are needed", maxWritten, clip(t.String()))
			}
			return nil
		}
		made = c.make(v, t)
		c.made[key] = made
	}
	return made
}

func (c *converter) make(v *Value, t *Type) *Value {
	from := v.Type.Kind
	isInt := from >= I8 && from <= I64 || from == EnumKind
	switch t.Kind {
	case Bool:
		if isInt && (v.Int == 0 || v.Int == 1) {
			return &Value{Type: t, Bool: v.Int == 1}
		}
	case I8, I16, I32, I64:
		n := v.Int
		if from == Bool {
			n, isInt = b2i(v.Bool), true
		}
		if isInt {
			if !c.inRange(c.pos, n, t.Kind) {
				return nil
			}
			return &Value{Type: t, Int: n, Enum: v.Enum}
		}
	case Double:
		if isInt && from != EnumKind {
			return &Value{Type: t, Double: float64(v.Int)}
		}
	case EnumKind:
		if isInt && from != EnumKind {
			return c.enumByNumber(c.pos, v.Int, t)
		}
	case String, Binary:
		if from == String || from == Binary || from == UUID {
			return &Value{Type: t, String: v.String}
		}
	case UUID:
		if from == String || from == Binary {
			if s, ok := uuid(v.String); ok {
				return &Value{Type: t, String: s}
			}
		}
	case List, Set:
		if from == List || from == Set {
			return c.list(v, t)
		}
	case Map:
		if from == Map {
			return c.mapping(v, t)
		}
	}
	c.errorf(c.pos, "%s is needed here, and %s is %s", wanted(t), clip(c.name), c.describe(v))
	return nil
}

func (c *converter) list(v *Value, t *Type) *Value {
	made := &Value{Type: t, List: make([]*Value, 0, len(v.List))}
	seen := map[int]bool{}
	for _, e := range v.List {
		one := c.convert(e, t.Elem)
		if one == nil {
			return nil // one mistake of a constant stands for all
		}
		if t.Kind == Set {
			id := c.intern.ID(one)
			if seen[id] {
				continue // a list may hold a value twice
			}
			seen[id] = true
		}
		made.List = append(made.List, one)
	}
	return c.composed(c.pos, made, true, made.List)
}

func (c *converter) mapping(v *Value, t *Type) *Value {
	made := &Value{Type: t}
	var parts []*Value
	seen := map[int]bool{}
	for _, e := range v.Map {
		key, value := c.convert(e.Key, t.Key), c.convert(e.Value, t.Elem)
		if key == nil || value == nil {
			return nil
		}
		id := c.intern.ID(key)
		if seen[id] {
			c.errorf(c.pos, "two keys of %s are equal as %s: define it with the type %s", clip(c.name), t.Key, clip(t.String()))
			return nil
		}
		seen[id] = true
		made.Map = append(made.Map, Entry{key, value})
		parts = append(parts, key, value)
	}
	return c.composed(c.pos, made, true, parts)
}

func (c *converter) describe(v *Value) string {
	switch v.Type.Kind {
	case Bool:
		return fmt.Sprintf("the bool %v", v.Bool)
	case I8, I16, I32, I64:
		return fmt.Sprintf("the %s %d", kindWords[v.Type.Kind], v.Int)
	case Double:
		return fmt.Sprintf("the double %v", v.Double)
	case String, Binary, UUID:
		return fmt.Sprintf("the %s %s", kindWords[v.Type.Kind], quote(v.String))
	case EnumKind:
		return fmt.Sprintf("the number %d of the enum %s", v.Int, clip(v.Type.Enum.Name))
	}
	return "of the type " + clip(v.Type.String())
}
