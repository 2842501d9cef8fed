package generic

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/descriptor"
)

// ToThrift reads a struct from JSON and returns it in the binary protocol. Defaults are written
// for fields that are missing, unless those are optional. An error is a [*thrift.DecodeError].
func (o *Options) ToThrift(s *descriptor.Struct, text []byte) ([]byte, error) {
	r := o.reader(s.Name, text)
	r.next()
	r.structure(s)
	return r.end()
}

// single makes a struct with one field from the JSON of that field.
func (o *Options) single(s *descriptor.Struct, f *descriptor.Field, text []byte) ([]byte, error) {
	r := o.reader(f.Name, text)
	r.next()
	r.head(f)
	r.value(f.Type)
	r.out = append(r.out, 0)
	return r.end()
}

// A reader copies JSON to the binary protocol. After an error it has no tokens any more, so
// whatever loops ends.
type reader struct {
	opt   *Options
	d     *json.Decoder
	token json.Token // the next one; nil also at the end, or for null
	err   *thrift.DecodeError
	out   []byte
	most  int // of out
	depth int
	path  string
	size  int
}

func (o *Options) reader(name string, text []byte) *reader {
	limits := o.Limits.WithDefaults()
	r := &reader{opt: o, d: json.NewDecoder(bytes.NewReader(text)), depth: limits.Depth, most: limits.Message, path: name, size: len(text)}
	r.d.UseNumber()
	switch {
	case len(text) > limits.Message:
		r.fail(thrift.ErrLimit, "%d bytes of JSON are over the limit of %d", len(text), limits.Message)
	case !utf8.Valid(text): // or it would be replaced
		r.fail(thrift.ErrUTF8, "")
	}
	return r
}

