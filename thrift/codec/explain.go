package codec

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// BinaryError is the error of a decoder that came back with i: the
// position where it gave up, or where it was done before the end.
//
//go:noinline
func (d *Decoder) BinaryError(m any, i int) error {
	return d.explain(m, &binaryReader{d.buf}, d.buf, i)
}

// CompactError is [Decoder.BinaryError] for the compact protocol.
//
//go:noinline
func (d *Decoder) CompactError(m any, i int) error {
	return d.explain(m, &compactReader{b: d.buf}, d.buf, i)
}

// explain finds out why the generated decoder gave up, with a decoder of its
// own that knows the message by the struct tags and keeps nothing. It is the
// reference: both must agree on every input, which the fuzz tests hold them
// to.
func (d *Decoder) explain(m any, in wireReader, b []byte, i int) error {
	s := shapeOf(reflect.TypeOf(m).Elem())
	e := newExplainer(in, len(b), d.limits, d.utf8)
	if most := d.limits.Message; len(b) > most {
		return &DecodeError{Path: s.name, Err: ErrLimit, Detail: fmt.Sprintf("message of %d bytes is over the limit of %d", len(b), most)}
	}
	if i >= 0 {
		unit := "bytes"
		if len(b)-i == 1 {
			unit = "byte"
		}
		return &DecodeError{Path: s.name, Offset: i, Err: ErrTrailing, Detail: fmt.Sprintf("%d %s more than the message", len(b)-i, unit)}
	}
	if d.memory < 0 {
		e.stop = ^i
		e.memory = d.allowed
	}
	end := e.structure(s, 0)
	if end >= 0 && e.stop >= 0 { // nothing but the memory, and no single place
		e.stop = 0
		e.exhausted(0)
		e.err.Offset = end
		end = -1
	}
	if end >= 0 {
		return &DecodeError{Path: s.name, Offset: ^i, Err: ErrMalformed,
			Detail: "a mistake of seam: its fast decoder refused what its reference accepts; please report it,"}
	}
	// The decoder's own path may end above the field: not every place adds one.
	if !strings.HasPrefix(e.err.Path, d.path) {
		e.err.Path = d.path
	}
	e.err.Path = s.name + e.err.Path
	return e.err
}

// A wireReader reads a protocol's heads and values; positions are as in
// [Decoder].
type wireReader interface {
	// field returns TypeStop at the end of a struct, and for a bool that is in
	// the head a position that is after it already.
	field(i int, before int16) (id int16, t Type, inHead bool, next int)
	list(i int) (elem Type, n, next int)
	pairs(i int) (key, value Type, n, next int)
	length(i int) (n, next int)
	// scalar passes over a number, a bool or a UUID.
	scalar(i int, t Type) (next int)
	least(t Type) int
}

type explainer struct {
	in        wireReader
	size      int
	depth     int
	container int
	text      int
	utf8      bool
	stop      int   // where memory ran out, or -1
	memory    int64 // that the message may take
	err       *DecodeError
}

func newExplainer(in wireReader, size int, l Limits, utf8 bool) *explainer {
	return &explainer{in: in, size: size, depth: l.Depth, container: l.Container, text: l.String, utf8: utf8, stop: -1}
}

// at makes the error of this place. Callers put their step before its path.
func (e *explainer) at(i int, err error, format string, args ...any) int {
	e.err = &DecodeError{Offset: i, Err: err, Detail: fmt.Sprintf(format, args...)}
	return -1
}

func (e *explainer) truncated(i int) int {
	// The offset is that of the end, where the rest is missing.
	return e.at(max(i, e.size), ErrTruncated, "")
}

func (e *explainer) within(step string) int {
	e.err.Path = step + e.err.Path
	return -1
}

func (e *explainer) exhausted(i int) bool {
	if e.stop < 0 || i < e.stop {
		return false
	}
	e.at(i, ErrLimit, "message of %d bytes takes more than the %d bytes of memory that it may (Limits.Amplify)", e.size, e.memory)
	return true
}

