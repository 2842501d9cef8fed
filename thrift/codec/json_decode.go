package codec

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// BinaryMessage is what JSON is copied from and to.
type BinaryMessage interface {
	AppendBinary(b []byte) ([]byte, error)
	BinaryDecoder
}

func typeOf(m any) reflect.Type { return reflect.TypeOf(m).Elem() }

// A described message says what it is itself, where it has no struct tags to say it.
type described interface{ jsonShape() *structShape }

func jsonShapeOf(m any) *structShape {
	if d, ok := m.(described); ok {
		return d.jsonShape()
	}
	return shapeOf(typeOf(m))
}

// DecodeJSON reads m from b, which holds it in Apache's JSON protocol and nothing else. It
// is copied to the binary protocol first, by the struct tags, where it is at most four
// times as long. The offset of an error is one in b, or b's length
// where it is not about its syntax.
func DecodeJSON(b []byte, m BinaryDecoder, opt Options) error {
	return decodeJSON(b, m, opt, false)
}

// decodeJSON is DecodeJSON; a body has the bracket behind it that closes its message.
func decodeJSON(b []byte, m BinaryDecoder, opt Options, body bool) error {
	s := jsonShapeOf(m)
	limits := opt.Limits.WithDefaults()
	r := &jsonReader{in: b, depth: limits.Depth}
	if len(b) > limits.Message {
		r.fail(0, ErrLimit, "message of %d bytes is over the limit of %d", len(b), limits.Message)
	}
	r.structure(s)
	if body && r.err == nil {
		r.want(']')
	}
	if r.err == nil {
		if r.space(); r.i < len(b) {
			r.fail(r.i, ErrTrailing, "%d bytes more than the message", len(b)-r.i)
		}
	}
	if r.err != nil {
		r.err.Path = s.name + r.err.Path
		return r.err
	}
	opt.Views = false // of what is ours alone, but need not be kept as a whole
	err := AllBinary(m, r.out, opt)
	if e, ok := err.(*DecodeError); ok {
		e.Offset = len(b)
	}
	return err
}

// A jsonReader copies a message to the binary protocol. After an error it has no input any
// more, so whatever loops ends.
type jsonReader struct {
	in    []byte
	i     int
	out   []byte
	depth int // of structs that may still be opened; containers are as deep as the types have them
	err   *DecodeError
}

func (r *jsonReader) fail(at int, err error, format string, args ...any) {
	if r.err == nil {
		r.err = &DecodeError{Offset: at, Err: err, Detail: fmt.Sprintf(format, args...)}
		r.i = len(r.in)
	}
}

func (r *jsonReader) space() {
	for r.i < len(r.in) && (r.in[r.i] == ' ' || r.in[r.i] == '\n' || r.in[r.i] == '\t' || r.in[r.i] == '\r') {
		r.i++
	}
}

// next is the next byte that is no space; 0 at the end.
func (r *jsonReader) next() byte {
	if r.space(); r.i == len(r.in) {
		return 0
	}
	return r.in[r.i]
}

// want steps over a byte that must come.
func (r *jsonReader) want(c byte) {
	switch r.next() {
	case c:
		r.i++
	case 0:
		r.truncated()
	default:
		r.fail(r.i, ErrMalformed, "%q expected, found %q", c, r.in[r.i])
	}
}

func (r *jsonReader) truncated() { r.fail(len(r.in), ErrTruncated, "") }

// more reports whether another element comes of what ends with a byte, and steps over
// what is between them.
func (r *jsonReader) more(end byte, first *bool) bool {
	if r.err != nil {
		return false
	}
	if r.next() == end {
		r.i++
		return false
	}
	if !*first {
		r.want(',')
	}
	*first = false
	return r.err == nil
}

