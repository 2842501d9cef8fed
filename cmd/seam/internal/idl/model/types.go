package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

var baseTypes = []struct {
	name string
	kind Kind
}{
	{"bool", Bool}, {"byte", I8}, {"i8", I8}, {"i16", I16}, {"i32", I32}, {"i64", I64},
	{"double", Double}, {"string", String}, {"binary", Binary}, {"uuid", UUID}, {"void", Void},
}

// plainTypes are the base types without annotations, one of each for everybody.
var plainTypes = func() (t [UUID + 1]Type) {
	for k := range t {
		t[k].Kind = Kind(k)
	}
	return t
}()

func baseKind(name string) (Kind, bool) {
	for _, b := range baseTypes {
		if b.name == name {
			return b.kind, true
		}
	}
	return 0, false
}

// otherLanguages are other languages' words for base types.
var otherLanguages = map[string]string{
	"int": "i32", "integer": "i32", "long": "i64", "short": "i16", "char": "i8", "int8": "i8", "int16": "i16",
	"int32": "i32", "int64": "i64", "u8": "i8", "u16": "i16", "u32": "i32", "u64": "i64", "uint8": "i8",
	"uint16": "i16", "uint32": "i32", "uint64": "i64", "float": "double", "float32": "double", "float64": "double",
	"f32": "double", "f64": "double", "boolean": "bool", "str": "string", "text": "string", "bytes": "binary",
	"slist": "string", "guid": "uuid", "array": "list", "vector": "list", "dict": "map", "hash": "map",
}

// Types may be nested this deep and have this many parts, with all typedefs
// written out: a chain of typedefs can double the size with every line.
const (
	maxTypeDepth = 64
	maxTypeParts = 1024
	maxTypedefs  = 1000 // that lead from one to the next
)

// An extent is how large a type is once it is written out.
type extent struct{ depth, parts int }

// A typedef is one whose type is found when it is first needed.
type typedef struct {
	ast   *syntax.Typedef
	def   *Typedef
	state progress
}

// progress is how far something has got that others may need in the meantime.
type progress uint8

const (
	waiting progress = iota
	running
	done
)

// typ returns the type of a field, a constant, an argument or a typedef; nil
// means that it is unknown, which has been reported.
func (f *file) typ(t *syntax.Type) *Type {
	r := resolver{file: f}
	typ, _ := r.resolve(t, 0, false)
	return typ
}

// result is typ for the result of a function.
func (f *file) result(t *syntax.Type) *Type {
	r := resolver{file: f}
	typ, _ := r.resolve(t, 0, true)
	return typ
}

// A resolver finds types, and the typedefs on the way.
type resolver struct {
	*file
	chain []*typedef
	notes Annotations // of the field
	noted bool        // they said something about a container that is there
}

func (r *resolver) resolve(t *syntax.Type, depth int, result bool) (*Type, extent) {
	if t == nil {
		return nil, extent{}
	}
	if depth > maxTypeDepth {
		r.errorf(t.Pos, "the type is nested deeper than %d: move part of it into a struct", maxTypeDepth)
		return nil, extent{}
	}
	var typ *Type
	var size extent
	switch t.Kind {
	case syntax.ListType, syntax.SetType, syntax.MapType:
		var key, elem extent
		typ = &Type{Kind: List, Annotations: annotations(t.Annotations)}
		if t.Kind == syntax.SetType {
			typ.Kind = Set
		}
		if t.Kind == syntax.MapType {
			typ.Kind = Map
			if typ.Key, key = r.resolve(t.Key, depth+1, false); typ.Key == nil {
				_, _ = r.resolve(t.Elem, depth+1, false) // its mistakes are reported too
				return nil, extent{}
			}
		}
		if typ.Elem, elem = r.resolve(t.Elem, depth+1, false); typ.Elem == nil {
			return nil, extent{}
		}
		r.element(typ, typ.Key)
		r.element(typ, typ.Elem)
		size = extent{1 + max(key.depth, elem.depth), 1 + key.parts + elem.parts}
	default:
		if typ, size = r.named(t, result); typ == nil {
			return nil, extent{}
		}
	}
	if size.depth > maxTypeDepth {
		r.errorf(t.Pos, "the type is nested deeper than %d with its typedefs written out: move part of it into a struct", maxTypeDepth)
		return nil, extent{}
	}
	if size.parts > maxTypeParts {
		r.errorf(t.Pos, "the type has more than %d parts with its typedefs written out: move part of it into a struct", maxTypeParts)
		return nil, extent{}
	}
	return typ, size
}

