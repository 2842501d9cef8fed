package codec_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/codec"
	"github.com/seamgo/seam/thrift/internal/kinds"
)

func TestEveryTypeComesBackAsItWas(t *testing.T) {
	codecCases(t, 60, func(t *testing.T, c codecCase) {
		m := c.message()
		b := encode(t, m, c.c)
		fresh := c.make()
		if err := decode(b, fresh, c.c); err != nil {
			t.Fatalf("%s: %v\n%v", c.name, err, m)
		}
		if !equal(m, fresh) || !equal(fresh, m) {
			t.Fatalf("%s: %s", c.name, difference(fresh, m))
		}
		again := encode(t, fresh, c.c)
		if len(again) != len(b) {
			t.Fatalf("%s: %d bytes when it is written again, %d before", c.name, len(again), len(b))
		}
		if clone := reflect.ValueOf(fresh).MethodByName("Clone").Call(nil)[0].Interface().(thrift.Message); !equal(clone, m) {
			t.Fatalf("%s: a clone is not equal", c.name)
		}
		// What is read must not be in the input.
		for i := range b {
			b[i] = 0xA5
		}
		if !equal(m, fresh) {
			t.Fatalf("%s: the message changes with the bytes that it was read from", c.name)
		}
	})
}

// What was in an object before doesn't matter.
func TestAUsedObjectIsReplaced(t *testing.T) {
	codecCases(t, 40, func(t *testing.T, c codecCase) {
		m := c.message()
		b := encode(t, m, c.c)
		used := c.make()
		for round := range uint64(4) {
			fill(used, 1000+10*c.seed+round)
			if round > 1 { // read, not filled
				other := encode(t, used, c.c)
				used = c.make()
				if err := decode(other, used, c.c); err != nil {
					t.Fatal(err)
				}
			}
			if err := decode(b, used, c.c); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if !equal(used, m) || !equal(m, used) {
				t.Fatalf("%s: %s", c.name, difference(used, m))
			}
		}
	})
}

func TestProtocolsCarryTheSame(t *testing.T) {
	codecCases(t, 20, func(t *testing.T, c codecCase) {
		m, other := c.message(), c.make()
		if err := decode(encode(t, m, c.c), other, c.c); err != nil {
			t.Fatal(err)
		}
		third := c.make()
		if err := decode(encode(t, other, !c.c), third, !c.c); err != nil {
			t.Fatal(err)
		}
		if !equal(third, m) {
			t.Fatalf("%s: %s", c.name, difference(third, m))
		}
	})
}

func TestViewsAreEqualToCopies(t *testing.T) {
	opt := thrift.Options{Views: true, UTF8: true}
	codecCases(t, 20, func(t *testing.T, c codecCase) {
		m := c.message()
		b := encode(t, m, c.c)
		fresh, used := c.make(), c.make()
		fill(used, c.seed+77)
		for _, got := range []thrift.Message{fresh, used} {
			n, err := decodeWith(b, got, c.c, opt)
			if err != nil || n != len(b) {
				t.Fatalf("%s: %d of %d bytes, %v", c.name, n, len(b), err)
			}
			if !equal(got, m) {
				t.Fatalf("%s: %s", c.name, difference(got, m))
			}
		}
	})
}