func (r *jsonReader) structure(s *structShape) {
	if r.depth--; r.depth < 0 {
		r.fail(r.i, ErrDepth, "structs are nested deeper than the limit (Limits.Depth)")
	}
	known, unknown := 0, 0
	r.want('{')
	for first := true; r.more('}', &first); {
		r.next()
		at := r.i
		id, err := strconv.ParseInt(string(r.text()), 10, 16)
		if err != nil {
			r.fail(at, ErrMalformed, "a field's number expected")
			return
		}
		r.want(':')
		r.want('{')
		name := string(r.text())
		r.want(':')
		if r.err != nil {
			return
		}
		if f := s.field(int16(id)); f != nil && jsonNames[f.typ.wire] == name {
			known++
			r.out = append(r.out, byte(f.typ.wire), byte(id>>8), byte(id))
			if r.value(f.typ); r.err != nil {
				r.err.Path = "." + f.name + r.err.Path
				return
			}
		} else {
			r.skip()
			unknown = 1
		}
		r.want('}')
	}
	if s.union && r.err == nil {
		// The decoder counts the fields, and those that it doesn't know are not copied.
		switch n := known + unknown; {
		case n != 1:
			r.fail(r.i, ErrUnion, "union needs exactly one field and has %s", [...]string{"none", "", "more"}[min(n, 2)])
		case unknown == 1 && s.keeps:
			r.fail(r.i, ErrUnion, "union has a field that is not known, and is to keep it, which isn't possible in JSON")
		case unknown == 1: // another one in its place
			id := s.free()
			r.out = append(r.out, byte(TypeBool), byte(id>>8), byte(id), 0)
		}
	}
	r.depth++
	r.out = append(r.out, 0)
}

// free is an id that no field has.
func (s *structShape) free() int16 {
	id := int16(math.MaxInt16)
	for s.field(id) != nil {
		id--
	}
	return id
}

// skip steps over a value, however deep, in whose brackets nobody is interested.
func (r *jsonReader) skip() {
	for open := 0; ; {
		switch c := r.next(); c {
		case 0:
			r.truncated()
			return
		case '"':
			r.text()
		case '{', '[':
			open++
			r.i++
		case '}', ']':
			if open == 0 {
				r.fail(r.i, ErrMalformed, "a value expected, found %q", c)
				return
			}
			open--
			r.i++
		case ',', ':':
			if open == 0 {
				r.fail(r.i, ErrMalformed, "a value expected, found %q", c)
				return
			}
			r.i++
			continue
		default:
			r.word()
		}
		if open == 0 || r.err != nil {
			return
		}
	}
}

// word takes a number or the like.
func (r *jsonReader) word() []byte {
	r.next()
	start := r.i
	for r.i < len(r.in) && bytes.IndexByte([]byte(" \n\t\r,:{}[]\""), r.in[r.i]) < 0 {
		r.i++
	}
	if r.i == len(r.in) {
		r.truncated() // a struct's bracket has to follow
	} else if r.i == start {
		r.fail(start, ErrMalformed, "a number expected, found %q", r.in[start])
	}
	return r.in[start:r.i]
}

// scalar takes a number, which may be in quotes: it is in a map's key.
func (r *jsonReader) scalar() []byte {
	if r.next() == '"' {
		return r.text()
	}
	return r.word()
}

func (r *jsonReader) integer(bits int) int64 {
	r.next()
	at := r.i
	word := r.scalar()
	n, err := strconv.ParseInt(string(word), 10, bits)
	if err != nil {
		r.fail(at, ErrMalformed, "%.40q is not a number of %d bits", word, bits)
	}
	return n
}

// value copies a value of a type.
func (r *jsonReader) value(s *shape) {
	r.next()
	at := r.i
	switch s.wire {
	case TypeBool:
		switch word := string(r.scalar()); word {
		case "1", "true":
			r.out = append(r.out, 1)
		case "0", "false":
			r.out = append(r.out, 0)
		default:
			r.fail(at, ErrMalformed, "%.40q is not 0 or 1", word)
		}
	case TypeI8:
		r.out = append(r.out, byte(r.integer(8)))
	case TypeI16:
		r.out = binary.BigEndian.AppendUint16(r.out, uint16(r.integer(16)))
	case TypeI32:
		r.out = binary.BigEndian.AppendUint32(r.out, uint32(r.integer(32)))
	case TypeI64:
		r.out = binary.BigEndian.AppendUint64(r.out, uint64(r.integer(64)))
	case TypeDouble:
		word := r.scalar()
		d, err := strconv.ParseFloat(string(word), 64)
		if err != nil && !math.IsInf(d, 0) {
			r.fail(at, ErrMalformed, "%.40q is not a number", word)
		}
		r.out = binary.BigEndian.AppendUint64(r.out, math.Float64bits(d))
	case TypeUUID:
		u, err := ParseUUID(string(r.text()))
		if err != nil {
			r.fail(at, ErrMalformed, "%v", err)
		}
		r.out = append(r.out, u[:]...)
	case TypeString:
		text := r.text()
		if s.binary { // Apache's libraries for Java and C++ leave the padding out
			raw, err := base64.RawStdEncoding.AppendDecode(nil, bytes.TrimRight(text, "="))
			if err != nil {
				r.fail(at, ErrMalformed, "%v", err)
			}
			text = raw
		}
		r.out = binary.BigEndian.AppendUint32(r.out, uint32(len(text)))
		r.out = append(r.out, text...)
	case TypeStruct:
		r.structure(s.fields)
	case TypeList, TypeSet:
		r.want('[')
		n, counted := r.head(s.wire, s.elem)
		found := 0
		for first := false; r.more(']', &first); found++ {
			if r.value(s.elem); r.err != nil {
				r.err.Path = "[" + strconv.Itoa(found) + "]" + r.err.Path
				return
			}
		}
		r.count(at, counted, n, found)
	case TypeMap:
		r.want('[')
		n, counted := r.head(s.wire, s.key, s.elem)
		r.want(',')
		r.want('{')
		found := 0
		for first := true; r.more('}', &first); found++ {
			r.value(s.key)
			r.want(':')
			if r.value(s.elem); r.err != nil {
				r.err.Path = "[" + strconv.Itoa(found) + "]" + r.err.Path
				return
			}
		}
		r.want(']')
		r.count(at, counted, n, found)
	}
}

