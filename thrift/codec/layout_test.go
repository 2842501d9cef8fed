package codec_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seamgo/seam/thrift"
	gotos "github.com/seamgo/seam/thrift/internal/kinds/goto/small"
	"github.com/seamgo/seam/thrift/internal/kinds/inline/small"
	outlined "github.com/seamgo/seam/thrift/internal/kinds/outlined/small"
	bare "github.com/seamgo/seam/thrift/internal/kinds/small"

	"github.com/seamgo/seam/thrift/codec"
)

// Where a decoder has its error paths is nobody's business: all refuse the
// same bytes for the same reason.
func TestLayoutsOfErrorPathsAgree(t *testing.T) {
	layouts := map[string]func() thrift.Message{
		"inline":   func() thrift.Message { return new(small.Item) },
		"goto":     func() thrift.Message { return new(gotos.Item) },
		"outlined": func() thrift.Message { return new(outlined.Item) },
	}
	wrong := 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := new(bare.Item)
		fillSome(m, seed)
		for _, c := range []codec.InCompact{false, true} {
			b := encode(t, m, c)
			for round := range 12 {
				input := b
				if round > 0 {
					input = changed(r, b)
				}
				want := new(bare.Item)
				wantN, wantErr := decodeWith(input, want, c, thrift.Options{})
				if wantErr != nil {
					wrong++
				}
				for name, make := range layouts {
					got := make()
					n, err := decodeWith(input, got, c, thrift.Options{})
					if n != wantN || reason(err) != reason(wantErr) {
						t.Fatalf("%s, %v: got %d, %v, want %d, %v\n% x", name, c, n, err, wantN, wantErr, input)
					}
					if err == nil {
						if fmt.Sprint(got) != fmt.Sprint(want) {
							t.Fatalf("%s, %v: got %v, want %v", name, c, got, want)
						}
						again, err := appendTo(nil, got, c)
						wantAgain, wantErr := appendTo(nil, want, c) // a union may have a member that is unknown
						if len(again) != len(wantAgain) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
							t.Fatalf("%s, %v: written with %d bytes, %v; want %d, %v", name, c, len(again), err, len(wantAgain), wantErr)
						}
					}
				}
			}
		}
	}
	if wrong < 100 {
		t.Errorf("only %d of the inputs are wrong", wrong)
	}
}

// reason is an error without its path.
func reason(err error) string {
	var e *thrift.DecodeError
	if errors.As(err, &e) {
		return strings.TrimPrefix(err.Error(), e.Path)
	}
	return fmt.Sprint(err)
}

// Every layout gives the path through structs, lists and maps.
func TestLayoutsGiveThePath(t *testing.T) {
	item := func(name string, rest string) string {
		return fmt.Sprintf("0b 0001 %08x '%s' %s", len(name), name, rest)
	}
	for _, x := range []struct{ input, want string }{
		{item("a", "0a 0002 0000"), "Item.size"},
		{item("a", "0f 0008 0c 00000001 0a 0002 0000"), "Item.items[0].size"},
		{item("a", "0f 0009 0f 00000002 08 00000000 0b 00000001 00 00 00 00 00"), "Item.matrix[1]"},
		{item("a", "0c 0007 0f 0003 0c 00000001 04 0002 0000"), "Item.one.keys[0].b"},
		{item("a", "0c 000d 10 0003 0000"), "Item.key.id"},
		{item("a", "08 000b 00"), "Item.colour"},
		{item("a", "0f 0008 0c 00000001 "+item("b", "0f 0008 0c 00000001 "+item("c", "0c 000d 08 0001 00"))), "Item.items[0].items[0].key.a"},
	} {
		for name, m := range map[string]thrift.Message{
			"bare": new(bare.Item), "inline": new(small.Item), "goto": new(gotos.Item), "outlined": new(outlined.Item),
		} {
			err := m.DecodeBinary(wire(t, x.input))
			var e *thrift.DecodeError
			if !errors.As(err, &e) || e.Path != x.want {
				t.Errorf("%s: got %v, want the path %s", name, err, x.want)
			}
		}
	}
}