func (e *explainer) structure(s *structShape, i int) int {
	if e.depth--; e.depth < 0 {
		return e.at(i, ErrDepth, "structs are nested deeper than the limit (Limits.Depth)")
	}
	seen := map[int16]bool{}
	unknown := 0
	var before int16
	for {
		id, t, inHead, next := e.in.field(i, before)
		if next < 0 {
			return e.head(i, next)
		}
		if t == TypeStop {
			i = next
			break
		}
		before = id
		if least[t] == 0 {
			return e.at(i, ErrMalformed, "field %d has a type that doesn't exist (%v)", id, t)
		}
		f := s.field(id)
		if f == nil || f.typ.wire != t {
			unknown = 1
			if !inHead {
				if next = e.skip(t, next); next < 0 {
					return e.within(".field " + strconv.Itoa(int(id)))
				}
			}
			i = next
			continue
		}
		seen[id] = true
		if !inHead {
			if next = e.value(f.typ, next); next < 0 {
				return e.within("." + f.name)
			}
		}
		i = next
	}
	e.depth++
	if s.union {
		if n := len(seen) + unknown; n != 1 {
			return e.at(i, ErrUnion, "union needs exactly one field and has %s", [...]string{"none", "", "more"}[min(n, 2)])
		}
	}
	for _, f := range s.fields {
		if f.required && !seen[f.id] {
			e.at(i, ErrRequired, "")
			return e.within("." + f.name)
		}
	}
	return i
}

// head makes the error of a head or number at i that can't be read. In the
// binary protocol there is only one reason.
func (e *explainer) head(i, next int) int {
	if _, ok := e.in.(*compactReader); ok && ^next < e.size {
		return e.at(^next, ErrMalformed, "number has more bits than it may")
	}
	return e.truncated(i)
}

func (e *explainer) value(s *shape, i int) int {
	switch s.wire {
	case TypeStruct:
		if e.exhausted(i) {
			return -1
		}
		return e.structure(s.fields, i)
	case TypeString:
		return e.string(i, true, !s.binary)
	case TypeList, TypeSet:
		t, n, next := e.in.list(i)
		if next < 0 {
			return e.head(i, next)
		}
		if n == 0 {
			return next
		}
		if t != s.elem.wire {
			return e.at(i, ErrType, "%v of %v expected, found one of %v", s.wire, s.elem.wire, t)
		}
		if !e.enough(i, next, n, e.in.least(t), s.wire) {
			return -1
		}
		i = next
		for k := range n {
			if e.exhausted(i) {
				i = -1
			} else {
				i = e.value(s.elem, i)
			}
			if i < 0 {
				return e.within("[" + strconv.Itoa(k) + "]")
			}
		}
		return i
	case TypeMap:
		key, value, n, next := e.in.pairs(i)
		if next < 0 {
			return e.head(i, next)
		}
		if n == 0 {
			if e.exhausted(next) { // an empty map takes memory too
				return -1
			}
			return next
		}
		if key != s.key.wire || value != s.elem.wire {
			return e.at(i, ErrType, "map from %v to %v expected, found one from %v to %v", s.key.wire, s.elem.wire, key, value)
		}
		if !e.enough(i, next, n, e.in.least(key)+e.in.least(value), TypeMap) {
			return -1
		}
		i = next
		for k := range n {
			if e.exhausted(i) {
				return e.within("[" + strconv.Itoa(k) + "]")
			}
			if i = e.value(s.key, i); i < 0 {
				return e.within("[" + strconv.Itoa(k) + "].key")
			}
			if i = e.value(s.elem, i); i < 0 {
				return e.within("[" + strconv.Itoa(k) + "].value")
			}
		}
		return i
	}
	return e.scalar(s.wire, i)
}

func (e *explainer) scalar(t Type, i int) int {
	next := e.in.scalar(i, t)
	switch {
	case next >= 0:
		return next
	case t == TypeI16 || t == TypeI32 || t == TypeI64:
		return e.head(i, next)
	}
	return e.truncated(i)
}

// enough reports whether a container that claims n elements may have them and
// the input can hold them.
func (e *explainer) enough(i, next, n, each int, t Type) bool {
	switch {
	case n < 0 || n > e.container:
		if n >= 0 && e.container < math.MaxInt32 {
			e.at(i, ErrLimit, "%v of %d elements is over the limit of %d", t, n, e.container)
			return false
		}
		fallthrough
	case n > (e.size-next)/each:
		e.at(i, ErrLength, "%v claims %d elements, more than the %d bytes behind it can hold", t, uint32(n), e.size-next)
		return false
	}
	return true
}

// string passes over a string. Limits and encoding are those of known fields.
func (e *explainer) string(i int, known, text bool) int {
	n, next := e.in.length(i)
	switch {
	case next < 0:
		return e.head(i, next)
	case n < 0 || n > e.size-next:
		return e.at(i, ErrLength, "string claims %d bytes, more than the %d behind it", uint32(n), e.size-next)
	case known && n > e.text:
		return e.at(i, ErrLimit, "string of %d bytes is over the limit of %d", n, e.text)
	case known && text && e.utf8 && !utf8.Valid(e.bytes()[next:next+n]):
		return e.at(next, ErrUTF8, "")
	}
	return next + n
}

func (e *explainer) bytes() []byte {
	switch in := e.in.(type) {
	case *binaryReader:
		return in.b
	case *compactReader:
		return in.b
	}
	return nil
}

