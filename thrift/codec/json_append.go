package codec

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"
	"unicode/utf8"
)

// The names of types in Apache's JSON protocol.
var jsonNames = map[Type]string{
	TypeBool: "tf", TypeI8: "i8", TypeI16: "i16", TypeI32: "i32", TypeI64: "i64", TypeDouble: "dbl",
	TypeString: "str", TypeStruct: "rec", TypeMap: "map", TypeList: "lst", TypeSet: "set", TypeUUID: "uid",
}

// AppendJSON appends m in Apache's JSON protocol. It is written in the binary protocol
// first, and copied from there by the struct tags. Fields that --unknown has kept are left
// out.
func AppendJSON(b []byte, m BinaryMessage) ([]byte, error) { return appendJSON(b, m, false) }

// AppendSimpleJSON appends m in Apache's simple JSON protocol.
func AppendSimpleJSON(b []byte, m BinaryMessage) ([]byte, error) { return appendJSON(b, m, true) }

func appendJSON(b []byte, m BinaryMessage, simple bool) ([]byte, error) {
	in, err := m.AppendBinary(nil)
	if err != nil {
		return b, err
	}
	s := jsonShapeOf(m)
	w := &jsonWriter{in: in, out: b, simple: simple}
	w.structure(s, 0)
	if w.err != nil {
		w.err.Path = s.name + w.err.Path
		return b, w.err
	}
	return w.out, nil
}

// A jsonWriter copies a message of the binary protocol that we have written ourselves: what
// it says of lengths is true.
type jsonWriter struct {
	in, out []byte
	simple  bool // names of fields and no types
	err     *EncodeError
}

// structure copies the struct at i. It returns what follows it.
func (w *jsonWriter) structure(s *structShape, i int) int {
	w.out = append(w.out, '{')
	first := true
	for w.in[i] != 0 {
		t, id := Type(w.in[i]), int16(binary.BigEndian.Uint16(w.in[i+1:]))
		i += 3
		f := s.field(id)
		if f == nil {
			skipper := newExplainer(&binaryReader{w.in}, len(w.in), Limits{}.WithDefaults(), false)
			skipper.depth = math.MaxInt32
			i = skipper.skip(t, i)
			continue
		}
		if !first {
			w.out = append(w.out, ',')
		}
		first = false
		w.out = append(w.out, '"')
		if w.simple {
			w.out = append(append(w.out, f.name...), `":`...)
		} else {
			w.out = strconv.AppendInt(w.out, int64(id), 10)
			w.out = append(w.out, `":{"`...)
			w.out = append(w.out, jsonNames[t]...)
			w.out = append(w.out, `":`...)
		}
		i = w.value(f.typ, i)
		if w.err != nil {
			w.err.Path = "." + f.name + w.err.Path
			return i
		}
		if !w.simple {
			w.out = append(w.out, '}')
		}
	}
	w.out = append(w.out, '}')
	return i + 1
}

// key copies a map's key. JSON has strings only, so numbers are in quotes; structs and
// containers are written as they are, as in Apache's libraries.
func (w *jsonWriter) key(s *shape, i int) int {
	switch s.wire {
	case TypeString, TypeUUID, TypeStruct, TypeList, TypeSet, TypeMap:
		return w.value(s, i)
	case TypeDouble:
		if d := math.Float64frombits(binary.BigEndian.Uint64(w.in[i:])); math.IsNaN(d) || math.IsInf(d, 0) {
			return w.value(s, i) // has its quotes already
		}
	}
	w.out = append(w.out, '"')
	i = w.value(s, i)
	w.out = append(w.out, '"')
	return i
}

