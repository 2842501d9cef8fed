package codec

import (
	"reflect"
	"strings"
	"sync"
)

// A message may take four times its size. Some types need more for messages with nothing
// extraordinary in them: lists of small numbers in the compact protocol, of short strings, of
// structs that are mostly empty, and maps. How much that is, the types say themselves. They are
// asked for messages beyond askFrom; smaller ones are decoded again in the rare case that they
// need more than the 64 KB that every message may take.

// askFrom is the size from which to ask is cheap beside decoding.
const askFrom = 16 << 10

// proven raises what the message may take to what its type proves to be legitimate.
func (d *Decoder) proven(m any, compact bool) {
	if t := reflect.TypeOf(m); d.limits.Amplify == 0 && t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct {
		d.allowed = amplified(factorOf(t.Elem(), compact), len(d.buf))
		d.memory = d.allowed
	}
}

// again prepares the decoding of a message that has failed for want of memory, if its type
// allows it more.
//
//go:noinline
func (d *Decoder) again(m any, compact bool, opt *Options) bool {
	if d.memory >= 0 || len(d.buf) > askFrom {
		return false
	}
	before := d.allowed
	d.start(d.buf, opt)
	d.path = ""
	d.proven(m, compact)
	return d.allowed > before
}

// factors are what factorOf has found, for the binary and for the compact protocol.
var factors [2]sync.Map

// factorOf is how many times its size a message of the struct type t may take, before
// amplified limits it.
func factorOf(t reflect.Type, compact bool) int {
	known := &factors[Byte(compact)]
	if n, ok := known.Load(t); ok {
		return n.(int)
	}
	f := factorFinder{compact: compact, seen: map[reflect.Type]bool{}, most: leastAmplify}
	f.structure(shapeOf(t), t)
	known.Store(t, f.most)
	return f.most
}

// A factorFinder looks for the parts of a message that take most for their size. A whole never
// takes more for its size than the worst of its parts.
type factorFinder struct {
	compact bool
	seen    map[reflect.Type]bool
	most    int
}

func (f *factorFinder) structure(s *structShape, t reflect.Type) {
	if f.seen[t] {
		return
	}
	f.seen[t] = true
	if u, ok := t.FieldByName("UnknownFields"); ok && u.Type == reflect.TypeFor[Unknown]() {
		f.found(8, 1) // what a decoder charges for them
	}
	for _, x := range s.fields {
		field := t.Field(x.index).Type
		f.field(x.typ, field)
		f.value(x.typ, field)
	}
}

// field looks at what a field of a struct takes beyond its place there, with as little in it as
// may be.
func (f *factorFinder) field(s *shape, t reflect.Type) {
	head := f.head(3)
	switch s.wire {
	case TypeStruct:
		t, _ = structOf(t)
		memory, wire := f.least(s.fields, t)
		f.found(memory, head+wire)
	case TypeString:
		if t.Kind() == reflect.Pointer {
			f.found(int(t.Elem().Size())+1, head+f.head(4)+1)
		}
	case TypeList, TypeSet:
		slot, more, wire := f.element(s.elem, t.Elem())
		f.found(slot+more, head+f.head(5)+wire)
	case TypeMap:
		key, value := pairTypes(t)
		k, moreK, wireK := f.element(s.key, key)
		v, moreV, wireV := f.element(s.elem, value)
		empty := head + f.head(6)
		f.found(mapSize, empty)
		f.found(int(mapCost(1, k+v))+moreK+moreV, empty+f.head(0)+wireK+wireV)
	default:
		if t.Kind() == reflect.Pointer {
			f.found(int(t.Elem().Size()), head+f.head(int(t.Elem().Size())))
		}
	}
}

// head is how many bytes something takes at least that has so many in the binary protocol.
func (f *factorFinder) head(binary int) int {
	if f.compact {
		return 1
	}
	return binary
}

