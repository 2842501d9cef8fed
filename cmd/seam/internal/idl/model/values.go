package model

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// topValue returns the value of a constant or a default, or nil if it has a
// mistake, which has been reported.
func (f *file) topValue(ast *syntax.Value, t *Type) *Value {
	v := f.value(ast, t, 0)
	if v == nil {
		return nil
	}
	if f.written[v] > maxWritten {
		f.errorf(ast.Pos, "more than %d values would have to be written out here: refer to a constant of the type %s itself", maxWritten, clip(t.String()))
		return nil
	}
	return v
}

// value gives a value its type.
func (f *file) value(ast *syntax.Value, t *Type, depth int) *Value {
	if ast == nil {
		return nil
	}
	if depth > maxValueDepth {
		f.errorf(ast.Pos, "the value is nested deeper than %d", maxValueDepth)
		return nil
	}
	if ast.Kind == syntax.IdentValue {
		return f.identValue(ast, t)
	}
	v := &Value{Type: t}
	ok := false
	switch t.Kind {
	case Bool:
		if ok = ast.Kind == syntax.IntValue && (ast.Int == 0 || ast.Int == 1); ok {
			v.Bool = ast.Int == 1
		}
	case I8, I16, I32, I64:
		if ok = ast.Kind == syntax.IntValue; ok {
			v.Int = ast.Int
			if !f.inRange(ast.Pos, ast.Int, t.Kind) {
				return nil
			}
		}
	case Double:
		switch ast.Kind {
		case syntax.IntValue:
			v.Double, ok = float64(ast.Int), true
		case syntax.DoubleValue:
			v.Double, ok = ast.Double, true
		}
	case EnumKind:
		if ast.Kind == syntax.IntValue {
			return f.enumByNumber(ast.Pos, ast.Int, t)
		}
	case String, Binary:
		if ok = ast.Kind == syntax.StringValue; ok {
			v.String = ast.Text
		}
	case UUID:
		if ast.Kind == syntax.StringValue {
			if v.String, ok = uuid(ast.Text); !ok {
				f.errorf(ast.Pos, "%s is not a uuid: write 32 hexadecimal digits as in %q", quote(ast.Text), "01234567-89ab-cdef-0123-456789abcdef")
				return nil
			}
		}
	case List, Set:
		if ast.Kind == syntax.ListValue || ast.Kind == syntax.MapValue && len(ast.Map) == 0 {
			return f.listValue(ast, t, depth)
		}
	case Map:
		if ast.Kind == syntax.MapValue || ast.Kind == syntax.ListValue && len(ast.List) == 0 {
			return f.mapValue(ast, t, depth)
		}
	case StructKind:
		if ast.Kind == syntax.MapValue {
			return f.structValue(ast, t, depth)
		}
	}
	if !ok {
		f.errorf(ast.Pos, "%s is needed here, and this is %s", wanted(t), describe(ast))
		return nil
	}
	return v
}

func (f *file) converted(ast *syntax.Value, v *Value, t *Type, name string) *Value {
	conv := converter{file: f, pos: ast.Pos, name: name, made: map[conversion]*Value{}}
	return conv.convert(v, t)
}

func (f *file) inRange(pos syntax.Pos, n int64, k Kind) bool {
	bits := map[Kind]uint{I8: 8, I16: 16, I32: 32, I64: 64}[k]
	least, most := int64(math.MinInt64)>>(64-bits), int64(math.MaxInt64)>>(64-bits)
	if n < least || n > most {
		f.errorf(pos, "%d is out of range for %s, which goes from %d to %d: use a larger type", n, kindWords[k], least, most)
		return false
	}
	return true
}

func (f *file) enumByNumber(pos syntax.Pos, n int64, t *Type) *Value {
	if !f.inRange(pos, n, I32) {
		return nil
	}
	v := &Value{Type: t, Int: n, Enum: f.enumNumber(t.Enum, int32(n))}
	if v.Enum == nil {
		f.warnf(pos, "no value of the enum %s has the number %d: use one that has, or add it", clip(t.Enum.Name), n)
	}
	return v
}

func (f *file) listValue(ast *syntax.Value, t *Type, depth int) *Value {
	v := &Value{Type: t, List: make([]*Value, 0, len(ast.List))}
	ok := true
	first := map[int]syntax.Pos{}
	for _, e := range ast.List {
		one := f.value(e, t.Elem, depth+1)
		if one == nil {
			ok = false
			continue
		}
		if t.Kind == Set {
			id := f.intern.ID(one)
			if old, twice := first[id]; twice {
				f.warnf(e.Pos, "%s is in the set twice, first on line %d: it counts once; delete one", describe(e), old.Line)
				continue
			}
			first[id] = e.Pos
		}
		v.List = append(v.List, one)
	}
	return f.composed(ast.Pos, v, ok, v.List)
}

