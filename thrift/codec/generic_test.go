package codec_test

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/codec"
	"github.com/seamgo/seam/thrift/descriptor"
	"github.com/seamgo/seam/thrift/generic"
	"github.com/seamgo/seam/thrift/internal/kinds"
)

// What a descriptor makes of a message, and makes again of that, is the message.
func TestGenericJSONComesBackAsItWas(t *testing.T) {
	written := 0
	codecCases(t, 20, func(t *testing.T, c codecCase) {
		m := c.message()
		described, ok := m.(interface{ ThriftDescriptor() *descriptor.Struct })
		if !ok {
			return // of another file
		}
		s := described.ThriftDescriptor()
		for _, opt := range []generic.Options{{}, {EnumNumbers: true, QuoteI64: true}} {
			raw := new(codec.Raw)
			if err := codec.DecodeBody(encode(t, m, c.c), bool(c.c), raw, codec.Options{}); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			text, err := opt.FromThrift(s, raw.Binary)
			if errors.Is(err, thrift.ErrUTF8) {
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if !json.Valid(text) {
				t.Fatalf("%s: %s is no JSON", c.name, text)
			}
			written++
			if raw.Binary, err = opt.ToThrift(s, text); err != nil {
				t.Fatalf("%s: %v\n%s", c.name, err, text)
			}
			b, err := raw.AppendBinary(nil)
			if c.c {
				b, err = raw.AppendCompact(nil)
			}
			fresh := c.make()
			if err == nil {
				err = decode(b, fresh, c.c)
			}
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if !equal(m, fresh) {
				t.Fatalf("%s: %s\n%s", c.name, difference(fresh, m), text)
			}
		}
	})
	if written < 20 {
		t.Errorf("%d messages were written", written)
	}
}

// The JSON is that of encoding/json, which leaves no field out that isn't optional.
func TestGenericJSONIsThatOfGeneratedCode(t *testing.T) {
	for seed := range uint64(50) {
		m := new(kinds.Scalars)
		fill(m, seed)
		m.ADouble = 1.5 // which may be no number of JSON
		b, err := m.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		opt := generic.Options{}
		text, err := opt.FromThrift(m.ThriftDescriptor(), b)
		if errors.Is(err, thrift.ErrUTF8) {
			continue
		}
		want, err2 := json.Marshal(m)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		var got, wanted map[string]any
		if err := errors.Join(json.Unmarshal(text, &got), json.Unmarshal(want, &wanted)); err != nil {
			t.Fatal(err)
		}
		maps.DeleteFunc(wanted, func(_ string, v any) bool { return v == nil }) // structs that are not there
		if !reflect.DeepEqual(got, wanted) {
			t.Fatalf("%s\n%s", text, want)
		}
	}
}

func FuzzGenericJSON(f *testing.F) {
	s := new(kinds.Optionals).ThriftDescriptor()
	for seed := range uint64(8) {
		m := new(kinds.Optionals)
		fill(m, seed)
		b, err := m.AppendBinary(nil)
		if err != nil {
			f.Fatal(err)
		}
		if text, err := genericOptions.FromThrift(s, b); err == nil {
			f.Add(text, false)
		}
		f.Add(b, true)
	}
	f.Fuzz(func(t *testing.T, b []byte, wire bool) { checkGeneric(t, b, wire) })
}

// genericOptions are for inputs that nobody knows.
var genericOptions = generic.Options{Limits: thrift.Limits{Message: 1 << 16, Depth: 8}}

// checkGeneric translates b, which is JSON or binary, to the other and back.
func checkGeneric(t *testing.T, b []byte, wire bool) error {
	t.Helper()
	opt, s := genericOptions, new(kinds.Optionals).ThriftDescriptor()
	if wire {
		text, err := opt.FromThrift(s, b)
		if err != nil {
			return err
		}
		if len(text) > 64<<10+64*len(b) || !json.Valid(text) {
			t.Fatalf("% x is %s", b, text)
		}
		b = text
	}
	binary, err := opt.ToThrift(s, b)
	if err != nil {
		if wire && !strings.Contains(err.Error(), "limit") && !strings.Contains(err.Error(), "Limits") {
			t.Fatalf("%s: %v", b, err)
		}
		return err
	}
	if err := new(kinds.Optionals).DecodeBinary(binary); err != nil && !errors.Is(err, thrift.ErrDepth) && !errors.Is(err, thrift.ErrLimit) {
		t.Fatalf("%s is % x: %v", b, binary, err)
	}
	if _, err := opt.FromThrift(s, binary); err != nil && !errors.Is(err, thrift.ErrLimit) && !errors.Is(err, thrift.ErrDepth) {
		t.Fatalf("%s is % x: %v", b, binary, err)
	}
	return nil
}
