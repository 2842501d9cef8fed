package codec_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/codec"
	"github.com/seamgo/seam/thrift/internal/kinds"
)

// wire makes bytes of hexadecimal digits and of 'text'; spaces are for
// readers.
func wire(t testing.TB, s string) []byte {
	t.Helper()
	var b []byte
	for s != "" {
		digits, rest, text := strings.Cut(s, "'")
		part, err := hex.DecodeString(strings.Join(strings.Fields(digits), ""))
		if err != nil {
			t.Fatalf("%q: %v", digits, err)
		}
		b = append(b, part...)
		if s = rest; text {
			literal, rest, _ := strings.Cut(s, "'")
			b = append(b, literal...)
			s = rest
		}
	}
	return b
}

var someUUID = thrift.UUID{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF}

// The bytes are made by hand from the specifications of the protocols, so
// that a mistake that is the same in both directions is seen.
var specified = []struct {
	name            string
	message         thrift.Message
	binary, compact string
}{
	{"empty struct", &kinds.Nothing{}, "00", "00"},
	{"two i32", &kinds.Point{X: 1, Y: -2},
		"08 0001 00000001 08 0002 fffffffe 00",
		"15 02 15 03 00"},
	{"extremes of i32", &kinds.Point{X: 2147483647, Y: -2147483648},
		"08 0001 7fffffff 08 0002 80000000 00",
		"15 feffffff0f 15 ffffffff0f 00"},
	{"every scalar", &kinds.Scalars{
		ABool: true, AnI8: -2, AnI16: 258, AnI32: 0x01020304, AnI64: 0x0102030405060708, ADouble: 1.5,
		AString: "abc", ABinary: []byte{0, 0xFF}, AUUID: someUUID, AColour: kinds.Colour_BLUE, AStamp: -1,
		APoint: &kinds.Point{X: 3, Y: 4}, ANothing: &kinds.Nothing{},
	},
		`02 0001 01  03 0002 fe  06 0003 0102  08 0004 01020304  0a 0005 0102030405060708
		04 0006 3ff8000000000000  0b 0007 00000003 'abc'  0b 0008 00000002 00ff
		10 0009 00112233445566778899aabbccddeeff  08 000a 00000010  0a 000b ffffffffffffffff
		0c 000c 08 0001 00000003 08 0002 00000004 00  0c 000d 00  00`,
		`11  13 fe  14 8404  15 888c9010  16 909cb0d080c1818202
		17 000000000000f83f  18 03 'abc'  18 02 00ff
		1d 00112233445566778899aabbccddeeff  15 20  16 01
		1c 15 06 15 08 00  1c 00  00`},
	{"optional fields", &kinds.Optionals{ABool: thrift.Ptr(false), AString: thrift.Ptr(""), AList: []int32{}, ASet: []string{"x"}},
		"02 0001 00  0b 0007 00000000  0f 000e 08 00000000  0e 000f 0b 00000001 00000001 'x'  00",
		"12  68 00  79 05  1a 18 01 'x'  00"},
	{"map", &kinds.Optionals{AMap: map[int32]string{-1: "z"}},
		"0d 0010 08 0b 00000001 ffffffff 00000001 'z' 00",
		"0b 20 01 58 01 01 'z' 00"},
	{"map that is empty", &kinds.Optionals{AMap: map[int32]string{}},
		"0d 0010 08 0b 00000000 00",
		"0b 20 00 00"},
	{"map with structs as keys", &kinds.Optionals{SomePairs: []thrift.Pair[*kinds.Point, int32]{{Key: &kinds.Point{X: 1, Y: 2}, Value: 3}}},
		"0d 0011 0c 08 00000001 08 0001 00000001 08 0002 00000002 00 00000003 00",
		"0b 22 01 c5 15 02 15 04 00 06 00"},
	{"union", &kinds.Choice{Colour: thrift.Ptr(kinds.Colour_NONE)},
		"08 0008 fffffffd 00",
		"85 05 00"},
	{"union in union", &kinds.Choice{Other: &kinds.Choice{Flag: thrift.Ptr(true)}},
		"0c 000c 02 0001 01 00 00",
		"cc 11 00 00"},
	{"exception", &kinds.Failure{Code: 64, Reason: thrift.Ptr("no")},
		"08 0001 00000040 0b 0002 00000002 'no' 00",
		"15 8001 18 02 'no' 00"},
	{"recursive struct", &kinds.Tree{Value: 1, Children: []*kinds.Tree{{Value: 2}}, Left: &kinds.Tree{}},
		"08 0001 00000001  0f 0002 0c 00000001 08 0001 00000002 00  0c 0004 08 0001 00000000 00  00",
		"15 02  19 1c 15 04 00  2c 15 00 00  00"},
	{"distances between fields", &kinds.Far{Before: 1, One: 2, Sixteen: 3, ThirtyTwo: true, FiftySeven: false, Thousand: "k", OutOfOrder: -1, Last: true},
		`08 fffb 00000001  08 0001 00000002  08 0010 00000003  02 0020 01  02 0039 00
		0b 03e8 00000001 'k'  06 03f7 ffff  02 7fff 01  00`,
		`05 09 02  65 04  f5 06  01 40  02 72
		08 d00f 01 'k'  f4 01  01 feff03  00`},
	{"optional fields between others", &kinds.Far{MinusOne: thrift.Ptr("m"), Forty: thrift.Ptr(true), FiftySix: thrift.Ptr(int64(5)), Bools: []bool{true, false}},
		`08 fffb 00000000  0b ffff 00000001 'm'  08 0001 00000000  08 0010 00000000  02 0020 00  02 0028 01
		0a 0038 0000000000000005  02 0039 00  0b 03e8 00000000  06 03f7 0000  0f 03f8 02 00000002 01 00  02 7fff 00  00`,
		`05 09 00  48 01 'm'  25 00  f5 00  02 40  81
		06 70 0a  12  08 d00f 00  f4 00  19 21 01 02  02 feff03  00`},
}

