package codec

import (
	"errors"
	"math"
	"reflect"
	"unsafe"
)

// An ElementReader decodes structs that follow each other in a window of the input, whose rest
// may not have arrived yet. It is what package thrift reads streams with.
//
// A decoder that runs into the end of the window fails like one whose input is wrong. Which of
// them it is, the caller finds out by looking for the struct's end; so nothing is looked for as
// long as all is well.
type ElementReader struct {
	d       Decoder
	opt     Options
	compact bool
}

// NewElementReader makes a reader of structs that are in so many others.
func NewElementReader(opt Options, compact bool, within int) *ElementReader {
	r := &ElementReader{opt: opt, compact: compact}
	l := opt.Limits.WithDefaults()
	r.opt.Limits.Depth = max(l.Depth-within, 0)
	if r.opt.Limits.Depth == 0 {
		r.opt.Limits.Depth = -1 // 0 would be the default
	}
	return r
}

// Window says where the structs are from now on.
func (r *ElementReader) Window(b []byte) { r.d.start(b, &r.opt) }

// Next decodes the struct at i of the window. It returns the position after it, or a negative
// number: the struct is wrong, or not all there, or has to be looked at by [ElementReader.Exactly].
// fresh says that the struct was made for it.
func (r *ElementReader) Next(m Body, i int, fresh bool) int {
	d := &r.d
	left := len(d.buf) - i
	// The most that a struct may take which fills the rest of the window, of a type that proves
	// the need. What it takes is compared with its own size in the end.
	allowed := d.limits.memory(left)
	if d.limits.Amplify == 0 {
		allowed = amplified(amplifySmall, left)
	}
	d.memory = allowed
	d.credit = 2*int64(left) + 512
	d.depth = d.limits.Depth
	d.paid = false
	d.path = ""
	d.texts.next() // who keeps a struct doesn't keep the others
	d.slabs.next()
	if !d.Enter() {
		return -1
	}
	d.Into(fresh)
	var end int
	if r.compact {
		end = d.end(m.ThriftDecodeCompact(d, i))
	} else {
		end = d.end(m.ThriftDecodeBinary(d, i))
	}
	if end < 0 {
		return -1
	}
	size := end - i
	if size > d.limits.Message || allowed-d.memory > d.limits.memory(size) {
		return -1
	}
	return end
}

// Exactly decodes m from the beginning of b, as a message of its own.
func (r *ElementReader) Exactly(m Body, b []byte) (n int, err error) {
	if r.compact {
		return DecodeCompact(b, m, r.opt)
	}
	return DecodeBinary(b, m, r.opt)
}

// Relocate makes the error of a struct that was decoded by itself one of the whole input: the
// struct is at that path, and at that byte.
func Relocate(err error, path string, m any, offset int64) error {
	var e *DecodeError
	if !errors.As(err, &e) {
		return err
	}
	moved := *e
	moved.Path = path
	if name := typeOf(m).Name(); len(e.Path) >= len(name) && e.Path[:len(name)] == name {
		moved.Path += e.Path[len(name):]
	}
	moved.Offset = int(min(int64(e.Offset)+offset, math.MaxInt))
	return &moved
}

// A ListField is a field that holds a list or set of structs.
type ListField struct {
	Struct string // name of the struct that has it
	Name   string
	ID     int16
	Type   Type // TypeList or TypeSet
}

// FieldAt finds the field of m that is at an address. It has to hold a list or set of structs.
func FieldAt(m any, address unsafe.Pointer) (f ListField, ok bool) {
	v := reflect.ValueOf(m)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return f, false
	}
	t := v.Type().Elem()
	s := shapeOf(t)
	for _, x := range s.fields {
		field := t.Field(x.index)
		if field.Type.Kind() != reflect.Slice || x.typ.elem == nil || x.typ.elem.wire != TypeStruct ||
			unsafe.Add(v.UnsafePointer(), field.Offset) != address {
			continue
		}
		return ListField{Struct: s.name, Name: x.name, ID: x.id, Type: x.typ.wire}, true
	}
	return f, false
}

// StructName is the name of the struct that m points to.
func StructName(m any) string { return shapeOf(typeOf(m)).name }

// FindField returns where in b, a struct that we have written ourselves, the value of a field
// begins and ends; negative numbers if it isn't there.
func FindField(b []byte, compact bool, id int16) (start, end int) {
	var in wireReader = &binaryReader{b}
	if compact {
		in = &compactReader{b: b}
	}
	e := newExplainer(in, len(b), Limits{}.WithDefaults(), false)
	e.depth = math.MaxInt32
	var before int16
	for i := 0; ; {
		at, t, inHead, next := in.field(i, before)
		if next < 0 || t == TypeStop {
			return -1, -1
		}
		before, i = at, next
		if !inHead {
			if i = e.skip(t, i); i < 0 {
				return -1, -1
			}
		}
		if at == id {
			return next, i
		}
	}
}
