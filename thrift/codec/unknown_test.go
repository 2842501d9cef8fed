package codec_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/internal/kinds"
	"github.com/seamgo/seam/thrift/internal/kinds/unknown/small"
	views "github.com/seamgo/seam/thrift/internal/kinds/views/small"

	"github.com/seamgo/seam/thrift/codec"
)

// A reader that knows no field hands everything on, in either protocol.
func TestUnknownFieldsAreWrittenAgain(t *testing.T) {
	codecCases(t, 15, func(t *testing.T, c codecCase) {
		m := c.message()
		b := encode(t, m, c.c)
		keeper := &small.Nothing{UnknownFields: thrift.Unknown("used before")}
		opt := thrift.Options{Limits: thrift.Limits{Depth: 200}} // unknown containers count
		if _, err := decodeWith(b, keeper, c.c, opt); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if clone := keeper.Clone(); !clone.Equal(keeper) || len(b) > 1 && clone.Equal(&small.Nothing{}) {
			t.Fatalf("%s: unknown fields are not compared", c.name)
		}
		for _, to := range []codec.InCompact{false, true} {
			again := encode(t, keeper, to)
			if to == c.c && len(again) != len(b) {
				t.Fatalf("%s: %d bytes, then %d", c.name, len(b), len(again))
			}
			got := c.make()
			if err := decode(again, got, to); err != nil || !equal(got, m) {
				t.Fatalf("%s: handed on in %v: %v: %s", c.name, to, err, difference(got, m))
			}
		}
	})
}

func TestUnknownMembersOfUnions(t *testing.T) {
	for _, c := range []codec.InCompact{false, true} {
		m := &kinds.Choice{Point: &kinds.Point{X: 1, Y: 2}}
		b := encode(t, m, c)
		var keeper small.None
		if err := decode(b, &keeper, c); err != nil {
			t.Fatal(err)
		}
		if again := encode(t, &keeper, c); !bytes.Equal(again, b) {
			t.Errorf("%v: got % x, want % x", c, again, b)
		}
		if _, err := appendTo(nil, &small.None{}, c); !errors.Is(err, thrift.ErrUnion) {
			t.Errorf("%v: nothing is set: %v", c, err)
		}

		one := &small.One{UnknownFields: keeper.UnknownFields}
		if again := encode(t, one, c); !bytes.Equal(again, b) {
			t.Errorf("%v: got % x, want % x", c, again, b)
		}
		one.Number = thrift.Ptr(int32(1))
		if _, err := appendTo(nil, one, c); !errors.Is(err, thrift.ErrUnion) {
			t.Errorf("%v: a known and an unknown member are set: %v", c, err)
		}
		one.Text = thrift.Ptr("")
		if _, err := appendTo(nil, one, c); !errors.Is(err, thrift.ErrUnion) {
			t.Errorf("%v: two known and an unknown member are set: %v", c, err)
		}
		two := encode(t, &small.Key{A: 1, UnknownFields: keeper.UnknownFields}, c) // two fields for a union
		if err := decode(two, one, c); !errors.Is(err, thrift.ErrUnion) {
			t.Errorf("%v: two fields are read: %v", c, err)
		}
	}
}

// Bytes that somebody has put into the field are no reason to panic.
func TestUnknownFieldsOfNobodysMaking(t *testing.T) {
	nested := bytes.Repeat([]byte{12, 0, 1}, 1<<20)
	for _, u := range [][]byte{{8}, {8, 0, 1, 0}, {0, 0, 0}, {99, 0, 1, 5}, {15, 0, 1, 8, 0xFF, 0xFF, 0xFF, 0xFF}, {11, 0, 1, 0x80, 0, 0, 0}, {13, 0, 1, 0, 0, 0, 0, 0, 1}, nested} {
		m := &small.Key{UnknownFields: u}
		b := encode(t, m, true)
		var got small.Key
		if err := got.DecodeCompact(b); err != nil {
			t.Errorf("% .20x: written as % .40x: %v", u, b, err)
		}
		encode(t, m, false)
	}
}

// A known field that comes with another type is kept like an unknown one.
func TestFieldsOfAnotherTypeAreKept(t *testing.T) {
	b := wire(t, "0a 0001 0000000000000007 0c 0003 00 00")
	var m small.Key
	if err := m.DecodeBinary(b); err != nil {
		t.Fatal(err)
	}
	if want := wire(t, "0a 0001 0000000000000007 0c 0003 00"); !bytes.Equal(m.UnknownFields, want) {
		t.Errorf("got % x, want % x", m.UnknownFields, want)
	}
}

func TestViewsByOption(t *testing.T) {
	m := &views.Item{Name: "name", Words: []string{"a", "", "word"}, Colours: map[string]views.Colour{"\x7f": 1}}
	for _, c := range []codec.InCompact{false, true} {
		b := encode(t, m, c)
		got := new(views.Item)
		if err := decode(b, got, c); err != nil || !got.Equal(m) {
			t.Fatal(err)
		}
		clone := got.Clone()
		b[bytes.Index(b, []byte("name"))] = 'N'
		b[bytes.Index(b, []byte("word"))] = 'W'
		b[bytes.IndexByte(b, 0x7F)] = 'K'
		if got.Name != "Name" || got.Words[2] != "Word" {
			t.Errorf("%v: %v is no view of the input", c, got)
		}
		for key := range got.Colours {
			if key != "K" {
				t.Errorf("%v: the key %q is no view of the input", c, key)
			}
		}
		if !clone.Equal(m) {
			t.Errorf("%v: the clone %v is a view", c, clone)
		}
		b[bytes.Index(b, []byte("Word"))] = 0xFF
		if err := decode(b, got, c); !errors.Is(err, thrift.ErrUTF8) {
			t.Errorf("%v: not UTF-8, and %v", c, err)
		}
		copied := new(views.Item)
		b[bytes.IndexByte(b, 0xFF)] = 'W'
		if _, err := decodeWith(b, copied, c, thrift.Options{}); err != nil {
			t.Fatal(err)
		}
		clear(b)
		if copied.Name != "Name" {
			t.Errorf("%v: the options of the call don't count", c)
		}
	}
}
