package codec

import (
	"reflect"
	"sync"
)

// Some types take a lot of memory for their size on the wire in any message: a list of small
// numbers in the compact protocol, of short strings, of structs that are mostly empty, a map.
// How much that is, the types say themselves. It is asked only for messages beyond smallMessage.

// proven raises what a large message may take to what its type proves to be legitimate.
func (d *Decoder) proven(m any, compact bool) {
	if t := reflect.TypeOf(m); d.limits.Amplify == 0 && t.Kind() == reflect.Pointer {
		more := multiply(factorOf(t.Elem(), compact)-leastAmplify, len(d.buf)-smallMessage)
		d.memory += more
		d.allowed += more
	}
}

// factors are what factorOf has found.
var factors sync.Map

type factorKey struct {
	t       reflect.Type
	compact bool
}

// factorOf is how many times its size a large message of the struct type t may take.
func factorOf(t reflect.Type, compact bool) int {
	key := factorKey{t, compact}
	if n, ok := factors.Load(key); ok {
		return n.(int)
	}
	f := factorFinder{compact: compact, seen: map[reflect.Type]bool{}, most: leastAmplify}
	f.structure(shapeOf(t), t)
	n := min(f.most, DefaultAmplify)
	factors.Store(key, n)
	return n
}

// A factorFinder looks for the elements that take most for their size.
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
	for _, x := range s.fields {
		f.value(x.typ, t.Field(x.index).Type)
	}
}

func (f *factorFinder) value(s *shape, t reflect.Type) {
	switch s.wire {
	case TypeStruct:
		t, _ = structOf(t)
		f.structure(s.fields, t)
	case TypeList, TypeSet:
		slot, more, wire := f.element(s.elem, t.Elem())
		// A list that grows is charged for its last array and for those before it.
		f.found(slot*7/4+more, wire)
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
// a letter, containers with one small element, structs whose optional fields are absent.
func (f *factorFinder) element(s *shape, t reflect.Type) (slot, more, wire int) {
	slot = int(t.Size())
	head := func(binary int) int {
		if f.compact {
			return 1
		}
		return binary
	}
	switch s.wire {
	case TypeString:
		return slot, 1, head(4) + 1
	case TypeList, TypeSet:
		return slot, 0, head(5) + 1
	case TypeMap:
		return slot, mapSize, head(6) + 2
	case TypeStruct:
		t, pointer := structOf(t)
		wire = 1
		for _, x := range s.fields.fields {
			field := t.Field(x.index).Type
			if k := field.Kind(); k != reflect.Pointer {
				wire += head(3)
				if k != reflect.Bool || !f.compact {
					wire += head(leastSize(field))
				}
			}
		}
		if !pointer {
			return slot, 0, wire
		}
		return slot, slot + int(t.Size()), wire
	case TypeDouble, TypeUUID:
		return slot, 0, slot
	}
	return slot, 0, head(slot)
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