// Encoding appends: what is before and behind in the buffer stays.
func TestEncodingTouchesOnlyWhatItAppends(t *testing.T) {
	codecCases(t, 10, func(t *testing.T, c codecCase) {
		m := c.message()
		size := len(encode(t, m, c.c))
		for _, spare := range []int{0, 1, size - 1, size, size + 1, size + 100} {
			if spare < 0 {
				continue
			}
			area := bytes.Repeat([]byte{0xA5}, 8+spare+64)
			b, err := appendTo(area[:8:8+spare], m, c.c)
			if err != nil {
				t.Fatal(err)
			}
			if len(b) != 8+size {
				t.Fatalf("%s: %d bytes behind 8, want %d", c.name, len(b), 8+size)
			}
			if !bytes.Equal(area[:8], bytes.Repeat([]byte{0xA5}, 8)) || !bytes.Equal(b[:8], area[:8]) {
				t.Fatalf("%s: %d bytes of room: what was before has changed", c.name, spare)
			}
			behind := area[8+spare:]
			if &b[0] == &area[0] {
				behind = area[8+size:]
			}
			if !bytes.Equal(behind, bytes.Repeat([]byte{0xA5}, len(behind))) {
				t.Fatalf("%s: %d bytes of room: what is behind has changed", c.name, spare)
			}
			got := c.make()
			if err := decode(b[8:], got, c.c); err != nil || !equal(got, m) {
				t.Fatalf("%s: %d bytes of room: %v", c.name, spare, err)
			}
		}
	})
}

func TestListsOfAllLengthsComeBack(t *testing.T) {
	for n := range 70 {
		m := new(kinds.Lists)
		for k := range n {
			m.Bools = append(m.Bools, k%3 == 0)
			m.I8s = append(m.I8s, int8(k-35))
			m.I16s = append(m.I16s, int16(k*1000-35000))
			m.I32s = append(m.I32s, int32(k)*100000000-math.MaxInt32)
			m.I64s = append(m.I64s, int64(k)<<57-int64(k))
			m.Doubles = append(m.Doubles, math.Ldexp(1, k*20-700))
			m.Strings = append(m.Strings, fmt.Sprint(k))
			m.Binaries = append(m.Binaries, make([]byte, k))
			m.Uuids = append(m.Uuids, thrift.UUID{0: byte(k), 15: byte(n)})
			m.Colours = append(m.Colours, kinds.Colour(k-3))
			m.Points = append(m.Points, &kinds.Point{X: int32(k), Y: -int32(k)})
			m.Nothings = append(m.Nothings, &kinds.Nothing{})
			m.Matrix = append(m.Matrix, make([]int64, k%5))
		}
		for _, c := range []codec.InCompact{false, true} {
			got := new(kinds.Lists)
			if err := decode(encode(t, m, c), got, c); err != nil || !equal(got, m) {
				t.Fatalf("%d elements, %v: %v", n, c, err)
			}
		}
	}
}

func TestNotANumberComesBack(t *testing.T) {
	nan := math.Float64frombits(0x7FF8_0000_0000_1234)
	for _, c := range []codec.InCompact{false, true} {
		m := &kinds.Scalars{ADouble: nan}
		got := new(kinds.Scalars)
		if err := decode(encode(t, m, c), got, c); err != nil {
			t.Fatal(err)
		}
		if math.Float64bits(got.ADouble) != math.Float64bits(nan) {
			t.Errorf("%v: got %x", c, math.Float64bits(got.ADouble))
		}
		maps := &kinds.Maps{ByDouble: map[float64]thrift.UUID{nan: {1}, math.NaN(): {2}}}
		gotMaps := &kinds.Maps{ByDouble: map[float64]thrift.UUID{math.NaN(): {3}}}
		if err := decode(encode(t, maps, c), gotMaps, c); err != nil {
			t.Fatal(err)
		}
		if len(gotMaps.ByDouble) != 2 {
			t.Errorf("%v: %d keys that are not numbers, want 2", c, len(gotMaps.ByDouble))
		}
	}
}