func (f *file) mapValue(ast *syntax.Value, t *Type, depth int) *Value {
	v := &Value{Type: t, Map: make([]Entry, 0, len(ast.Map))}
	var parts []*Value
	ok := true
	first := map[int]syntax.Pos{}
	for _, e := range ast.Map {
		key, value := f.value(e.Key, t.Key, depth+1), f.value(e.Value, t.Elem, depth+1)
		if key == nil || value == nil {
			ok = false
			continue
		}
		id := f.intern.ID(key)
		if old, twice := first[id]; twice {
			f.errorf(e.Key.Pos, "%s is a key of the map twice, first on line %d: delete one", describe(e.Key), old.Line)
			ok = false
			continue
		}
		first[id] = e.Key.Pos
		v.Map = append(v.Map, Entry{key, value})
		parts = append(parts, key, value)
	}
	return f.composed(ast.Pos, v, ok, parts)
}

func (f *file) structValue(ast *syntax.Value, t *Type, depth int) *Value {
	s := t.Struct
	index := f.fieldIndex(s)
	set := map[int]*Value{}
	first := map[int]syntax.Pos{}
	ok := true
	for _, e := range ast.Map {
		if e.Key == nil {
			ok = false
			continue
		}
		i, known := index[e.Key.Text]
		switch {
		case e.Key.Kind != syntax.StringValue:
			f.errorf(e.Key.Pos, "the name of a field of %s is needed here as a string, and this is %s", clip(s.Name), describe(e.Key))
		case !known:
			f.errorf(e.Key.Pos, "%s has no field %s%s", clip(s.Name), quote(e.Key.Text), f.didYouMean(e.Key.Text, fieldNames(s)))
		case first[i] != syntax.Pos{}:
			f.errorf(e.Key.Pos, "%s.%s is set twice, first on line %d: delete one", clip(s.Name), clip(e.Key.Text), first[i].Line)
		default:
			first[i] = e.Key.Pos
			if s.Fields[i].Type != nil {
				set[i] = f.value(e.Value, s.Fields[i].Type, depth+1)
			}
			ok = ok && set[i] != nil
			continue
		}
		ok = false
	}
	if !ok {
		return nil
	}
	if s.Kind == syntax.Union && len(set) != 1 {
		f.errorf(ast.Pos, "%d fields of the union %s are set: set exactly one", len(set), clip(s.Name))
		return nil
	}
	v := &Value{Type: t}
	var parts []*Value
	for _, i := range slices.Sorted(maps.Keys(set)) {
		v.Fields = append(v.Fields, FieldValue{s.Fields[i], set[i]})
		parts = append(parts, set[i])
	}
	if len(ast.Map) > 0 {
		f.missingFields(ast, s, set)
	}
	return f.composed(ast.Pos, v, true, parts)
}

// missingFields warns of required fields that a value does not set. An empty
// one is a usual way to say nothing at all.
func (f *file) missingFields(ast *syntax.Value, s *Struct, set map[int]*Value) {
	for i, field := range s.Fields {
		if field.Req == Required && set[i] == nil && !f.hasDefault[field] {
			f.warnf(ast.Pos, "%s.%s is required and not set here: it will be the zero value; set it", clip(s.Name), clip(field.Name))
		}
	}
}

// composed notes the depth and the size of a value that has parts.
func (f *file) composed(pos syntax.Pos, v *Value, ok bool, parts []*Value) *Value {
	if !ok {
		return nil
	}
	height, written := 0, 1
	for _, p := range parts {
		height = max(height, f.heights[p])
		if p.Const == nil {
			written += max(1, f.written[p])
		} else {
			written++
		}
	}
	if height+1 > maxValueDepth {
		f.errorf(pos, "with the constants that it refers to, the value is nested deeper than %d", maxValueDepth)
		return nil
	}
	f.heights[v] = height + 1
	f.written[v] = min(written, math.MaxInt32)
	return v
}

func fieldNames(s *Struct) []string {
	names := make([]string, len(s.Fields))
	for i, field := range s.Fields {
		names[i] = field.Name
	}
	return names
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

var uuidForm = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

// uuid returns the 36-letter form of a uuid, which may stand in braces.
func uuid(s string) (string, bool) {
	if len(s) == 38 && s[0] == '{' && s[37] == '}' {
		s = s[1:37]
	}
	return strings.ToLower(s), uuidForm.MatchString(s)
}
