package codec_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/internal/kinds"
)

func TestJSONComesBackAsItWas(t *testing.T) {
	written := 0
	codecCases(t, 20, func(t *testing.T, c codecCase) {
		if c.c {
			return // the protocol is not JSON's concern
		}
		m := c.message()
		b, err := thrift.AppendJSON([]byte("before"), m)
		if errors.Is(err, thrift.ErrUTF8) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		written++
		text, ok := strings.CutPrefix(string(b), "before")
		fresh := c.make()
		if err := thrift.DecodeJSON([]byte(text), fresh, thrift.Options{}); err != nil || !ok {
			t.Fatalf("%s: %v\n%s", c.name, err, b)
		}
		again, err := thrift.AppendJSON(nil, fresh)
		if err != nil || len(again) != len(text) {
			t.Fatalf("%s: %s is read as %s, %v", c.name, text, again, err)
		}
		if !equal(m, fresh) {
			t.Fatalf("%s: %s", c.name, difference(fresh, m))
		}
		for cut := range len(text) {
			if thrift.DecodeJSON([]byte(text[:cut]), c.make(), thrift.Options{}) == nil {
				t.Fatalf("%s: %q is no message", c.name, text[:cut])
			}
			if cut == 200 {
				break
			}
		}
	})
	if written < 20 {
		t.Errorf("%d messages were written", written)
	}
}

func TestJSONOfAString(t *testing.T) {
	for _, text := range []string{"", "text", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "ä€😀\u2028", strings.Repeat("x", 1000)} {
		b, err := thrift.AppendJSON(nil, &kinds.Scalars{AString: text})
		got := new(kinds.Scalars)
		if err == nil {
			err = thrift.DecodeJSON(b, got, thrift.Options{})
		}
		if err != nil || got.AString != text {
			t.Errorf("%q came back as %q, %v", text, got.AString, err)
		}
	}
	for in, want := range map[string]string{
		`\u0041\u00e4\u20ac\ud83d\ude00`: "Aä€😀", `\ud83d`: "\ufffd", `\ud83dx`: "\ufffdx", `\ud83d\u0041`: "\ufffdA", `\ude00\ud83d`: "\ufffd\ufffd", `\/\b`: "/\b",
	} {
		got := new(kinds.Scalars)
		if err := thrift.DecodeJSON([]byte(`{"7":{"str":"`+in+`"}}`), got, thrift.Options{}); err != nil || got.AString != want {
			t.Errorf("%s is %q, %v; want %q", in, got.AString, err, want)
		}
	}
	if _, err := thrift.AppendJSON(nil, &kinds.Scalars{AString: "\xff"}); !errors.Is(err, thrift.ErrUTF8) || !strings.Contains(err.Error(), "Scalars.a_string") {
		t.Errorf("no UTF-8: %v", err)
	}
}

// What Apache's other libraries write, and what may be there besides.
func TestJSONIsReadAsApacheReadsIt(t *testing.T) {
	for in, want := range map[string]*kinds.Scalars{
		`{}`:                              {},
		" { \"4\" : { \"i32\" :\n-7 } } ": {AnI32: -7},
		`{"1":{"tf":1}}`:                  {ABool: true},
		`{"1":{"tf":true}}`:               {ABool: true},
		`{"8":{"str":"AQ"}}`:              {ABinary: []byte{1}}, // without padding
		`{"8":{"str":"AQ=="}}`:            {ABinary: []byte{1}},
		`{"6":{"dbl":1e3}}`:               {ADouble: 1000},
		`{"6":{"dbl":"-Infinity"}}`:       {ADouble: math.Inf(-1)},
		`{"4":{"i64":1}}`:                 {}, // another type
		`{"99":{"rec":{"1":{"lst":["i32",2,1,2]},"2":{"str":"}\"]"}}},"4":{"i32":5}}`: {AnI32: 5},
		`{"4":{"i32":5},"4":{"i32":6}}`:                                               {AnI32: 6},
	} {
		got := new(kinds.Scalars)
		if err := thrift.DecodeJSON([]byte(in), got, thrift.Options{}); err != nil || !got.Equal(want) {
			t.Errorf("%s is %v, %v; want %v", in, got, err, want)
		}
	}
}

