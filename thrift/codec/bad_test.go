package codec_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/codec"
	"github.com/seamgo/seam/thrift/internal/kinds"
)

// Each bad input, with the whole text of its error.
var badInputs = []struct {
	name    string
	message thrift.Message
	c       codec.InCompact
	input   string
	opt     thrift.Options
	want    string
	kind    error
}{
	{"nothing", &kinds.Point{}, false, "", thrift.Options{},
		"Point: unexpected end of input at byte 0", thrift.ErrTruncated},
	{"nothing", &kinds.Point{}, true, "", thrift.Options{},
		"Point: unexpected end of input at byte 0", thrift.ErrTruncated},
	{"required field missing", &kinds.Point{}, false, "08 0001 00000001 00", thrift.Options{},
		"Point.y: required field is missing at byte 8", thrift.ErrRequired},
	{"required field missing", &kinds.Point{}, true, "15 02 00", thrift.Options{},
		"Point.y: required field is missing at byte 3", thrift.ErrRequired},
	{"required field missing in a list", &kinds.Lists{}, false, "0f 000b 0c 00000002 08 0001 00000001 08 0002 00000002 00 00 00", thrift.Options{},
		"Lists.points[1].x: required field is missing at byte 24", thrift.ErrRequired},
	{"required field of another type", &kinds.Point{}, false, "08 0001 00000001 0a 0002 0000000000000001 00", thrift.Options{},
		"Point.y: required field is missing at byte 19", thrift.ErrRequired},
	{"the last of many fields missing", &kinds.Many{}, false, "00", thrift.Options{},
		"Many.last: required field is missing at byte 1", thrift.ErrRequired},

	{"union with none", &kinds.Choice{}, false, "00", thrift.Options{},
		"Choice: union needs exactly one field and has none at byte 1", thrift.ErrUnion},
	{"union with two", &kinds.Choice{}, false, "02 0001 01 03 0002 01 00", thrift.Options{},
		"Choice: union needs exactly one field and has more at byte 9", thrift.ErrUnion},
	{"union with two", &kinds.Choice{}, true, "11 13 01 00", thrift.Options{},
		"Choice: union needs exactly one field and has more at byte 4", thrift.ErrUnion},
	{"union with one and one that is unknown", &kinds.Choice{}, false, "02 0001 01 03 0063 01 00", thrift.Options{},
		"Choice: union needs exactly one field and has more at byte 9", thrift.ErrUnion},
	{"union of many with two", &kinds.Wide{}, false, "0b 0001 00000000 0c 0005 08 0001 00000001 08 0002 00000001 00 00", thrift.Options{},
		"Wide: union needs exactly one field and has more at byte 26", thrift.ErrUnion},
	{"union in a map", &kinds.Maps{}, false, "0d 0013 0b 0c 00000001 00000001 'k' 00 00", thrift.Options{},
		"Maps.choices[0].value: union needs exactly one field and has none at byte 15", thrift.ErrUnion},

	{"elements of a wrong type", &kinds.Lists{}, false, "0f 0004 0a 00000001 0000000000000001 00", thrift.Options{},
		"Lists.i32s: list of i32 expected, found one of i64 at byte 3", thrift.ErrType},
	{"elements of a wrong type", &kinds.Lists{}, true, "49 16 02 00", thrift.Options{},
		"Lists.i32s: list of i32 expected, found one of i64 at byte 1", thrift.ErrType},
	{"elements of no type", &kinds.Sets{}, false, "0e 0007 63 00000001 00 00", thrift.Options{},
		"Sets.strings: set of string expected, found one of type 0x63 at byte 3", thrift.ErrType},
	{"keys of a wrong type", &kinds.Maps{}, false, "0d 0007 08 0b 00000001 00000001 00000000 00", thrift.Options{},
		"Maps.by_string: map from string to string expected, found one from i32 to string at byte 3", thrift.ErrType},

	{"bytes behind the message", &kinds.Nothing{}, false, "00 'rest'", thrift.Options{},
		"Nothing: 4 bytes more than the message at byte 1", thrift.ErrTrailing},
	{"bytes behind the message", &kinds.Point{}, true, "15 02 15 04 00 00", thrift.Options{},
		"Point: 1 byte more than the message at byte 5", thrift.ErrTrailing},

	{"string that is not UTF-8", &kinds.Choice{}, false, "0b 0005 00000003 'a' ff 'b' 00", thrift.Options{UTF8: true},
		"Choice.text: string is not UTF-8 at byte 7", thrift.ErrUTF8},
	{"string in a list that is not UTF-8", &kinds.Lists{}, true, "79 28 01 'a' 01 ff 00", thrift.Options{UTF8: true},
		"Lists.strings[1]: string is not UTF-8 at byte 5", thrift.ErrUTF8},
	{"key that is not UTF-8", &kinds.Maps{}, false, "0d 0007 0b 0b 00000001 00000001 c0 00000000 00", thrift.Options{UTF8: true},
		"Maps.by_string[0].key: string is not UTF-8 at byte 13", thrift.ErrUTF8},

	{"string that is longer than the input", &kinds.Choice{}, false, "0b 0005 00000005 'abc'", thrift.Options{},
		"Choice.text: string claims 5 bytes, more than the 3 behind it at byte 3", thrift.ErrLength},
	{"string of negative length", &kinds.Choice{}, false, "0b 0005 ffffffff 'abc'", thrift.Options{},
		"Choice.text: string claims 4294967295 bytes, more than the 3 behind it at byte 3", thrift.ErrLength},
	{"string of the largest length", &kinds.Choice{}, true, "58 ffffffff07 'abc'", thrift.Options{},
		"Choice.text: string claims 2147483647 bytes, more than the 3 behind it at byte 1", thrift.ErrLength},
	{"length of more than 31 bits", &kinds.Choice{}, true, "58 8080808008 'abc'", thrift.Options{},
		"Choice.text: number has more bits than it may at byte 1", thrift.ErrMalformed},
	{"list of negative length", &kinds.Lists{}, false, "0f 0004 08 80000000 00", thrift.Options{},
		"Lists.i32s: list claims 2147483648 elements, more than the 1 bytes behind it can hold at byte 3", thrift.ErrLength},
	{"list of huge length", &kinds.Lists{}, false, "0f 000b 0c 7fffffff 00 00", thrift.Options{},
		"Lists.points: list claims 2147483647 elements, more than the 2 bytes behind it can hold at byte 3", thrift.ErrLength},
	{"list of huge length", &kinds.Lists{}, true, "b9 fc ffffffff07 00", thrift.Options{},
		"Lists.points: list claims 2147483647 elements, more than the 1 bytes behind it can hold at byte 1", thrift.ErrLength},
	{"map of huge length", &kinds.Maps{}, true, "7b ffffffff07 88 00", thrift.Options{},
		"Maps.by_string: map claims 2147483647 elements, more than the 1 bytes behind it can hold at byte 1", thrift.ErrLength},

	{"number of too many bits", &kinds.Point{}, true, "15 ffffffff1f 00", thrift.Options{},
		"Point.x: number has more bits than it may at byte 1", thrift.ErrMalformed},
	{"number without end", &kinds.Scalars{}, true, "56 ffffffffffffffffffffff 00", thrift.Options{},
		"Scalars.an_i64: number has more bits than it may at byte 10", thrift.ErrMalformed},
	{"field number of too many bits", &kinds.Scalars{}, true, "05 ffffff7f 00 00", thrift.Options{},
		"Scalars: number has more bits than it may at byte 1", thrift.ErrMalformed},
	{"field of no type", &kinds.Scalars{}, false, "63 0001 00000000 00", thrift.Options{},
		"Scalars: field 1 has a type that doesn't exist (type 0x63) at byte 0", thrift.ErrMalformed},
	{"field of no type", &kinds.Scalars{}, true, "1f 00 00", thrift.Options{},
		"Scalars: field 1 has a type that doesn't exist (type 0xff) at byte 0", thrift.ErrMalformed},
	{"unknown list of no type", &kinds.Scalars{}, false, "0f 0063 63 00000001 00 00", thrift.Options{},
		"Scalars.field 99: list of a type that doesn't exist at byte 3", thrift.ErrMalformed},

	{"end in a number", &kinds.Point{}, false, "08 0001 0000", thrift.Options{},
		"Point.x: unexpected end of input at byte 5", thrift.ErrTruncated},
	{"end in a field's head", &kinds.Point{}, false, "08 00", thrift.Options{},
		"Point: unexpected end of input at byte 2", thrift.ErrTruncated},
	{"end in a varint", &kinds.Point{}, true, "15 80", thrift.Options{},
		"Point.x: unexpected end of input at byte 2", thrift.ErrTruncated},
	{"end in a struct of a list", &kinds.Lists{}, false, "0f 000b 0c 00000001 08 0001", thrift.Options{},
		"Lists.points[0].x: unexpected end of input at byte 11", thrift.ErrTruncated},
	{"end in an unknown field", &kinds.Point{}, false, "0c 0009 08 0001 00", thrift.Options{},
		"Point.field 9: unexpected end of input at byte 7", thrift.ErrTruncated},

	{"message over its limit", &kinds.Point{}, false, "08 0001 00000001 08 0002 00000001 00", thrift.Options{Limits: thrift.Limits{Message: 14}},
		"Point: message of 15 bytes is over the limit of 14 at byte 0", thrift.ErrLimit},
	{"string over its limit", &kinds.Choice{}, false, "0b 0005 00000003 'abc' 00", thrift.Options{Limits: thrift.Limits{String: 2}},
		"Choice.text: string of 3 bytes is over the limit of 2 at byte 3", thrift.ErrLimit},
	{"binary over its limit", &kinds.Choice{}, true, "68 03 'abc' 00", thrift.Options{Limits: thrift.Limits{String: 2}},
		"Choice.raw: string of 3 bytes is over the limit of 2 at byte 1", thrift.ErrLimit},
	{"list over its limit", &kinds.Lists{}, false, "0f 0002 03 00000003 000000 00", thrift.Options{Limits: thrift.Limits{Container: 2}},
		"Lists.i8s: list of 3 elements is over the limit of 2 at byte 3", thrift.ErrLimit},
	{"depth over its limit", &kinds.Tree{}, false, "0c 0004 0c 0004 00 00 00", thrift.Options{Limits: thrift.Limits{Depth: 2}},
		"Tree.left.left: structs are nested deeper than the limit (Limits.Depth) at byte 6", thrift.ErrDepth},
	{"depth of unknown fields over its limit", &kinds.Nothing{}, true, "19 19 19 00 00", thrift.Options{Limits: thrift.Limits{Depth: 3}},
		"Nothing.field 1: unknown fields are nested deeper than the limit (Limits.Depth) at byte 3", thrift.ErrDepth},
	{"limit of nothing", &kinds.Choice{}, true, "58 01 'a' 00", thrift.Options{Limits: thrift.Limits{String: -1}},
		"Choice.text: string of 1 bytes is over the limit of 0 at byte 1", thrift.ErrLimit},
}