func TestBytesAreThoseOfTheSpecification(t *testing.T) {
	for _, s := range specified {
		for _, c := range []codec.InCompact{false, true} {
			text := s.binary
			if c {
				text = s.compact
			}
			want := wire(t, text)
			if got := encode(t, s.message, c); !bytes.Equal(got, want) {
				t.Errorf("%s, %v: got\n% x\nwant\n% x", s.name, c, got, want)
			}
			got := like(s.message)
			if err := decode(want, got, c); err != nil {
				t.Errorf("%s, %v: %v", s.name, c, err)
			} else if !equal(got, s.message) {
				t.Errorf("%s, %v: read as\n%v\nwant\n%v", s.name, c, got, s.message)
			}
		}
	}
}

// like is an empty message of the same type.
func like(m thrift.Message) thrift.Message {
	for _, make := range kindsTypes {
		if e := make(); typeName(e) == typeName(m) {
			return e
		}
	}
	panic(typeName(m) + " is not in kindsTypes")
}

// Lists have a head of one byte up to 14 elements in the compact protocol.
func TestHeadsOfLists(t *testing.T) {
	for _, x := range []struct {
		n               int
		binary, compact string
	}{
		{0, "0f 0002 03 00000000", "29 03"},
		{1, "0f 0002 03 00000001", "29 13"},
		{14, "0f 0002 03 0000000e", "29 e3"},
		{15, "0f 0002 03 0000000f", "29 f3 0f"},
		{127, "0f 0002 03 0000007f", "29 f3 7f"},
		{128, "0f 0002 03 00000080", "29 f3 8001"},
		{300, "0f 0002 03 0000012c", "29 f3 ac02"},
	} {
		m := &kinds.Lists{I8s: make([]int8, x.n)}
		if b := encode(t, m, false); !bytes.Contains(b, wire(t, x.binary)) {
			t.Errorf("%d elements: no % s in % x", x.n, x.binary, b)
		}
		// Behind the list<bool>, which is empty: 19 01.
		if b := encode(t, m, true); !bytes.HasPrefix(b, append(wire(t, "19 01"), wire(t, "19"+x.compact[2:])...)) {
			t.Errorf("%d elements: no %s at the beginning of % x", x.n, x.compact, b)
		}
	}
}

