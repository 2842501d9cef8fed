//seam:test 386

package fieldmask_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/fieldmask"
	"github.com/seamgo/seam/thrift/internal/kinds/masked"
)

func item(name string, parts ...*masked.Item) *masked.Item {
	return &masked.Item{Name: name, Price: thrift.Ptr(1.5), Sold: true, New_: thrift.Ptr(true), Stock: 7, Parts: parts}
}

// order has something in every field, so that what is missing afterwards was left out.
func order() *masked.Order {
	return &masked.Order{
		ID: 1, Items: []*masked.Item{item("a", item("a0"), item("a1")), item("b"), item("c")},
		ByName:   map[string]*masked.Item{"x": item("x"), "y": item("y"), "a,b]}": item("z")},
		ByNumber: map[int32][]string{-1: {"m", "n"}, 2: {"o"}}, Gift: item("gift"),
		Colours: []masked.Colour{masked.Colour_RED, masked.Colour_GREEN}, OfColour: map[masked.Colour]string{1: "r", 2: "g"},
		Flags: map[bool]int16{true: 1, false: 2}, Must: item("must"), Choice: &masked.Choice{Item: item("choice")},
		Grid: [][]int32{{1, 2, 3}, {4, 5}, {6}}, Raw: []byte("raw"), InPlace: []masked.Item{*item("p"), *item("q")},
		Longs: map[int64]int64{1 << 40: 1, -3: 2}, Bytes_: map[int8]*masked.Item{-5: item("five"), 6: item("six")},
		Shorts: map[int16]bool{300: true, -300: false}, Last: true, Far: "far",
	}
}

// bare is what is always there: required fields.
func bare() *masked.Order { return &masked.Order{ID: 1, Must: item("must")} }

func only(change func(o, all *masked.Order)) *masked.Order {
	o := bare()
	change(o, order())
	return o
}

func without(change func(o *masked.Order)) *masked.Order {
	o := order()
	change(o)
	return o
}

// What each list of paths leaves, in either protocol, written and read.
func TestMasks(t *testing.T) {
	for _, c := range []struct {
		paths string
		black bool
		want  *masked.Order
	}{
		{"", false, order()},
		{"", true, order()},
		{"$", false, order()},
		{"$.*", false, order()},
		{"$", true, bare()},
		{"$.id", false, bare()},
		{"$.far", false, only(func(o, all *masked.Order) { o.Far = all.Far })},
		{"$.300 $.last", false, only(func(o, all *masked.Order) { o.Far, o.Last = all.Far, true })},
		{"$.items", false, only(func(o, all *masked.Order) { o.Items = all.Items })},
		{"$.items[*]", false, only(func(o, all *masked.Order) { o.Items = all.Items })},
		{"$.items[0,2].name", false, only(func(o, _ *masked.Order) { o.Items = []*masked.Item{{Name: "a"}, {Name: "c"}} })},
		{"$.items[*].name $.items[1].stock", false, only(func(o, _ *masked.Order) {
			o.Items = []*masked.Item{{Name: "a"}, {Name: "b", Stock: 7}, {Name: "c"}}
		})},
		{"$.items[0].parts[1].sold $.items[0].parts[1].new_", false, only(func(o, _ *masked.Order) {
			o.Items = []*masked.Item{{Parts: []*masked.Item{{Sold: true, New_: thrift.Ptr(true)}}}}
		})},
		{"$.items[77]", false, only(func(o, _ *masked.Order) { o.Items = []*masked.Item{} })},
		{`$.by_name{"x"} $.by_name{"y"}.name`, false, only(func(o, all *masked.Order) {
			o.ByName = map[string]*masked.Item{"x": all.ByName["x"], "y": {Name: "y"}}
		})},
		{`$.by_name{"a,b]}"}.stock`, false, only(func(o, _ *masked.Order) { o.ByName = map[string]*masked.Item{"a,b]}": {Stock: 7}} })},
		{`$.by_name{*}.stock`, false, only(func(o, _ *masked.Order) {
			o.ByName = map[string]*masked.Item{"x": {Stock: 7}, "y": {Stock: 7}, "a,b]}": {Stock: 7}}
		})},
		{`$.by_number{-1}[1]`, false, only(func(o, _ *masked.Order) { o.ByNumber = map[int32][]string{-1: {"n"}} })},
		{"$.of_colour{2} $.colours[1]", false, only(func(o, _ *masked.Order) {
			o.OfColour, o.Colours = map[masked.Colour]string{2: "g"}, []masked.Colour{2}
		})},
		{"$.flags{*}", false, only(func(o, all *masked.Order) { o.Flags = all.Flags })},
		{"$.must.name", false, &masked.Order{ID: 1, Must: &masked.Item{Name: "must"}}},
		{"$.choice.text", false, only(func(o, all *masked.Order) { o.Choice = all.Choice })},
		{"$.choice.item.name", false, only(func(o, _ *masked.Order) { o.Choice = &masked.Choice{Item: &masked.Item{Name: "choice"}} })},
		{"$.grid[1,2][0]", false, only(func(o, _ *masked.Order) { o.Grid = [][]int32{{4}, {6}} })},
		{"$.grid[*][1] $.grid[0][2]", false, only(func(o, _ *masked.Order) { o.Grid = [][]int32{{2, 3}, {5}, {}} })},
		{"$.in_place[1].price", false, only(func(o, _ *masked.Order) { o.InPlace = []masked.Item{{Price: thrift.Ptr(1.5)}} })},
		{"$.longs{1099511627776} $.bytes_{-5}.name $.shorts{300}", false, only(func(o, _ *masked.Order) {
			o.Longs, o.Bytes_, o.Shorts = map[int64]int64{1 << 40: 1}, map[int8]*masked.Item{-5: {Name: "five"}}, map[int16]bool{300: true}
		})},
		{"$.id $.must $.choice $.items", true, without(func(o *masked.Order) { o.Items = nil })}, // the union's own field is not optional: see below
		{"$.items[0,1] $.gift.price $.far", true, without(func(o *masked.Order) {
			o.Items, o.Gift.Price, o.Far = o.Items[2:], nil, ""
		})},
		{"$.items[*].parts $.by_number{*}[0]", true, without(func(o *masked.Order) {
			o.Items[0].Parts = nil
			o.ByNumber = map[int32][]string{-1: {"n"}, 2: {}}
		})},
	} {
		if strings.Contains(c.paths, "$.choice $") {
			c.want.Choice = nil
		}
		m, err := fieldmask.NewOptions[masked.Order](fieldmask.Options{BlackList: c.black}, strings.Fields(c.paths)...)
		if err != nil {
			t.Errorf("%s: %v", c.paths, err)
			continue
		}
		check(t, fmt.Sprintf("%s, black %t", c.paths, c.black), m, order(), c.want)
	}
}