// Fields that are absent have what New gives.
func TestAbsentFieldsGetTheirDefaults(t *testing.T) {
	least := &kinds.Defaults{Needed: 1, NeededText: "x"}
	for _, c := range []codec.InCompact{false, true} {
		// A message of nothing but the required fields: Defaults without the rest.
		b := []byte{8, 0, 41, 0, 0, 0, 1, 11, 0, 42, 0, 0, 0, 1, 'x', 0}
		if c {
			b = []byte{0x05, 82, 2, 0x18, 1, 'x', 0}
		}
		want := kinds.NewDefaults()
		want.Needed, want.NeededText = least.Needed, least.NeededText
		used := new(kinds.Defaults)
		fill(used, 9)
		for name, got := range map[string]*kinds.Defaults{"fresh": new(kinds.Defaults), "used": used} {
			if err := decode(b, got, c); err != nil {
				t.Fatalf("%v, %s: %v", c, name, err)
			}
			if !got.Equal(want) {
				t.Errorf("%v, %s: got\n%v\nwant\n%v", c, name, got, want)
			}
			if got.MaybeI32 != nil || got.GetMaybeI32() != -320000 || got.GetMaybePoint().Y != -1 {
				t.Errorf("%v, %s: an optional field that is absent has a value, or no default", c, name)
			}
		}
	}
}

// Reading into a message that has defaults must not write into the defaults.
func TestDefaultsAreNotShared(t *testing.T) {
	for _, c := range []codec.InCompact{false, true} {
		a := kinds.NewDefaults()
		a.Primes = []int32{9, 9, 9}
		a.Sizes = map[string]int32{"huge": 100}
		b := encode(t, a, c)
		used := kinds.NewDefaults()
		if err := decode(b, used, c); err != nil {
			t.Fatal(err)
		}
		optional := kinds.NewDefaults()
		optional.MaybePrimes = optional.GetMaybePrimes()
		if err := decode(b, optional, c); err != nil {
			t.Fatal(err)
		}
		if kinds.PRIMES[0] != 2 || kinds.SIZES["small"] != 1 || len(kinds.SIZES) != 2 {
			t.Fatalf("%v: constants have changed to %v, %v", c, kinds.PRIMES, kinds.SIZES)
		}
		if fresh := kinds.NewDefaults(); fresh.Primes[0] != 2 || fresh.Sizes["small"] != 1 || fresh.APoint.X != 1 {
			t.Fatalf("%v: defaults have changed to %v", c, fresh)
		}
	}
}

// A field that comes again and again, with a map that is not large, must not
// clear a large map of before each time.
func TestAMapIsClearedOnlyOnce(t *testing.T) {
	large := make(map[string]string, 1000)
	small := make(map[string]*kinds.Tree, 1000)
	for _, x := range []struct {
		make  func() thrift.Message
		input string
		again func(m thrift.Message) bool // the map of before is there
	}{
		{func() thrift.Message { return &kinds.Maps{ByString: large} }, "0d 0007 0b 0b 00000000", func(m thrift.Message) bool { return sameMap(m.(*kinds.Maps).ByString, large) }},
		{func() thrift.Message { return &kinds.Tree{Named: small} }, "0d 0003 0b 0c 00000000", func(m thrift.Message) bool { return sameMap(m.(*kinds.Tree).Named, small) }},
		{func() thrift.Message { return &kinds.Tree{Left: &kinds.Tree{Named: small}} }, "0c 0004 0d 0003 0b 0c 00000000 00", func(m thrift.Message) bool { return sameMap(m.(*kinds.Tree).Left.Named, small) }},
		{func() thrift.Message { return &kinds.Tree{Children: []*kinds.Tree{{Named: small}}} }, "0f 0002 0c 00000001 0d 0003 0b 0c 00000000 00", func(m thrift.Message) bool { return sameMap(m.(*kinds.Tree).Children[0].Named, small) }},
	} {
		for times := 1; times <= 3; times++ {
			m := x.make()
			b := bytes.Repeat(wire(t, x.input), times)
			if err := m.DecodeBinary(append(b, 0)); err != nil {
				t.Fatal(err)
			}
			if got, want := x.again(m), times == 1; got != want {
				t.Errorf("%s, %d times: the map of before is used again: %v", x.input, times, got)
			}
		}
	}
}

func sameMap[K comparable, V any](a, b map[K]V) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}
