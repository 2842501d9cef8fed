package generic

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/codec"
	"github.com/seamgo/seam/thrift/descriptor"
)

// FromThrift returns the JSON of a struct that b has in the binary protocol, and nothing else.
// Defaults are written for fields that are missing, unless those are optional. Fields that the
// struct doesn't have, or has with another type, are left out. An error is a
// [*thrift.DecodeError].
func (o *Options) FromThrift(s *descriptor.Struct, b []byte) ([]byte, error) {
	// Lengths and depths are checked once, and need not be later.
	raw := new(codec.Raw)
	n, err := thrift.DecodeBinary(b, raw, thrift.Options{Limits: o.Limits})
	if err == nil && n != len(b) {
		err = &thrift.DecodeError{Path: s.Name, Offset: n, Err: thrift.ErrTrailing, Detail: fmt.Sprintf("%d bytes more than the message", len(b)-n)}
	}
	if err != nil {
		return nil, err
	}
	w := o.writer(b)
	w.path = s.Name
	w.structure(s, nil, false)
	if w.err != nil {
		return nil, w.err
	}
	return w.out, nil
}

// A writer makes JSON of a message of the binary protocol whose lengths are right. Its errors
// end it: it goes to the end of the message.
type writer struct {
	opt  *Options
	in   []byte
	i    int
	out  []byte
	most int
	path string
	err  *thrift.DecodeError
}

func (o *Options) writer(b []byte) *writer {
	return &writer{opt: o, in: b, most: most(o.Limits, len(b))}
}

// most is how much JSON a message may become: names of fields and defaults can be long.
func most(l thrift.Limits, size int) int {
	const first = 256 << 10
	switch {
	case l.Amplify < 0:
		return 64 << 10
	case l.Amplify > 0:
		return 64<<10 + min(l.Amplify, math.MaxInt32)*size
	}
	small := min(size, first)
	return 64<<10 + 64*small + thrift.DefaultAmplify*(size-small)
}

func (w *writer) fail(kind error, format string, args ...any) {
	if w.err == nil {
		w.err = &thrift.DecodeError{Path: w.path, Offset: w.i, Err: kind, Detail: fmt.Sprintf(format, args...)}
	}
}

// only writes the value of the first field that a struct has, such as a result.
func (w *writer) only(s *descriptor.Struct) (*descriptor.Field, error) {
	w.path = s.Name
	var found *descriptor.Field
	w.structure(s, &found, true)
	if w.err != nil {
		return nil, w.err
	}
	return found, nil
}

func (w *writer) fixed(n int) []byte {
	b := w.in[w.i : w.i+n]
	w.i += n
	return b
}

func (w *writer) length() int { return int(binary.BigEndian.Uint32(w.fixed(4))) }

// skip passes over a value.
func (w *writer) skip(t codec.Type) {
	switch t {
	case codec.TypeString:
		w.fixed(w.length())
	case codec.TypeStruct:
		for {
			t := codec.Type(w.fixed(1)[0])
			if t == codec.TypeStop {
				return
			}
			w.fixed(2)
			w.skip(t)
		}
	case codec.TypeList, codec.TypeSet:
		t := codec.Type(w.fixed(1)[0])
		for range w.length() {
			w.skip(t)
		}
	case codec.TypeMap:
		key, value := codec.Type(w.in[w.i]), codec.Type(w.in[w.i+1])
		w.i += 2
		for range w.length() {
			w.skip(key)
			w.skip(value)
		}
	default:
		w.fixed(t.Size())
	}
}

// structure writes an object; or, if it is bare, the value of the first field alone, which
// it finds.
func (w *writer) structure(s *descriptor.Struct, found **descriptor.Field, bare bool) {
	outer, first := w.path, true
	begin := func(f *descriptor.Field) {
		if !bare {
			if !first {
				w.out = append(w.out, ',')
			}
			w.out = strconv.AppendQuote(w.out, f.Name)
			w.out = append(w.out, ':')
		}
		first = false
		w.path = outer + "." + f.Name
	}
	if !bare {
		w.out = append(w.out, '{')
	}
	seen := make(map[int16]bool, len(s.Fields))
	for w.err == nil {
		t := codec.Type(w.fixed(1)[0])
		if t == codec.TypeStop {
			break
		}
		id := int16(binary.BigEndian.Uint16(w.fixed(2)))
		f := s.ByID(id)
		if f == nil || wires[f.Type.Kind] != t || seen[id] || bare && *found != nil {
			// A field that is there twice: its first value is in the JSON already.
			w.skip(t)
			continue
		}
		seen[id] = true
		begin(f)
		if bare {
			*found = f
		}
		w.value(f.Type)
		if len(w.out) > w.most {
			w.fail(thrift.ErrLimit, "the JSON of %d bytes takes more than the %d that it may (Limits.Amplify)", len(w.in), w.most)
		}
	}
	if w.err != nil {
		return
	}
	w.path = outer
	if s.Category == descriptor.Union && len(seen) != 1 {
		w.fail(thrift.ErrUnion, "union needs exactly one field that is known and has %d", len(seen))
	}
	for _, f := range s.Fields {
		switch {
		case seen[f.ID] || bare:
		case f.Requiredness == descriptor.Required:
			w.path = outer + "." + f.Name
			w.fail(thrift.ErrRequired, "")
		case f.Default != nil && f.Requiredness == descriptor.Default:
			r := w.opt.reader(f.Name, nil)
			r.constant(f.Type, f.Default)
			if r.err != nil {
				w.err = r.err
				return
			}
			begin(f)
			in, i := w.in, w.i
			w.in, w.i = r.out, 0
			w.value(f.Type)
			w.in, w.i = in, i
			if len(w.out) > w.most {
				w.fail(thrift.ErrLimit, "the JSON of %d bytes takes more than the %d that it may (Limits.Amplify)", len(w.in), w.most)
			}
		}
	}
	w.path = outer
	if !bare {
		w.out = append(w.out, '}')
	}
}