// Forms that other writers use and Seam doesn't.
func TestFormsOfOtherWriters(t *testing.T) {
	one := &kinds.Point{X: 1, Y: 2}
	for _, x := range []struct {
		name    string
		c       codec.InCompact
		text    string
		message thrift.Message
	}{
		{"long form of a field's head", true, "05 02 02 05 04 04 00", one},
		{"varint with zeros behind", true, "15 828000 15 04 00", one},
		{"end of struct with a distance", true, "15 02 15 04 50", one},
		{"fields in another order", true, "25 04 05 02 02 00", one},
		{"fields in another order", false, "08 0002 00000002 08 0001 00000001 00", one},
		{"field twice: the last counts", false, "08 0001 00000009 08 0002 00000002 08 0001 00000001 00", one},
		{"field twice: the last counts", true, "15 12 15 04 05 02 02 00", one},
		{"unknown fields", false, "0b 0009 00000002 'xx' 08 0001 00000001 0f 000a 08 00000000 08 0002 00000002 00", one},
		{"unknown fields", true, "15 02 15 04 11 12 1d 00112233445566778899aabbccddeeff 1b 00 19 05 00", one},
		{"field of another type is unknown", false, "0a 0001 0000000000000007 08 0001 00000001 08 0002 00000002 00", one},
		{"true is any byte but 0", false, "02 0001 07 00", &kinds.Choice{Flag: thrift.Ptr(true)}},
		{"list of bools with 2 as type and 0 as false", true, "19 32 01 00 02 00", &kinds.Lists{Bools: []bool{true, false, false}}},
		{"empty list of another type", false, "0f 0004 0b 00000000 00", &kinds.Lists{}},
		{"empty list of another type", true, "49 08 00", &kinds.Lists{}},
		{"empty list of no type", false, "0f 0004 00 00000000 00", &kinds.Lists{}},
		{"empty map of other types", false, "0d 0010 0c 0c 00000000 00", &kinds.Optionals{AMap: map[int32]string{}}},
		{"empty map of no types", false, "0d 0010 00 00 00000000 00", &kinds.Optionals{AMap: map[int32]string{}}},
		{"key twice: the last counts", false, "0d 0010 08 0b 00000002 00000001 00000001 'a' 00000001 00000001 'b' 00", &kinds.Optionals{AMap: map[int32]string{1: "b"}}},
		{"enum value without a name is kept", false, "08 0008 00000063 00", &kinds.Choice{Colour: thrift.Ptr(kinds.Colour(99))}},
		{"member of a union twice", false, "02 0001 00 02 0001 01 00", &kinds.Choice{Flag: thrift.Ptr(true)}},
		{"struct in a field twice", false, "08 0001 00000001 0c 0003 08 0001 00000009 08 0002 00000009 00 0c 0003 08 0001 00000001 08 0002 00000002 00 00",
			&kinds.Failure{Code: 1, Place: one}},
		{"tree in a field twice", false, "0c 0004 08 0001 00000009 0f 0002 0c 00000001 00 00 0c 0004 08 0001 00000001 00 00",
			&kinds.Tree{Left: &kinds.Tree{Value: 1}}},
		{"list twice, the second shorter", true, "39 34 020406 09 06 14 0e 00", &kinds.Lists{I16s: []int16{7}}},
	} {
		got := like(x.message)
		if err := decode(wire(t, x.text), got, x.c); err != nil {
			t.Errorf("%s, %v: %v", x.name, x.c, err)
		} else if !equal(got, x.message) {
			t.Errorf("%s, %v: got %v, want %v", x.name, x.c, got, x.message)
		}
	}
}