// named finds a type by its name.
func (r *resolver) named(t *syntax.Type, result bool) (*Type, extent) {
	one := extent{1, 1}
	notes := annotations(t.Annotations)
	if kind, ok := baseKind(t.Name); ok {
		if kind == Void && !result {
			r.errorf(t.Pos, "void is only for the result of a function: name the type of the value")
			return nil, extent{}
		}
		if notes == nil {
			return &plainTypes[kind], one
		}
		return &Type{Kind: kind, Annotations: notes}, one
	}
	sym, quiet := r.symbol(t.Name)
	switch {
	case sym == nil && (quiet || t.Name == ""):
		return nil, extent{}
	case sym == nil:
		if base := otherLanguages[t.Name]; base != "" {
			r.errorf(t.Pos, "unknown type %s; did you mean %s?", t.Name, base)
		} else {
			r.unknown(t.Pos, "type", t.Name, r.typeNames())
		}
		return nil, extent{}
	case sym.service != nil:
		r.errorf(t.Pos, "%s is a service, and a type is needed here", clip(t.Name))
		return nil, extent{}
	case sym.enum != nil:
		return &Type{Kind: EnumKind, Enum: sym.enum, Annotations: notes}, one
	case sym.strct != nil:
		return &Type{Kind: StructKind, Struct: sym.strct, Annotations: notes}, one
	}
	r.typedef(sym.typedef, t.Pos)
	def := sym.typedef.def
	if sym.typedef.state == running || def.Type == nil {
		return nil, extent{}
	}
	typ := *def.Type
	typ.Typedef = def
	if notes != nil {
		typ.Annotations = notes
	}
	return &typ, r.extents[def]
}

// typedef finds the type of a typedef. A circle is reported where it begins.
func (r *resolver) typedef(td *typedef, from syntax.Pos) {
	switch {
	case td.state == done:
		return
	case td.state == running:
		circle := circleText(r.chain, td, func(td *typedef) string { return td.def.Name })
		r.errorf(td.def.Pos, "typedef %s stands for itself: %s; name a type that is defined", td.def.Name, circle)
		return
	case len(r.chain) >= maxTypedefs:
		r.errorf(from, "a chain of more than %d typedefs: use the type itself", maxTypedefs)
		return
	}
	td.state = running
	r.chain = append(r.chain, td)
	notes := r.notes
	r.notes = nil
	var size extent
	td.def.Type, size = r.resolve(td.ast.Type, 0, false)
	r.extents[td.def] = size
	r.notes = notes
	r.chain = r.chain[:len(r.chain)-1]
	td.state = done
}

// circleText shows what leads from the last of a chain back to one.
func circleText[D comparable](chain []D, one D, name func(D) string) string {
	var names []string
	for _, d := range chain[slices.Index(chain, one):] {
		names = append(names, name(d))
	}
	return chainText(append(names, name(one)))
}

// chainText shows a chain of names, or both ends of a long one.
func chainText(names []string) string {
	if len(names) > 12 {
		names = append(append(append([]string{}, names[:6]...), "…"), names[len(names)-5:]...)
	}
	return strings.Join(names, " → ")
}

func annotations(list []*syntax.Annotation) Annotations {
	if len(list) == 0 {
		return nil
	}
	a := Annotations{}
	for _, one := range list {
		if one == nil {
			continue
		}
		value := one.Value
		if !one.HasValue {
			value = "1"
		}
		if earlier, ok := a[one.Name]; ok && strings.HasPrefix(one.Name, "vt.") {
			value = earlier + "\x00" + value
		}
		a[one.Name] = value
	}
	return a
}

// String is the type as it is written in Thrift, with typedefs seen through
// and without the names of files before those of enums and structs.
func (t *Type) String() string {
	switch t.Kind {
	case EnumKind:
		return t.Enum.Name
	case StructKind:
		return t.Struct.Name
	}
	return cmp.Or(t.Container((*Type).String, ","), t.Kind.String())
}

// Container writes a list, set or map, with its elements as elem writes them and the
// comma between key and value; it returns "" for any other type.
func (t *Type) Container(elem func(*Type) string, comma string) string {
	switch t.Kind {
	case List:
		return "list<" + elem(t.Elem) + ">"
	case Set:
		return "set<" + elem(t.Elem) + ">"
	case Map:
		return "map<" + elem(t.Key) + comma + elem(t.Elem) + ">"
	}
	return ""
}

// String is the word of the kind in Thrift.
func (k Kind) String() string { return kindWords[k] }

var kindWords = [...]string{
	Void: "void", Bool: "bool", I8: "i8", I16: "i16", I32: "i32", I64: "i64", Double: "double",
	String: "string", Binary: "binary", UUID: "uuid", EnumKind: "enum", StructKind: "struct",
	List: "list", Set: "set", Map: "map",
}

// Same reports whether two types are the same once typedefs are seen through.
func (t *Type) Same(u *Type) bool {
	if t == u {
		return true
	}
	if t.Kind != u.Kind || t.Enum != u.Enum || t.Struct != u.Struct {
		return false
	}
	return (t.Key == nil || t.Key.Same(u.Key)) && (t.Elem == nil || t.Elem.Same(u.Elem))
}
