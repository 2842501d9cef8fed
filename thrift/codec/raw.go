package codec

// Raw is a struct as it is on the wire, for programs that learn its type at run time only.
type Raw struct {
	Binary []byte // in the binary protocol, with its end
	Shape  *Shape // for the JSON protocol, which has no fields without it
}

func (r *Raw) jsonShape() *structShape {
	if r.Shape == nil {
		return new(structShape) // without fields
	}
	return &r.Shape.structShape
}

// AppendBinary appends the struct as it is.
func (r *Raw) AppendBinary(b []byte) ([]byte, error) { return append(b, r.Binary...), nil }

// AppendCompact appends the struct in the compact protocol.
func (r *Raw) AppendCompact(b []byte) ([]byte, error) {
	return append(Unknown(r.Binary).Compact(b, 0), 0), nil
}

// ThriftDecodeBinary copies a struct, whose lengths and depth it checks.
func (r *Raw) ThriftDecodeBinary(d *Decoder, i int) int {
	end := d.skipBinaryNested(d.buf, i, TypeStruct)
	if end >= 0 {
		r.Binary = append(r.Binary[:0], d.buf[i:end]...)
	}
	return end
}

// ThriftDecodeCompact is ThriftDecodeBinary for the compact protocol.
func (r *Raw) ThriftDecodeCompact(d *Decoder, i int) int {
	end := d.skipCompactNested(d.buf, i, TypeStruct)
	if end >= 0 {
		r.Binary, _ = toBinary(r.Binary[:0], d.buf, i, TypeStruct)
	}
	return end
}

// A Shape is the type of a [Raw]. One that refers to itself is made before its fields.
type Shape struct{ structShape }

// NewShape makes the shape of a struct or a union, without fields.
func NewShape(name string, union bool) *Shape {
	return &Shape{structShape{name: name, union: union, byID: map[int16]int{}}}
}

// Add adds a field.
func (s *Shape) Add(id int16, name string, required bool, t ShapeType) {
	s.byID[id] = len(s.fields)
	s.fields = append(s.fields, fieldShape{id: id, name: name, required: required, typ: t.shape()})
}

// A ShapeType is the type of a field of a [Shape].
type ShapeType struct {
	Wire      Type
	Binary    bool       // a string that is a binary
	Key, Elem *ShapeType // of containers
	Struct    *Shape
}

func (t *ShapeType) shape() *shape {
	s := &shape{wire: t.Wire, binary: t.Binary}
	if t.Key != nil {
		s.key = t.Key.shape()
	}
	if t.Elem != nil {
		s.elem = t.Elem.shape()
	}
	if t.Struct != nil {
		s.fields = &t.Struct.structShape
	}
	return s
}