// skip passes over a value of no known type.
func (e *explainer) skip(t Type, i int) int {
	switch t {
	case TypeString:
		return e.string(i, false, false)
	case TypeStruct, TypeList, TypeSet, TypeMap:
		if e.depth--; e.depth < 0 {
			return e.at(i, ErrDepth, "unknown fields are nested deeper than the limit (Limits.Depth)")
		}
		i = e.skipNested(t, i)
		e.depth++
		return i
	}
	return e.scalar(t, i)
}

func (e *explainer) skipNested(t Type, i int) int {
	var first, second Type
	var n, next int
	switch t {
	case TypeStruct:
		var before int16
		for {
			id, t, inHead, next := e.in.field(i, before)
			if next < 0 {
				return e.head(i, next)
			}
			if t == TypeStop {
				return next
			}
			if least[t] == 0 {
				return e.at(i, ErrMalformed, "field %d has a type that doesn't exist (%v)", id, t)
			}
			before = id
			if i = next; !inHead {
				if i = e.skip(t, i); i < 0 {
					return i
				}
			}
		}
	case TypeMap:
		first, second, n, next = e.in.pairs(i)
	default:
		first, n, next = e.in.list(i)
	}
	if next < 0 {
		return e.head(i, next)
	}
	if n == 0 {
		return next
	}
	if least[first] == 0 || second != TypeStop && least[second] == 0 || t == TypeMap && second == TypeStop {
		return e.at(i, ErrMalformed, "%v of a type that doesn't exist", t)
	}
	each := e.in.least(first)
	if second != TypeStop {
		each += e.in.least(second)
	}
	if n < 0 || n > (e.size-next)/each {
		return e.at(i, ErrLength, "%v claims %d elements, more than the %d bytes behind it can hold", t, uint32(n), e.size-next)
	}
	i = next
	for range n {
		if i = e.skip(first, i); i < 0 {
			return i
		}
		if second != TypeStop {
			if i = e.skip(second, i); i < 0 {
				return i
			}
		}
	}
	return i
}

type binaryReader struct{ b []byte }

func (r *binaryReader) field(i int, _ int16) (int16, Type, bool, int) {
	switch {
	case len(r.b)-i < 1:
		return 0, 0, false, ^i
	case r.b[i] == 0:
		return 0, TypeStop, false, i + 1
	case len(r.b)-i < 3:
		return 0, 0, false, ^i
	}
	return int16(r.b[i+1])<<8 | int16(r.b[i+2]), Type(r.b[i]), false, i + 3
}

func (r *binaryReader) list(i int) (Type, int, int) {
	if len(r.b)-i < 5 {
		return 0, 0, ^i
	}
	return Type(r.b[i]), int(load32(r.b, i+1)), i + 5
}

func (r *binaryReader) pairs(i int) (Type, Type, int, int) {
	if len(r.b)-i < 6 {
		return 0, 0, 0, ^i
	}
	return Type(r.b[i]), Type(r.b[i+1]), int(load32(r.b, i+2)), i + 6
}

func (r *binaryReader) length(i int) (int, int) {
	if len(r.b)-i < 4 {
		return 0, ^i
	}
	return int(load32(r.b, i)), i + 4
}

func (r *binaryReader) scalar(i int, t Type) int {
	if n := int(fixed[t]); len(r.b)-i >= n {
		return i + n
	}
	return ^i
}

func (*binaryReader) least(t Type) int { return int(least[t]) }

type compactReader struct{ b []byte }

func (r *compactReader) field(i int, before int16) (int16, Type, bool, int) {
	key, next := compactField(r.b, i, int(before)<<4)
	if next < 0 {
		return 0, 0, false, next
	}
	if key&15 == 0 {
		return 0, TypeStop, false, next
	}
	t := fromCompact[key&15]
	if t == TypeStop { // 14 and 15
		t = Type(0xF0 | key&15)
	}
	return int16(key >> 4), t, t == TypeBool, next
}

func (r *compactReader) list(i int) (Type, int, int) { return compactListHead(r.b, i) }

func (r *compactReader) pairs(i int) (Type, Type, int, int) { return compactMapHead(r.b, i) }

func (r *compactReader) length(i int) (int, int) { return compactLength(r.b, i) }

func (r *compactReader) scalar(i int, t Type) int {
	switch t {
	case TypeI16:
		_, i = varint16(r.b, i)
		return i
	case TypeI32:
		_, i = varint32(r.b, i)
		return i
	case TypeI64:
		_, i = varint64(r.b, i)
		return i
	}
	if n := int(fixed[t]); len(r.b)-i >= n {
		return i + n
	}
	return ^i
}

func (*compactReader) least(t Type) int { return int(leastCompact[t]) }