func TestBadJSON(t *testing.T) {
	deep := strings.Repeat(`[`, 100_000)
	for in, want := range map[string]error{
		``:                               thrift.ErrTruncated,
		`{`:                              thrift.ErrTruncated,
		`[]`:                             thrift.ErrMalformed,
		`{"x":{"i32":1}}`:                thrift.ErrMalformed,
		`{"99999":{"i32":1}}`:            thrift.ErrMalformed,
		`{"4":{"i32":}}`:                 thrift.ErrMalformed,
		`{"4":{"i32":1 2}}`:              thrift.ErrMalformed,
		`{"4":{"i32":1},}`:               thrift.ErrMalformed,
		`{"4":{"i32":2147483648}}`:       thrift.ErrMalformed,
		`{"4":{"i32":1.5}}`:              thrift.ErrMalformed,
		`{"1":{"tf":2}}`:                 thrift.ErrMalformed,
		`{"6":{"dbl":"x"}}`:              thrift.ErrMalformed,
		`{"7":{"str":"\x"}}`:             thrift.ErrMalformed,
		`{"7":{"str":"\u12"}}`:           thrift.ErrMalformed,
		`{"7":{"str":"text`:              thrift.ErrTruncated,
		`{"8":{"str":"?"}}`:              thrift.ErrMalformed,
		`{"9":{"uid":"?"}}`:              thrift.ErrMalformed,
		`{"4":{"i32":1}} x`:              thrift.ErrTrailing,
		`{"99":{"lst":` + deep:           thrift.ErrTruncated,
		`{"99":{"lst":]}}`:               thrift.ErrMalformed,
		`{"12":{"rec":{"1":{"i32":1}}}}`: thrift.ErrRequired,
	} {
		err := thrift.DecodeJSON([]byte(in), new(kinds.Scalars), thrift.Options{})
		if !errors.Is(err, want) || !strings.HasPrefix(err.Error(), "Scalars") {
			t.Errorf("%.60s: %v, want %v", in, err, want)
		}
	}
	for in, want := range map[string]error{
		`{"14":{"lst":["i32",2147483647]}}`:       thrift.ErrLength,
		`{"14":{"lst":["i32",1,1,2]}}`:            thrift.ErrLength,
		`{"14":{"lst":["i32",-1]}}`:               thrift.ErrLength,
		`{"14":{"lst":["i64",1,1]}}`:              thrift.ErrType,
		`{"16":{"map":["i32","str",2,{"1":""}]}}`: thrift.ErrLength,
		`{"16":{"map":["i32","i32",1,{"1":1}]}}`:  thrift.ErrType,
		`{"16":{"map":["i32","str",1,{"1"}]}}`:    thrift.ErrMalformed,
	} {
		if err := thrift.DecodeJSON([]byte(in), new(kinds.Optionals), thrift.Options{}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", in, err, want)
		}
	}
	if err := thrift.DecodeJSON([]byte(`{"14":{"lst":["i64",0]},"16":{"map":["i8","i8",0,{}]}}`), new(kinds.Optionals), thrift.Options{}); err != nil {
		t.Errorf("empty containers of other types: %v", err)
	}
	for limits, in := range map[thrift.Limits]string{
		{Message: 3}:   `{"4":{"i32":1}}`,
		{String: 3}:    `{"7":{"str":"text"}}`,
		{Container: 1}: `{"99":{"i32":1},"15":{"set":["str",2,"a","b"]}}`,
	} {
		m := thrift.Message(new(kinds.Optionals))
		if err := thrift.DecodeJSON([]byte(in), m, thrift.Options{Limits: limits}); !errors.Is(err, thrift.ErrLimit) {
			t.Errorf("%s, with %+v: %v", in, limits, err)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for seed := range uint64(8) {
		m := new(kinds.Optionals)
		fill(m, seed)
		if b, err := thrift.AppendJSON(nil, m); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkJSON(t, b) })
}

// checkJSON reads b; what was accepted must come back when it is written again.
func checkJSON(t *testing.T, b []byte) error {
	t.Helper()
	m := new(kinds.Optionals)
	if err := thrift.DecodeJSON(b, m, thrift.Options{Limits: thrift.Limits{Message: 1 << 16}}); err != nil {
		return err
	}
	again, err := thrift.AppendJSON(nil, m)
	if errors.Is(err, thrift.ErrUTF8) {
		return nil
	}
	fresh := new(kinds.Optionals)
	if err == nil {
		err = thrift.DecodeJSON(again, fresh, thrift.Options{})
	}
	if err != nil {
		t.Fatalf("%s is written as %s: %v", b, again, err)
	}
	return nil
}

func TestSimpleJSON(t *testing.T) {
	m := &kinds.Scalars{ABool: true, AnI8: -1, AnI64: 1 << 60, ADouble: math.Inf(-1), AString: "\"ä", ABinary: []byte{0, 255}, AColour: 5}
	b, err := thrift.AppendSimpleJSON([]byte("before "), m)
	const want = `before {"a_bool":1,"an_i8":-1,"an_i16":0,"an_i32":0,"an_i64":1152921504606846976,"a_double":"-Infinity","a_string":"\"ä","a_binary":"AP8=","a_uuid":"00000000-0000-0000-0000-000000000000","a_colour":5,"a_stamp":0}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
	if _, err := thrift.AppendSimpleJSON(nil, &kinds.Scalars{AString: "\xff"}); !errors.Is(err, thrift.ErrUTF8) || !strings.Contains(err.Error(), "Scalars.a_string") {
		t.Errorf("no UTF-8: %v", err)
	}
	codecCases(t, 10, func(t *testing.T, c codecCase) {
		b, err := thrift.AppendSimpleJSON(nil, c.message())
		if err == nil && !json.Valid(b) {
			t.Fatalf("%s: %s is no JSON", c.name, b)
		}
	})
}

// A union of a newer version holds a field that this one doesn't know. It is read, as in the
// other protocols, but where the field would have to be kept.
func TestJSONOfANewerUnion(t *testing.T) {
	for _, text := range []string{`{"99":{"str":"x"}}`, `{"32767":{"tf":1}}`, `{"1":{"i32":1}}`} {
		var c kinds.Choice
		if err := thrift.DecodeJSON([]byte(text), &c, thrift.Options{}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if id, ok := c.Which(); ok {
			t.Errorf("%s: field %d is set", text, id)
		}
	}
	for _, text := range []string{`{}`, `{"1":{"tf":1},"99":{"tf":1}}`} {
		var c kinds.Choice
		if err := thrift.DecodeJSON([]byte(text), &c, thrift.Options{}); !errors.Is(err, thrift.ErrUnion) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
