package codec

import (
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// A shape is a type as the struct tags of generated code tell it, for what is
// done by reflection: explaining errors and printing.
type shape struct {
	wire   Type
	binary bool   // a string that is a binary: not text
	key    *shape // of a map
	elem   *shape // of a list, set or map
	fields *structShape
}

type structShape struct {
	name   string
	union  bool
	keeps  bool // fields that aren't known
	fields []fieldShape
	byID   map[int16]int // index of fields
}

type fieldShape struct {
	id       int16
	name     string
	required bool
	index    int // of the Go field
	typ      *shape
}

func (s *structShape) field(id int16) *fieldShape {
	if k, ok := s.byID[id]; ok {
		return &s.fields[k]
	}
	return nil
}

var structShapes sync.Map // reflect.Type of the struct to *structShape

// shapeOf is the shape of a struct type. Types that refer to themselves get
// shapes that do.
func shapeOf(t reflect.Type) *structShape {
	if s, ok := structShapes.Load(t); ok {
		return s.(*structShape)
	}
	made := map[reflect.Type]*structShape{}
	s := makeShape(t, made)
	for t, s := range made {
		structShapes.LoadOrStore(t, s)
	}
	return s
}

type unionType interface{ Which() (int16, bool) }

func makeShape(t reflect.Type, made map[reflect.Type]*structShape) *structShape {
	if s, ok := structShapes.Load(t); ok {
		return s.(*structShape)
	}
	if s := made[t]; s != nil {
		return s
	}
	s := &structShape{name: t.Name(), byID: map[int16]int{}}
	made[t] = s
	s.union = reflect.PointerTo(t).Implements(reflect.TypeFor[unionType]())
	if u, ok := t.FieldByName("UnknownFields"); ok {
		s.keeps = u.Type == reflect.TypeFor[Unknown]()
	}
	for k := range t.NumField() {
		f := t.Field(k)
		// name,id,requiredness,type: the type may have commas of its own.
		parts := strings.SplitN(f.Tag.Get("thrift"), ",", 4)
		if len(parts) < 4 {
			continue
		}
		id, err := strconv.ParseInt(parts[1], 10, 16)
		if err != nil {
			continue
		}
		text := parts[3]
		s.byID[int16(id)] = len(s.fields)
		s.fields = append(s.fields, fieldShape{
			id: int16(id), name: parts[0], required: parts[2] == "required", index: k,
			typ: parseShape(&text, f.Type, made),
		})
	}
	return s
}

var baseTypes = map[string]Type{
	"bool": TypeBool, "byte": TypeI8, "i8": TypeI8, "i16": TypeI16, "i32": TypeI32, "i64": TypeI64,
	"double": TypeDouble, "string": TypeString, "binary": TypeString, "uuid": TypeUUID,
	"list": TypeList, "set": TypeSet, "map": TypeMap,
}

// parseShape takes a type off the front of text; t is its Go type.
func parseShape(text *string, t reflect.Type, made map[reflect.Type]*structShape) *shape {
	end := strings.IndexAny(*text, "<>,")
	if end < 0 {
		end = len(*text)
	}
	name := (*text)[:end]
	*text = (*text)[end:]
	s := &shape{wire: baseTypes[name], binary: name == "binary"}
	next := func() { // over < , or >
		if *text != "" {
			*text = (*text)[1:]
		}
	}
	switch s.wire {
	case TypeList, TypeSet:
		next()
		s.elem = parseShape(text, t.Elem(), made)
		next()
	case TypeMap:
		key, value := pairTypes(t)
		next()
		s.key = parseShape(text, key, made)
		next()
		s.elem = parseShape(text, value, made)
		next()
	case TypeStop: // a name: an enum or a struct
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			s.wire = TypeI32
			break
		}
		s.wire = TypeStruct
		s.fields = makeShape(t, made)
	}
	return s
}

// pairTypes are the types of the keys and values of a map or a list of
// pairs.
func pairTypes(t reflect.Type) (key, value reflect.Type) {
	if t.Kind() == reflect.Map {
		return t.Key(), t.Elem()
	}
	pair := t.Elem()
	return pair.Field(0).Type, pair.Field(1).Type
}
