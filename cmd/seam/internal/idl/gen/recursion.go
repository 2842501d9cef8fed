package gen

import (
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// An object of a recursive type may contain itself, so what walks through such objects counts
// how deep it is. Files don't include each other in circles: all structs of a ring are in one
// file, and their methods hand the count to each other. What leads to the ring begins at 0.

// recursive reports whether a struct may be inside of itself.
func (f *file) recursive(s *model.Struct) bool {
	known, ok := f.g.recursive[s]
	if !ok {
		known = containsItself(s)
		f.g.recursive[s] = known
	}
	return known
}

// counted reports whether a value's methods and functions take a depth: it is a recursive
// struct of this file, or a container of such structs.
func (f *file) counted(t *model.Type) bool {
	switch t.Kind {
	case model.StructKind:
		return t.Struct.Program == f.prog && f.recursive(t.Struct)
	case model.List, model.Set:
		return f.counted(t.Elem)
	case model.Map:
		return f.counted(t.Key) || f.counted(t.Elem)
	}
	return false
}

func containsItself(s *model.Struct) bool {
	seen := map[*model.Struct]bool{}
	var in func(*model.Type) bool
	fields := func(x *model.Struct) bool {
		return slices.ContainsFunc(x.Fields, func(x *model.Field) bool { return in(x.Type) })
	}
	in = func(t *model.Type) bool {
		switch t.Kind {
		case model.StructKind:
			if t.Struct == s || seen[t.Struct] {
				return t.Struct == s
			}
			seen[t.Struct] = true
			return fields(t.Struct)
		case model.List, model.Set:
			return in(t.Elem)
		case model.Map:
			return in(t.Key) || in(t.Elem)
		}
		return false
	}
	return fields(s)
}