func TestBadInputs(t *testing.T) {
	for _, x := range badInputs {
		input := wire(t, x.input)
		used := like(x.message)
		fill(used, 3)
		for name, m := range map[string]thrift.Message{"fresh": like(x.message), "used": used} {
			var err error
			if x.opt == (thrift.Options{}) {
				err = decode(input, m, x.c)
			} else {
				_, err = decodeWith(input, m, x.c, x.opt)
			}
			if err == nil {
				t.Errorf("%s, %v, %s: no error, want %q", x.name, x.c, name, x.want)
			} else if err.Error() != x.want || !errors.Is(err, x.kind) {
				t.Errorf("%s, %v, %s: got\n%q, want\n%q", x.name, x.c, name, err, x.want)
			}
		}
	}
}

// What looks bad and is not.
func TestInputsThatAreNotBad(t *testing.T) {
	utf8 := thrift.Options{UTF8: true}
	for _, x := range []struct {
		name    string
		message thrift.Message
		c       codec.InCompact
		input   string
		opt     thrift.Options
	}{
		{"binary that is not UTF-8", &kinds.Choice{}, false, "0b 0006 00000001 ff 00", utf8},
		{"binary key that is not UTF-8", &kinds.Maps{}, false, "0d 0008 0b 0b 00000001 00000001 ff 00000001 fe 00", utf8},
		{"binary key that is not UTF-8", &kinds.Maps{}, true, "8b 01 88 01 ff 01 fe 00", utf8},
		{"unknown string that is not UTF-8", &kinds.Nothing{}, false, "0b 0006 00000001 ff 00", utf8},
		{"string at its limit", &kinds.Choice{}, true, "58 02 'ab' 00", thrift.Options{Limits: thrift.Limits{String: 2}}},
		{"list at its limit", &kinds.Lists{}, true, "29 23 0000 00", thrift.Options{Limits: thrift.Limits{Container: 2}}},
		{"depth at its limit", &kinds.Tree{}, false, "0c 0004 0c 0004 00 00 00", thrift.Options{Limits: thrift.Limits{Depth: 3}}},
		{"structs beside each other", &kinds.Lists{}, true, "b9 3c 15 02 15 02 00 15 02 15 02 00 15 02 15 02 00 00", thrift.Options{Limits: thrift.Limits{Depth: 2}}},
		{"unknown fields beside each other", &kinds.Nothing{}, true, "19 3c 00 00 00 1c 00 1b 00 00", thrift.Options{Limits: thrift.Limits{Depth: 3}}},
		{"message at its limit", &kinds.Nothing{}, true, "00", thrift.Options{Limits: thrift.Limits{Message: 1}}},
	} {
		if _, err := decodeWith(wire(t, x.input), x.message, x.c, x.opt); err != nil {
			t.Errorf("%s, %v: %v", x.name, x.c, err)
		}
	}
}