// end is the result, if the JSON ends there.
func (r *reader) end() ([]byte, error) {
	if r.err == nil {
		if _, err := r.d.Token(); err != io.EOF {
			r.fail(thrift.ErrTrailing, "more than one value")
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return r.out, nil
}

func (r *reader) fail(kind error, format string, args ...any) {
	if r.err == nil {
		r.err = &thrift.DecodeError{Path: r.path, Offset: int(r.d.InputOffset()), Err: kind, Detail: fmt.Sprintf(format, args...)}
	}
	r.token = nil
}

// next takes the next token.
func (r *reader) next() {
	if r.err != nil {
		return
	}
	var err error
	r.token, err = r.d.Token()
	switch {
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		r.fail(thrift.ErrTruncated, "")
	case err != nil:
		r.fail(thrift.ErrMalformed, "%v", err)
	case len(r.out) > r.most:
		r.fail(thrift.ErrLimit, "the message has more than %d bytes (Limits.Message)", r.most)
	}
}

// open reports whether the token opens an object or a list.
func (r *reader) open(d json.Delim, what *descriptor.Type, name string) bool {
	if r.err == nil && r.token != d {
		if what != nil {
			name = what.String()
		}
		r.wrong(name)
	}
	return r.err == nil
}

func (r *reader) wrong(what string) {
	r.fail(thrift.ErrMalformed, "%s is no %s", show(r.token), what)
}

// show is a token for people.
func show(t json.Token) string {
	switch t := t.(type) {
	case nil:
		return "null"
	case json.Delim:
		return map[json.Delim]string{'{': "an object", '[': "a list"}[t]
	case string:
		return strconv.Quote(t[:min(len(t), 40)])
	}
	text := fmt.Sprint(t)
	return text[:min(len(text), 40)]
}

// mostSkipped is how deep a value may be that is skipped: encoding/json keeps what is open.
const mostSkipped = 1000

// skip passes over the value that begins with the token.
func (r *reader) skip() {
	for open := 0; r.err == nil; r.next() {
		switch r.token {
		case json.Delim('{'), json.Delim('['):
			if open++; open > mostSkipped {
				r.fail(thrift.ErrDepth, "a value that is skipped is more than %d deep", mostSkipped)
				return
			}
		case json.Delim('}'), json.Delim(']'):
			open--
		}
		if open == 0 {
			return
		}
	}
}

func (r *reader) head(f *descriptor.Field) {
	r.out = append(r.out, byte(wires[f.Type.Kind]), byte(f.ID>>8), byte(f.ID))
}

// structure copies the object that begins with the token.
func (r *reader) structure(s *descriptor.Struct) {
	if !r.open('{', nil, "object for "+s.Name) {
		return
	}
	if r.depth--; r.depth < 0 {
		r.fail(thrift.ErrDepth, "structs are nested deeper than the limit (Limits.Depth)")
	}
	outer := r.path
	seen := make(map[int16]bool, len(s.Fields))
	for r.next(); r.err == nil && r.token != json.Delim('}'); r.next() {
		name, _ := r.token.(string)
		f := s.Field(name)
		r.next()
		if f == nil {
			if !r.opt.IgnoreUnknown {
				r.fail(thrift.ErrMalformed, "%s has no field %.40q", s.Name, name)
			}
			r.skip()
			continue
		}
		r.path = outer + "." + name
		if seen[f.ID] {
			r.fail(thrift.ErrMalformed, "it is there twice")
		}
		if r.token == nil {
			continue // null: absent
		}
		seen[f.ID] = true
		r.head(f)
		r.value(f.Type)
		if r.err == nil {
			r.path = outer
		}
	}
	if r.err != nil {
		return
	}
	r.path = outer
	if s.Category == descriptor.Union && len(seen) != 1 {
		r.fail(thrift.ErrUnion, "union needs exactly one field and has %d", len(seen))
	}
	for _, f := range s.Fields {
		switch {
		case seen[f.ID]:
		case f.Default != nil && f.Requiredness != descriptor.Optional:
			r.head(f)
			r.constant(f.Type, f.Default)
		case f.Requiredness == descriptor.Required:
			r.path = outer + "." + f.Name
			r.fail(thrift.ErrRequired, "")
		}
	}
	r.depth++
	r.out = append(r.out, 0)
}

// value copies the value that begins with the token.
func (r *reader) value(t *descriptor.Type) {
	if r.err != nil {
		return
	}
	switch t.Kind {
	case descriptor.StructKind:
		r.structure(t.Struct)
	case descriptor.List, descriptor.SetKind:
		if !r.open('[', t, "") {
			return
		}
		r.out = append(r.out, byte(wires[t.Elem.Kind]))
		r.elements(func(int) { r.value(t.Elem) }, ']')
	case descriptor.Map:
		r.pairs(t)
	default:
		r.scalar(t)
	}
}

// elements copies what stands in brackets, with its number in front.
func (r *reader) elements(each func(k int), end json.Delim) {
	outer, at, n := r.path, len(r.out), 0
	r.out = append(r.out, 0, 0, 0, 0)
	for r.next(); r.err == nil && r.token != end; r.next() {
		r.path = outer + "[" + strconv.Itoa(n) + "]"
		each(n)
		n++
	}
	if r.err == nil {
		r.path = outer
		binary.BigEndian.PutUint32(r.out[at:], uint32(n))
	}
}

func (r *reader) pairs(t *descriptor.Type) {
	r.out = append(r.out, byte(wires[t.Key.Kind]), byte(wires[t.Elem.Kind]))
	if objectKey(t.Key) {
		if r.open('{', t, "") {
			r.elements(func(int) {
				r.scalar(t.Key)
				r.next()
				r.value(t.Elem)
			}, '}')
		}
		return
	}
	if !r.open('[', t, "") {
		return
	}
	r.elements(func(int) {
		if !r.open('{', nil, `object with "key" and "value"`) {
			return
		}
		for _, part := range []struct {
			name string
			t    *descriptor.Type
		}{{"key", t.Key}, {"value", t.Elem}} {
			if r.next(); r.err == nil && r.token != part.name {
				r.fail(thrift.ErrMalformed, "%s, want %q: an entry is {\"key\": …, \"value\": …}", show(r.token), part.name)
			}
			r.next()
			r.value(part.t)
		}
		if r.next(); r.err == nil && r.token != json.Delim('}') {
			r.fail(thrift.ErrMalformed, "%s behind key and value", show(r.token))
		}
	}, ']')
}

// scalar copies a number, a string or the like; numbers and bools may be in quotes, as they
// are as keys.
func (r *reader) scalar(t *descriptor.Type) {
	if r.err != nil {
		return
	}
	text, quoted := r.token.(string)
	number, plain := r.token.(json.Number)
	if plain {
		text = string(number)
	}
	switch t.Kind {
	case descriptor.Bool:
		truth, ok := r.token.(bool)
		if quoted && (text == "true" || text == "false") {
			truth, ok = text == "true", true
		}
		if !ok {
			r.wrong("bool")
			return
		}
		r.out = append(r.out, 0)
		if truth {
			r.out[len(r.out)-1] = 1
		}
		return
	case descriptor.String, descriptor.Binary, descriptor.UUID:
		if !quoted {
			r.wrong(t.Kind.String())
			return
		}
		r.text(t, text)
		return
	}
	if !quoted && !plain {
		r.wrong(t.String())
		return
	}
	if t.Kind == descriptor.Double {
		d, err := strconv.ParseFloat(text, 64)
		if err != nil && !math.IsInf(d, 0) {
			r.wrong("double")
		}
		r.out = binary.BigEndian.AppendUint64(r.out, math.Float64bits(d))
		return
	}
	if t.Kind == descriptor.EnumKind && quoted {
		if v := t.Enum.Value(text); v != nil {
			r.out = binary.BigEndian.AppendUint32(r.out, uint32(v.Value))
			return
		}
	}
	n, err := strconv.ParseInt(text, 10, bits[t.Kind])
	if err != nil {
		r.wrong(t.String())
		return
	}
	r.integer(t, n)
}

var bits = map[descriptor.Kind]int{descriptor.I8: 8, descriptor.I16: 16, descriptor.I32: 32, descriptor.EnumKind: 32, descriptor.I64: 64}

func (r *reader) integer(t *descriptor.Type, n int64) {
	for k := bits[t.Kind] - 8; k >= 0; k -= 8 {
		r.out = append(r.out, byte(n>>k))
	}
}

func (r *reader) text(t *descriptor.Type, text string) {
	switch t.Kind {
	case descriptor.UUID:
		u, err := thrift.ParseUUID(text)
		if err != nil {
			r.fail(thrift.ErrMalformed, "%v", err)
		}
		r.out = append(r.out, u[:]...)
		return
	case descriptor.Binary:
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			raw, err = base64.RawStdEncoding.DecodeString(text)
		}
		if err != nil {
			r.fail(thrift.ErrMalformed, "%v", err)
		}
		text = string(raw)
	}
	r.bytes(text)
}

func (r *reader) bytes(text string) {
	r.out = binary.BigEndian.AppendUint32(r.out, uint32(len(text)))
	r.out = append(r.out, text...)
}

// constant writes a default.
func (r *reader) constant(t *descriptor.Type, v *descriptor.Value) {
	if len(r.out) > r.most {
		r.fail(thrift.ErrLimit, "the message has more than %d bytes (Limits.Message)", r.most)
		return
	}
	length := func(n int) { r.out = binary.BigEndian.AppendUint32(r.out, uint32(n)) }
	switch t.Kind {
	case descriptor.Bool:
		r.out = append(r.out, 0)
		if v.Bool {
			r.out[len(r.out)-1] = 1
		}
	case descriptor.Double:
		r.out = binary.BigEndian.AppendUint64(r.out, math.Float64bits(v.Double))
	case descriptor.UUID:
		r.text(t, v.String)
	case descriptor.String, descriptor.Binary:
		r.bytes(v.String)
	case descriptor.List, descriptor.SetKind:
		r.out = append(r.out, byte(wires[t.Elem.Kind]))
		length(len(v.List))
		for _, x := range v.List {
			r.constant(t.Elem, x)
		}
	case descriptor.Map:
		r.out = append(r.out, byte(wires[t.Key.Kind]), byte(wires[t.Elem.Kind]))
		length(len(v.Map))
		for _, x := range v.Map {
			r.constant(t.Key, x.Key)
			r.constant(t.Elem, x.Value)
		}
	case descriptor.StructKind:
		r.defaults(t.Struct, v)
	default:
		r.integer(t, v.Int)
	}
}

// defaults writes a struct that is a default: fields that it doesn't name have their own.
func (r *reader) defaults(s *descriptor.Struct, v *descriptor.Value) {
	if r.depth--; r.depth < 0 {
		r.fail(thrift.ErrDepth, "structs are nested deeper than the limit (Limits.Depth)")
		return
	}
	named := map[int16]bool{}
	for _, x := range v.Fields {
		named[x.Field.ID] = true
		r.head(x.Field)
		r.constant(x.Field.Type, x.Value)
	}
	for _, f := range s.Fields {
		if !named[f.ID] && f.Default != nil && f.Requiredness != descriptor.Optional && r.err == nil {
			r.head(f)
			r.constant(f.Type, f.Default)
		}
	}
	r.depth++
	r.out = append(r.out, 0)
}