// check holds a mask to what it leaves, by all ways there are.
func check(t *testing.T, name string, m *fieldmask.Mask[masked.Order], o, want *masked.Order) {
	t.Helper()
	set := o.Clone()
	set.Set_FieldMask(m)
	for _, p := range []struct {
		name           string
		mask           func([]byte, *masked.Order) ([]byte, error)
		all, generated func([]byte) ([]byte, error)
		read           func([]byte, *masked.Order, thrift.Options) (int, error)
		plain          func(*masked.Order, []byte) error
	}{
		{"binary", m.AppendBinary, o.AppendBinary, set.AppendBinary, m.DecodeBinary, (*masked.Order).DecodeBinary},
		{"compact", m.AppendCompact, o.AppendCompact, set.AppendCompact, m.DecodeCompact, (*masked.Order).DecodeCompact},
	} {
		written, err := p.mask([]byte("before"), o)
		if err != nil || !bytes.HasPrefix(written, []byte("before")) {
			t.Errorf("%s, %s: %v, % x", name, p.name, err, written)
			continue
		}
		var got, read, generated masked.Order
		if err := p.plain(&got, written[6:]); err != nil || !got.Equal(want) {
			t.Errorf("%s, %s: %v\nwritten %v\nwant    %v", name, p.name, err, &got, want)
		}
		if b, err := p.generated([]byte("x")); err != nil || b[0] != 'x' || p.plain(&generated, b[1:]) != nil || !generated.Equal(want) {
			t.Errorf("%s, %s: the generated encoder: %v\nwritten %v\nwant    %v", name, p.name, err, &generated, want)
		}
		full, _ := p.all(nil)
		if n, err := p.read(append(full, "behind"...), &read, thrift.Options{Views: true}); err != nil || n != len(full) || !read.Equal(want) {
			t.Errorf("%s, %s: %v, %d of %d bytes\nread %v\nwant %v", name, p.name, err, n, len(full), &read, want)
		}
	}
}

// A mask goes with a struct into whatever it is a part of.
func TestPartOfAnother(t *testing.T) {
	o := order()
	o.Items[1].Set_FieldMask(fieldmask.Must(fieldmask.New[masked.Item]("$.name")))
	if o.Items[1].Get_FieldMask() == nil || (*masked.Item)(nil).Get_FieldMask() != nil {
		t.Error("Get_FieldMask")
	}
	want := order()
	want.Items[1] = &masked.Item{Name: "b"}
	check(t, "one of a list", nil, o, want)
	want = bare()
	want.Items = []*masked.Item{{Name: "a", Stock: 7}, {Name: "b"}, {Name: "c", Stock: 7}}
	check(t, "both", fieldmask.Must(fieldmask.New[masked.Order]("$.items[*].name", "$.items[*].stock")), o, want)
}

