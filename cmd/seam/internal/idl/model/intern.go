package model

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// An Interner gives equal values one number, so that comparing them takes no
// longer than looking at each value once, however often it is referred to. The
// zero Interner is ready for use.
type Interner struct {
	known map[string]int
	ids   map[*Value]int
}

// ID is the number of a value. Values of different types may be equal only if
// they are of one kind; structs are compared by the ids of their fields.
func (in *Interner) ID(v *Value) int {
	if id, ok := in.ids[v]; ok {
		return id
	}
	if v.Const != nil {
		return in.ID(v.Const.Value) // equal, and looked at once
	}
	if in.ids == nil {
		in.known, in.ids = map[string]int{}, map[*Value]int{}
	}
	key := []byte{byte(v.Type.Kind)}
	add := func(n int64) { key = binary.AppendVarint(key, n) }
	switch v.Type.Kind {
	case Bool:
		add(b2i(v.Bool))
	case I8, I16, I32, I64, EnumKind:
		add(v.Int)
	case Double:
		d := v.Double + 0 // -0 is 0, also as a key of a map
		key = binary.BigEndian.AppendUint64(key, math.Float64bits(d))
	case String, Binary, UUID:
		key = append(key, v.String...)
	case List:
		for _, e := range v.List {
			add(int64(in.ID(e)))
		}
	case Set, Map:
		var ids [][2]int // the order means nothing
		for _, e := range v.List {
			ids = append(ids, [2]int{in.ID(e), 0})
		}
		for _, e := range v.Map {
			ids = append(ids, [2]int{in.ID(e.Key), in.ID(e.Value)})
		}
		slices.SortFunc(ids, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
		for _, pair := range ids {
			add(int64(pair[0]))
			add(int64(pair[1]))
		}
	case StructKind:
		for _, e := range v.Fields {
			add(int64(e.Field.ID))
			add(int64(in.ID(e.Value)))
		}
	}
	id, ok := in.known[string(key)]
	if !ok {
		id = len(in.known)
		in.known[string(key)] = id
	}
	in.ids[v] = id
	return id
}
