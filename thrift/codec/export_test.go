package codec

import (
	"encoding/binary"
	"reflect"
)

// InCompact says which protocol a test speaks.
type InCompact bool

func (c InCompact) String() string {
	if c {
		return "compact"
	}
	return "binary"
}

func reader(b []byte, c InCompact) wireReader {
	if c {
		return &compactReader{b: b}
	}
	return &binaryReader{b}
}

// Reference decodes b by the decoder that explains errors. It gives the
// position behind the message or an error.
func Reference(m any, b []byte, c InCompact, opt Options) (int, error) {
	e := newExplainer(reader(b, c), len(b), opt.Limits.WithDefaults(), opt.UTF8)
	s := shapeOf(reflect.TypeOf(m).Elem())
	if end := e.structure(s, 0); end >= 0 {
		return end, nil
	}
	e.err.Path = s.name + e.err.Path
	return 0, e.err
}

// ReferenceSkip passes over a value by the decoder that explains errors. It
// gives the position after the value or -1.
func ReferenceSkip(b []byte, c InCompact, t Type, depth int) int {
	e := &explainer{in: reader(b, c), size: len(b), depth: depth, stop: -1}
	return e.skip(t, 0)
}

// Skip passes over a value as decoders do. It gives the position after the
// value or a negative number, and the depth that is left.
func Skip(b []byte, c InCompact, t Type, depth int) (next, left int) {
	d := Decoder{buf: b, depth: depth}
	if c {
		next = d.skipCompact(b, 0, t)
	} else {
		next = d.skipBinary(b, 0, t)
	}
	return next, d.depth
}

// KnownTypes are the types that a value can have.
var KnownTypes = []Type{TypeBool, TypeI8, TypeDouble, TypeI16, TypeI32, TypeI64, TypeString,
	TypeStruct, TypeMap, TypeSet, TypeList, TypeUUID}

// FieldHead is the head of field 1.
func FieldHead(c InCompact, t Type) []byte {
	if c {
		return []byte{0x10 | toCompact[t]}
	}
	return []byte{byte(t), 0, 1}
}

// Least is the fewest bytes that a value of a type takes in the binary
// protocol.
func Least(t Type) int { return int(least[t]) }

// Knows reports whether a message has a list or set of such elements.
func Knows(m any, id int16, container, elem Type) bool {
	f := shapeOf(reflect.TypeOf(m).Elem()).field(id)
	return f != nil && f.typ.wire == container && f.typ.elem.wire == elem
}

// Fields cuts a message into its fields, each with a head that says its number, so that it
// may stand anywhere.
func Fields(b []byte, c InCompact) (fields [][]byte) {
	d := Decoder{buf: b, depth: 100}
	for i, key := 0, 0; ; {
		if c {
			value := 0
			if key, value = d.CompactField(i, key); key == 0 {
				return fields
			}
			i = d.SkipCompactField(value, key)
			head := binary.AppendVarint([]byte{byte(key & 15)}, int64(int16(key>>4)))
			fields = append(fields, append(head, b[value:i]...))
			continue
		}
		h, head := d.BinaryField(i), i
		if h < 1<<16 {
			return fields
		}
		i = d.SkipBinaryField(i, h)
		fields = append(fields, b[head:i])
	}
}

// Factor is how many times its size a message may take, as its type proves, before that is bounded.
func Factor(m any, c InCompact) int { return factorOf(reflect.TypeOf(m).Elem(), bool(c)) }

// BeginSlabs begins a message that may take a lot.
func BeginSlabs(d *Decoder) {
	d.slabs.next()
	d.memory = 1 << 30
}
