package descriptor

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Encode writes a set as [Parse] reads it; it is for seam gen. It fails if something refers to a
// file that the set doesn't have.
func Encode(s *Set) (text []byte, err error) {
	e := &encoder{number: map[*File]int{}}
	raw := rawSet{Version: version}
	for k, f := range s.Files {
		e.number[f] = k
		raw.Files = append(raw.Files, e.file(f))
	}
	if e.err != nil {
		return nil, e.err
	}
	return json.Marshal(raw)
}

type encoder struct {
	number map[*File]int
	err    error
}

func (e *encoder) ref(f *File, name string) string {
	k, ok := e.number[f]
	if !ok && e.err == nil {
		e.err = fmt.Errorf("descriptors: %s is in a file that isn't there, or comes later", name)
	}
	return strconv.Itoa(k) + "." + name
}

func (e *encoder) typ(t *Type) string {
	switch {
	case t.Typedef != nil:
		return e.ref(t.Typedef.File, t.Typedef.Name)
	case t.Kind == EnumKind:
		return e.ref(t.Enum.File, t.Enum.Name)
	case t.Kind == StructKind:
		return e.ref(t.Struct.File, t.Struct.Name)
	case t.Kind == Map:
		return "map<" + e.typ(t.Key) + "," + e.typ(t.Elem) + ">"
	case t.Kind == List || t.Kind == SetKind:
		return t.Kind.String() + "<" + e.typ(t.Elem) + ">"
	}
	return t.Kind.String()
}

func (e *encoder) file(f *File) rawFile {
	r := rawFile{Path: f.Path, Name: f.Name, Doc: f.Doc, Namespaces: f.Namespaces}
	for _, x := range f.Includes {
		r.Includes = append(r.Includes, e.number[x])
	}
	for _, x := range f.Typedefs {
		r.Typedefs = append(r.Typedefs, rawNamed{Name: x.Name, Doc: x.Doc, Annotations: x.Annotations, Type: e.typ(x.Type)})
	}
	for _, x := range f.Enums {
		y := rawNamed{Name: x.Name, Doc: x.Doc, Annotations: x.Annotations}
		for _, v := range x.Values {
			y.Members = append(y.Members, rawNamed{Name: v.Name, Doc: v.Doc, Annotations: v.Annotations, Number: v.Value})
		}
		r.Enums = append(r.Enums, y)
	}
	for _, x := range f.Structs {
		r.Structs = append(r.Structs, rawNamed{Name: x.Name, Doc: x.Doc, Annotations: x.Annotations, Kind: string(x.Category), Members: e.fields(x)})
	}
	for _, x := range f.Consts {
		r.Consts = append(r.Consts, rawNamed{Name: x.Name, Doc: x.Doc, Annotations: x.Annotations, Type: e.typ(x.Type), Value: e.value(x.Type, x.Value)})
	}
	for _, x := range f.Services {
		y := rawNamed{Name: x.Name, Doc: x.Doc, Annotations: x.Annotations}
		if x.Extends != nil {
			y.Type = e.ref(x.Extends.File, x.Extends.Name)
		}
		for _, fn := range x.Functions {
			z := rawNamed{Name: fn.Name, Doc: fn.Doc, Annotations: fn.Annotations, Oneway: fn.Oneway, Members: e.fields(fn.Args)}
			if fn.Result != nil {
				z.Result = e.fields(fn.Result)
			}
			y.Members = append(y.Members, z)
		}
		r.Services = append(r.Services, y)
	}
	return r
}

func (e *encoder) fields(s *Struct) (list []rawNamed) {
	for _, x := range s.Fields {
		y := rawNamed{Name: x.Name, Doc: x.Doc, Annotations: x.Annotations, ID: x.ID, Type: e.typ(x.Type)}
		if x.Requiredness != Default {
			y.Kind = string(x.Requiredness)
		}
		if x.Default != nil {
			y.Value = e.value(x.Type, x.Default)
		}
		list = append(list, y)
	}
	return list
}

func (e *encoder) value(t *Type, v *Value) *rawValue {
	if v.Const != nil {
		return &rawValue{Const: e.ref(v.Const.File, v.Const.Name)}
	}
	r := new(rawValue)
	switch t.Kind {
	case Bool:
		r.Bool = v.Bool
	case Double:
		r.Double = strconv.FormatFloat(v.Double, 'g', -1, 64)
	case String, Binary, UUID:
		r.Bytes = []byte(v.String)
	case List, SetKind:
		for _, x := range v.List {
			r.List = append(r.List, e.value(t.Elem, x))
		}
	case Map:
		for _, x := range v.Map {
			r.Map = append(r.Map, [2]*rawValue{e.value(t.Key, x.Key), e.value(t.Elem, x.Value)})
		}
	case StructKind:
		for _, x := range v.Fields {
			r.Fields = append(r.Fields, rawFieldValue{x.Field.ID, e.value(x.Field.Type, x.Value)})
		}
	default:
		r.Int = v.Int
	}
	return r
}