// head copies the types of a container, and returns the number of elements that it claims
// and where it is to be written, when they have been counted. An empty one may claim any
// types.
func (r *jsonReader) head(kind Type, types ...*shape) (n int64, at int) {
	r.next()
	start := r.i
	same := true
	for _, t := range types {
		if name := string(r.text()); name != jsonNames[t.wire] {
			same = false
		}
		r.out = append(r.out, byte(t.wire))
		r.want(',')
	}
	n = r.integer(32)
	if !same && n != 0 {
		r.fail(start, ErrType, "%v of other types expected", kind)
	}
	at = len(r.out)
	r.out = append(r.out, 0, 0, 0, 0)
	return n, at
}

func (r *jsonReader) count(at, counted int, n int64, found int) {
	if r.err != nil {
		return
	}
	if n != int64(found) {
		r.fail(at, ErrLength, "it claims %d elements and has %d", n, found)
		return
	}
	binary.BigEndian.PutUint32(r.out[counted:], uint32(found))
}

// text takes a string. It is a part of the input if nothing in it is escaped.
func (r *jsonReader) text() []byte {
	r.want('"')
	start := r.i
	n := bytes.IndexAny(r.in[start:], "\"\\")
	if n < 0 {
		r.truncated()
		return nil
	}
	if r.in[start+n] == '"' {
		r.i = start + n + 1
		return r.in[start : start+n]
	}
	text := append([]byte(nil), r.in[start:start+n]...)
	for r.i = start + n; r.i < len(r.in); {
		c := r.in[r.i]
		r.i++
		switch c {
		case '"':
			return text
		case '\\':
			text = r.escaped(text)
		default:
			text = append(text, c)
		}
	}
	r.truncated()
	return nil
}

// escaped takes what is behind a backslash.
func (r *jsonReader) escaped(text []byte) []byte {
	if r.i == len(r.in) {
		return text
	}
	c := r.in[r.i]
	r.i++
	switch c {
	case '"', '\\', '/':
		return append(text, c)
	case 'b':
		return append(text, '\b')
	case 'f':
		return append(text, '\f')
	case 'n':
		return append(text, '\n')
	case 'r':
		return append(text, '\r')
	case 't':
		return append(text, '\t')
	case 'u':
		u := r.unit()
		if utf16.IsSurrogate(u) && len(r.in)-r.i >= 6 && r.in[r.i] == '\\' && r.in[r.i+1] == 'u' {
			was := r.i
			r.i += 2
			if both := utf16.DecodeRune(u, r.unit()); both != utf8.RuneError {
				return utf8.AppendRune(text, both)
			}
			if r.err == nil {
				r.i = was
			}
		}
		return utf8.AppendRune(text, u) // half a pair is U+FFFD
	}
	r.fail(r.i-1, ErrMalformed, "%q behind a backslash", c)
	return text
}

// unit takes four digits.
func (r *jsonReader) unit() rune {
	if len(r.in)-r.i < 4 {
		r.truncated()
		return 0
	}
	n, err := strconv.ParseUint(string(r.in[r.i:r.i+4]), 16, 16)
	if err != nil {
		r.fail(r.i, ErrMalformed, "%.4q is not a number of four digits", r.in[r.i:r.i+4])
		return 0
	}
	r.i += 4
	return rune(n)
}