func (f *factorFinder) value(s *shape, t reflect.Type) {
	switch s.wire {
	case TypeStruct:
		t, _ = structOf(t)
		f.structure(s.fields, t)
	case TypeList, TypeSet:
		slot, more, wire := f.element(s.elem, t.Elem())
		// A list that grows is charged for its last array and for those before it: three times,
		// if it has just grown.
		f.found(3*slot+more, wire)
		f.value(s.elem, t.Elem())
	case TypeMap:
		key, value := pairTypes(t)
		k, moreK, wireK := f.element(s.key, key)
		v, moreV, wireV := f.element(s.elem, value)
		// The same for the tables of a map, see Decoder.AffordMap.
		f.found((k+v)*7/3+2+moreK+moreV, wireK+wireV)
		f.value(s.key, key)
		f.value(s.elem, value)
	}
}

func (f *factorFinder) found(memory, wire int) { f.most = max(f.most, (memory+wire-1)/wire) }

// element is what a small element takes in an array and beyond it, and on the wire: strings of
// a letter, containers with one small element, structs whose fields are absent where they may be.
func (f *factorFinder) element(s *shape, t reflect.Type) (slot, more, wire int) {
	slot = int(t.Size())
	switch s.wire {
	case TypeString:
		return slot, 1, f.head(4) + 1
	case TypeList, TypeSet:
		return slot, 0, f.head(5) + 1
	case TypeMap:
		return slot, mapSize, f.head(6) + 2
	case TypeStruct:
		t, pointer := structOf(t)
		memory, wire := f.least(s.fields, t)
		if !pointer {
			return slot, memory - slot, wire
		}
		return slot + int(t.Size()), memory - int(t.Size()), wire // they are in an array of their own
	case TypeDouble, TypeUUID:
		return slot, 0, slot
	}
	return slot, 0, f.head(slot)
}

// least is what a struct takes in memory, with its defaults, and on the wire, if the fields are
// absent that may be: those that are optional, and texts, containers and structs that aren't
// required, which some of Apache's libraries leave out if there is nothing in them.
func (f *factorFinder) least(s *structShape, t reflect.Type) (memory, wire int) {
	wire = 1
	for _, x := range s.fields {
		field := t.Field(x.index)
		optional := strings.Contains(field.Tag.Get("thrift"), ",optional,")
		switch field.Type.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.String, reflect.Struct:
			optional = !x.required
		}
		if optional {
			continue
		}
		wire += f.head(3)
		if x.typ.wire == TypeStruct || x.typ.wire == TypeBool && f.compact {
			wire += int(1 - Byte(x.typ.wire == TypeBool))
		} else {
			wire += f.head(leastSize(field.Type))
		}
	}
	if s.union { // has one of them
		wire += f.head(4)
	}
	return int(t.Size()) + defaultsOf(t), wire
}

// defaultsOf is what the defaults of a struct's fields take: its decoder says so before it reads
// anything.
func defaultsOf(t reflect.Type) int {
	const plenty = 1 << 40
	d := Decoder{buf: []byte{0}, memory: plenty, depth: 1, paid: true}
	switch m := reflect.New(t).Interface().(type) {
	case BinaryDecoder:
		m.ThriftDecodeBinary(&d, 0)
	case CompactDecoder:
		m.ThriftDecodeCompact(&d, 0)
	}
	return int(plenty - d.memory)
}

// structOf is the type of a struct that a container has itself or by a pointer.
func structOf(t reflect.Type) (s reflect.Type, pointer bool) {
	if t.Kind() == reflect.Pointer {
		return t.Elem(), true
	}
	return t, false
}

// leastSize is how many bytes a value takes in the binary protocol at least.
func leastSize(t reflect.Type) int {
	switch t.Kind() {
	case reflect.String:
		return 4
	case reflect.Slice:
		return 5
	case reflect.Map:
		return 6
	}
	return int(t.Size())
}