// An object that contains itself is refused with a mask as without.
func TestCycle(t *testing.T) {
	i := item("a")
	i.Parts = []*masked.Item{i}
	i.Set_FieldMask(fieldmask.Must(fieldmask.New[masked.Item]("$.name")))
	if _, err := i.AppendBinary(nil); !errors.Is(err, thrift.ErrCycle) {
		t.Error(err)
	}
	if _, err := i.AppendCompact(nil); !errors.Is(err, thrift.ErrCycle) {
		t.Error(err)
	}
}

// Each mistake in a path is said with its place.
func TestMistakes(t *testing.T) {
	for path, want := range map[string]string{
		"":                        `doesn't begin with $`,
		"id":                      `doesn't begin with $`,
		"$id":                     `expected . [ or {, found "i" at byte 2`,
		"$.":                      `the name of a field is missing at byte 3`,
		"$.itms":                  `Order has no field "itms" (it has id, items, by_name, by_number, gift, colours, of_colour, flags, must, choice, …) at byte 3`,
		"$.77":                    `Order has no field "77"`,
		"$.gift.nme":              `Item has no field "nme" (it has name, price, sold, new_, parts, stock) at byte 8`,
		"$.id.x":                  `a i64 has no fields: .x at byte 5`,
		"$.id[0]":                 `a i64 has no elements by number: [ at byte 5`,
		"$.gift{1}":               `a struct Item has no keys: { at byte 7`,
		"$.items.name":            `a list has no fields: .name`,
		"$.items[x]":              `"x" is no index of a list at byte 9`,
		"$.items[-1]":             `"-1" is no index of a list`,
		"$.items[]":               `an index, a key or * is missing at byte 9`,
		"$.items[1,]":             `an index, a key or * is missing at byte 11`,
		"$.items[1":               `expected , or ] at byte 10`,
		"$.items[1}":              `expected , or ] at byte 10`,
		"$.items[1]name":          `expected . [ or {`,
		"$.items[99999999999]":    `is no index of a list`,
		"$.by_name{x}":            `keys of this map are text, in quotation marks; found "x"`,
		`$.by_name{"x}`:           `the quotation mark has no second one`,
		`$.by_number{"x"}`:        `keys of this map are numbers of 32 bits; found "\"x\""`,
		"$.bytes_{200}":           `keys of this map are numbers of 8 bits; found "200"`,
		"$.flags{1}":              `keys of this map are of type bool, which no path can name: only {*} is possible`,
		"$.gift.*.name":           `.* stands for all of a struct's fields, so the path ends there`,
		strings.Repeat("$", 1000): `expected . [ or {`,
		"$" + strings.Repeat(".items[*].parts[0]", 200): `Item has no field "items"`,
		"$.items[0]" + strings.Repeat(".parts[0]", 200): `it has more than 256 steps`,
	} {
		m, err := fieldmask.New[masked.Order](path)
		if m != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v\nwant %s", path, err, want)
		}
		if err != nil && len(err.Error()) > 400 {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
	}
	if _, err := fieldmask.New[int](); err == nil || !strings.Contains(err.Error(), "int is no struct that seam gen has written") {
		t.Error(err)
	}
	if _, err := fieldmask.New[struct{ A int }](); err == nil {
		t.Error("a struct of nobody is accepted")
	}
}

// Paths of a stranger can't make a mask that is large or takes long.
func TestTooLarge(t *testing.T) {
	step := "[0,1,2,3,4,5,6,7,8,9]"
	deep := strings.Repeat(".parts"+step, 6)
	if _, err := fieldmask.New[masked.Order]("$.items" + step + deep); err == nil || !strings.Contains(err.Error(), "more than 10000 places") {
		t.Error(err)
	}
	// Stars that apply to each of many elements.
	var paths []string
	for k := range 90 {
		paths = append(paths, fmt.Sprintf("$.items[%d].name", k), fmt.Sprintf("$.items[*].parts[%d].name", k))
	}
	if _, err := fieldmask.New[masked.Order](append(paths, "$.items[*].parts[*].parts[*].name")...); err == nil || !strings.Contains(err.Error(), "more than 10000 places") {
		t.Error(err)
	}
}

func TestPaths(t *testing.T) {
	m := fieldmask.Must(fieldmask.NewOptions[masked.Order](fieldmask.Options{BlackList: true}, "$.far", "$.raw"))
	paths, opt := m.Paths()
	if strings.Join(paths, " ") != "$.far $.raw" || !opt.BlackList {
		t.Error(paths, opt)
	}
	if paths, opt := (*fieldmask.Mask[masked.Order])(nil).Paths(); paths != nil || opt.BlackList {
		t.Error(paths, opt)
	}
	defer func() {
		if recover() == nil {
			t.Error("Must accepts a mistake")
		}
	}()
	fieldmask.Must(fieldmask.New[masked.Order]("$.x"))
}