// value copies the value at i.
func (w *jsonWriter) value(s *shape, i int) int {
	in := w.in[i:]
	number := func(n int64, size int) int {
		w.out = strconv.AppendInt(w.out, n, 10)
		return i + size
	}
	switch s.wire {
	case TypeBool, TypeI8:
		return number(int64(int8(in[0])), 1)
	case TypeI16:
		return number(int64(int16(binary.BigEndian.Uint16(in))), 2)
	case TypeI32:
		return number(int64(int32(binary.BigEndian.Uint32(in))), 4)
	case TypeI64:
		return number(int64(binary.BigEndian.Uint64(in)), 8)
	case TypeDouble:
		w.double(math.Float64frombits(binary.BigEndian.Uint64(in)))
		return i + 8
	case TypeUUID:
		w.out = append(w.out, '"')
		w.out, _ = UUID(in[:16]).AppendText(w.out)
		w.out = append(w.out, '"')
		return i + 16
	case TypeString:
		n := int(binary.BigEndian.Uint32(in))
		w.text(in[4:4+n], s.binary)
		return i + 4 + n
	case TypeStruct:
		return w.structure(s.fields, i)
	case TypeList, TypeSet:
		n := int(binary.BigEndian.Uint32(in[1:]))
		i += 5
		if w.simple {
			return w.simpleList(s, i, n)
		}
		w.head(s.elem.wire, TypeStop, n)
		for range n {
			w.out = append(w.out, ',')
			i = w.value(s.elem, i)
		}
	case TypeMap:
		n := int(binary.BigEndian.Uint32(in[2:]))
		i += 6
		if w.simple {
			return w.simpleMap(s, i, n)
		}
		w.head(s.key.wire, s.elem.wire, n)
		w.out = append(w.out, ",{"...)
		for k := range n {
			if k > 0 {
				w.out = append(w.out, ',')
			}
			i = w.key(s.key, i)
			w.out = append(w.out, ':')
			i = w.value(s.elem, i)
			if w.err != nil {
				return i
			}
		}
		w.out = append(w.out, '}')
	}
	w.out = append(w.out, ']')
	return i
}

// simpleList copies the n elements at i.
func (w *jsonWriter) simpleList(s *shape, i, n int) int {
	w.out = append(w.out, '[')
	for k := range n {
		if k > 0 {
			w.out = append(w.out, ',')
		}
		i = w.value(s.elem, i)
	}
	w.out = append(w.out, ']')
	return i
}

// simpleMap copies the n pairs at i: to an object, or to a list where JSON has no such keys,
// for which Apache's libraries have an error.
func (w *jsonWriter) simpleMap(s *shape, i, n int) int {
	begin, key, middle, next, end := "{", "", ":", ",", "}"
	switch s.key.wire {
	case TypeStruct, TypeList, TypeSet, TypeMap:
		begin, key, middle, next, end = "[", `{"key":`, `,"value":`, "},", "}]"
		if n == 0 {
			end = "]"
		}
	}
	w.out = append(w.out, begin...)
	for k := range n {
		if k > 0 {
			w.out = append(w.out, next...)
		}
		w.out = append(w.out, key...)
		i = w.key(s.key, i)
		w.out = append(w.out, middle...)
		if i = w.value(s.elem, i); w.err != nil {
			return i
		}
	}
	w.out = append(w.out, end...)
	return i
}

// head writes the types and the number of elements of a container.
func (w *jsonWriter) head(first, second Type, n int) {
	w.out = append(append(append(w.out, `["`...), jsonNames[first]...), `",`...)
	if second != TypeStop {
		w.out = append(append(append(w.out, '"'), jsonNames[second]...), `",`...)
	}
	w.out = strconv.AppendInt(w.out, int64(n), 10)
}

func (w *jsonWriter) double(d float64) {
	switch {
	case math.IsNaN(d):
		w.out = append(w.out, `"NaN"`...)
	case math.IsInf(d, 1):
		w.out = append(w.out, `"Infinity"`...)
	case math.IsInf(d, -1):
		w.out = append(w.out, `"-Infinity"`...)
	default:
		w.out = strconv.AppendFloat(w.out, d, 'g', -1, 64)
	}
}

// text writes a string, or a binary in base64.
func (w *jsonWriter) text(s []byte, binary bool) {
	switch {
	case binary:
		w.out = append(w.out, '"')
		w.out = base64.StdEncoding.AppendEncode(w.out, s)
		w.out = append(w.out, '"')
	case !utf8.Valid(s):
		w.err = &EncodeError{Err: ErrUTF8}
	default:
		w.quoted(s)
	}
}

// shortEscapes are the letters that JSON has for control characters. Apache's library for Python
// misreads the long form where its buffer ends.
var shortEscapes = [' ']byte{'\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r'}

// quoted writes text that is UTF-8.
func (w *jsonWriter) quoted(s []byte) {
	w.out = append(w.out, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			w.out = append(w.out, '\\', c)
		case c < ' ' && shortEscapes[c] != 0:
			w.out = append(w.out, '\\', shortEscapes[c])
		case c < ' ':
			const digits = "0123456789abcdef"
			w.out = append(w.out, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			w.out = append(w.out, c)
		}
	}
	w.out = append(w.out, '"')
}