// A union whose only member came from a newer version is read, since nothing
// is wrong with it, but has nothing to be written.
func TestAUnionWithAnUnknownMember(t *testing.T) {
	m := &kinds.Choice{Flag: thrift.Ptr(true)}
	if err := m.DecodeBinary(wire(t, "08 0063 00000001 00")); err != nil {
		t.Fatal(err)
	}
	if id, ok := m.Which(); ok || m.Flag != nil {
		t.Errorf("field %d is set", id)
	}
	if _, err := m.AppendBinary(nil); !errors.Is(err, thrift.ErrUnion) {
		t.Errorf("written with %v", err)
	}
}

// The offset of a large message's error, and the path through every kind of
// container.
func TestPathsOfErrors(t *testing.T) {
	tree := &kinds.Tree{Value: 1, Choice: &kinds.Choice{Path: []*kinds.Point{{X: 1, Y: 2}}}}
	tree = &kinds.Tree{Named: map[string]*kinds.Tree{"only": tree}}
	tree = &kinds.Tree{Left: &kinds.Tree{Children: []*kinds.Tree{{}, {}, tree}}}
	m := &kinds.Everything{Scalars: &kinds.Scalars{AString: strings.Repeat("x", 1000)}, Tree: tree}
	for _, c := range []codec.InCompact{false, true} {
		b := encode(t, m, c)
		// The list claims an element more than it has.
		at, element, claim := bytes.LastIndex(b, wire(t, "0f 000a 0c 00000001")), 7, byte(2)
		if c {
			at, element, claim = bytes.LastIndex(b, wire(t, "a9 1c")), 1, 0x2C
		}
		if at < 1000 {
			t.Fatal("no list")
		}
		b[at+element] = claim
		err := decode(b, new(kinds.Everything), c)
		const path = "Everything.tree.left.children[2].named[0].value.choice.path[1]"
		if err == nil || !strings.HasPrefix(err.Error(), path) || !errors.Is(err, thrift.ErrRequired) {
			t.Errorf("%v: got %v, want a path of %s", c, err, path)
		}
	}
}