// Errors are those of a decoder without a mask, at their place in the whole message.
func TestErrors(t *testing.T) {
	m := fieldmask.Must(fieldmask.New[masked.Order]("$.far", "$.items[2]"))
	for _, compact := range []bool{false, true} {
		o := order()
		b, _ := o.AppendBinary(nil)
		read, plain := m.DecodeBinary, func(b []byte, o *masked.Order) (int, error) {
			return thrift.DecodeBinary(b, o, thrift.Options{UTF8: true})
		}
		if compact {
			b, _ = o.AppendCompact(nil)
			read, plain = m.DecodeCompact, func(b []byte, o *masked.Order) (int, error) {
				return thrift.DecodeCompact(b, o, thrift.Options{UTF8: true})
			}
		}
		at := bytes.LastIndex(b, []byte("far"))
		b[at] = 0xFF
		_, want := plain(b, new(masked.Order))
		_, err := read(b, new(masked.Order), thrift.Options{UTF8: true})
		if err == nil || err.Error() != want.Error() {
			t.Errorf("%v, without a mask %v", err, want)
		}
		b[at] = 'f'
		for n := range len(b) {
			_, want := plain(b[:n], new(masked.Order))
			_, err := read(b[:n], new(masked.Order), thrift.Options{})
			if err == nil || err.Error() != want.Error() {
				t.Fatalf("%d of %d bytes: %v, without a mask %v", n, len(b), err, want)
			}
		}
		if _, err := read(b, new(masked.Order), thrift.Options{Limits: thrift.Limits{Message: 10}}); !errors.Is(err, thrift.ErrLimit) {
			t.Error(err)
		}
	}
}

// Whatever the bytes and the paths: a mask accepts what decoders accept, both protocols agree,
// and nothing is left of a message that a path and its opposite leave out.
func FuzzMask(f *testing.F) {
	b, _ := order().AppendBinary(nil)
	c, _ := order().AppendCompact(nil)
	for _, path := range []string{"$", "$.items[0].name", `$.by_name{"x"}.parts[*]`, "$.by_number{-1,2}[0]", "$.grid[*][1] $.grid[0][2]", "$.choice.text", "$.*"} {
		for _, black := range []bool{false, true} {
			f.Add(path, black, false, b)
			f.Add(path, black, true, c)
		}
	}
	f.Fuzz(func(t *testing.T, path string, black, compact bool, b []byte) {
		m, err := fieldmask.NewOptions[masked.Order](fieldmask.Options{BlackList: black}, strings.Fields(path)...)
		if err != nil {
			if len(err.Error()) > 1000 { // two texts of 80 bytes, each of which may be quoted as four
				t.Fatalf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		var o, read masked.Order
		var n, whole int
		opt := thrift.Options{Limits: thrift.Limits{Message: 1 << 16}}
		if compact {
			whole, err = thrift.DecodeCompact(b, &o, opt)
			n, _ = m.DecodeCompact(b, &read, opt)
		} else {
			whole, err = thrift.DecodeBinary(b, &o, opt)
			n, _ = m.DecodeBinary(b, &read, opt)
		}
		if err != nil {
			return
		}
		if n != whole {
			t.Fatalf("the mask %q ends at %d, the message at %d", path, n, whole)
		}
		if !o.Equal(&o) {
			return // it has a number that is none
		}
		bin, err1 := m.AppendBinary(nil, &o)
		com, err2 := m.AppendCompact(nil, &o)
		if errors.Is(err1, thrift.ErrUnion) && errors.Is(err2, thrift.ErrUnion) {
			return // its only member is unknown
		}
		var x, y masked.Order
		if err1 != nil || err2 != nil || x.DecodeBinary(bin) != nil || y.DecodeCompact(com) != nil {
			t.Fatalf("%q: %v, %v: what was written can't be read: % x, % x", path, err1, err2, bin, com)
		}
		if !x.Equal(&y) {
			t.Fatalf("%q: the protocols differ:\n%v\n%v", path, &x, &y)
		}
		// Of duplicate fields and keys the last counts, so what was read may differ from what
		// was written; writing it once more must not change it, unless elements have moved.
		if !strings.Contains(path, "[") && !x.Equal(&read) {
			again, err := m.AppendBinary(nil, &read)
			var z masked.Order
			if err != nil || z.DecodeBinary(again) != nil || !z.Equal(&read) {
				t.Fatalf("%q: %v:\nread  %v\nagain %v", path, err, &read, &z)
			}
		}
	})
}