// value writes the value that comes next.
func (w *writer) value(t *descriptor.Type) {
	if w.err != nil {
		return
	}
	switch t.Kind {
	case descriptor.StructKind:
		w.structure(t.Struct, nil, false)
	case descriptor.List, descriptor.SetKind:
		elem := codec.Type(w.fixed(1)[0])
		n := w.length()
		if n > 0 && elem != wires[t.Elem.Kind] {
			w.fail(thrift.ErrType, "elements of type %v, want %v", elem, t.Elem)
			return
		}
		w.elements('[', ']', n, func() { w.value(t.Elem) })
	case descriptor.Map:
		key, elem := codec.Type(w.in[w.i]), codec.Type(w.in[w.i+1])
		w.i += 2
		n := w.length()
		if n > 0 && (key != wires[t.Key.Kind] || elem != wires[t.Elem.Kind]) {
			w.fail(thrift.ErrType, "pairs of types %v and %v, want %v", key, elem, t)
			return
		}
		if objectKey(t.Key) {
			w.elements('{', '}', n, func() {
				w.scalar(t.Key, true)
				w.out = append(w.out, ':')
				w.value(t.Elem)
			})
			return
		}
		w.elements('[', ']', n, func() {
			w.out = append(w.out, `{"key":`...)
			w.value(t.Key)
			w.out = append(w.out, `,"value":`...)
			w.value(t.Elem)
			w.out = append(w.out, '}')
		})
	default:
		w.scalar(t, false)
	}
}

func (w *writer) elements(begin, end byte, n int, each func()) {
	outer := w.path
	w.out = append(w.out, begin)
	for k := range n {
		if k > 0 {
			w.out = append(w.out, ',')
		}
		w.path = outer + "[" + strconv.Itoa(k) + "]"
		each()
		if len(w.out) > w.most {
			w.fail(thrift.ErrLimit, "the JSON of %d bytes takes more than the %d that it may (Limits.Amplify)", len(w.in), w.most)
		}
		if w.err != nil {
			return
		}
	}
	w.path = outer
	w.out = append(w.out, end)
}

// scalar writes a number, a string or the like; what is a key is in quotes.
func (w *writer) scalar(t *descriptor.Type, key bool) {
	quote := func(yes bool, text string) {
		if yes {
			text = `"` + text + `"`
		}
		w.out = append(w.out, text...)
	}
	switch t.Kind {
	case descriptor.Bool:
		quote(key, strconv.FormatBool(w.fixed(1)[0] != 0))
	case descriptor.Double:
		switch d := math.Float64frombits(binary.BigEndian.Uint64(w.fixed(8))); {
		case math.IsNaN(d):
			quote(true, "NaN")
		case math.IsInf(d, 0):
			quote(true, map[bool]string{true: "Infinity", false: "-Infinity"}[d > 0])
		default:
			quote(key, strconv.FormatFloat(d, 'g', -1, 64))
		}
	case descriptor.UUID:
		quote(true, thrift.UUID(w.fixed(16)).String())
	case descriptor.Binary:
		quote(true, base64.StdEncoding.EncodeToString(w.fixed(w.length())))
	case descriptor.String:
		text := w.fixed(w.length())
		if !utf8.Valid(text) {
			w.fail(thrift.ErrUTF8, "")
			return
		}
		b, _ := json.Marshal(string(text)) // of a string there is no error
		w.out = append(w.out, b...)
	default:
		var n int64
		size := bits[t.Kind] / 8
		for k, c := range w.fixed(size) {
			if k == 0 {
				n = int64(int8(c))
			} else {
				n = n<<8 | int64(c)
			}
		}
		if t.Kind == descriptor.EnumKind && !w.opt.EnumNumbers {
			if v := t.Enum.ByNumber(int32(n)); v != nil {
				quote(true, v.Name)
				return
			}
			key = true // as encoding/json has it
		}
		quote(key || w.opt.QuoteI64 && t.Kind == descriptor.I64, strconv.FormatInt(n, 10))
	}
}
