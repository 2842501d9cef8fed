package codec_test

import (
	"cmp"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/codec"
	"github.com/seamgo/seam/thrift/internal/kinds"
)

// An extent is memory that a value of a message may use: for a slice up to
// its capacity.
type extent struct {
	from, to uintptr
	align    uintptr
	text     bool // a string, binary or list<i8>, which may be a view of the input
	path     string
}

// extents are those of all strings, slices of values without pointers, and
// pointers to such values.
func extents(v reflect.Value, path string, list []extent) []extent {
	flat := func(k reflect.Kind) bool {
		return k >= reflect.Bool && k <= reflect.Int64 || k == reflect.Float64 || k == reflect.Uint8 || k == reflect.Array
	}
	switch v.Kind() {
	case reflect.String:
		if s := v.String(); len(s) > 0 {
			from := uintptr(unsafe.Pointer(unsafe.StringData(s)))
			list = append(list, extent{from, from + uintptr(len(s)), 1, true, path})
		}
	case reflect.Pointer:
		if v.IsNil() {
			break
		}
		if flat(v.Elem().Kind()) {
			from := v.Pointer()
			return append(list, extent{from, from + v.Elem().Type().Size(), uintptr(v.Elem().Type().Align()), false, path})
		}
		return extents(v.Elem(), path, list)
	case reflect.Struct:
		for k := range v.NumField() {
			list = extents(v.Field(k), path+"."+v.Type().Field(k).Name, list)
		}
	case reflect.Map:
		for e := v.MapRange(); e.Next(); {
			list = extents(e.Key(), fmt.Sprintf("%s[%v].key", path, e.Key()), list)
			list = extents(e.Value(), fmt.Sprintf("%s[%v]", path, e.Key()), list)
		}
	case reflect.Slice:
		if flat(v.Type().Elem().Kind()) {
			elem := v.Type().Elem()
			if v.Cap() > 0 {
				list = append(list, extent{v.Pointer(), v.Pointer() + uintptr(v.Cap())*elem.Size(), uintptr(elem.Align()), elem.Size() == 1 && elem.Kind() != reflect.Bool, path})
			}
			break
		}
		for k := range v.Len() {
			list = extents(v.Index(k), fmt.Sprintf("%s[%d]", path, k), list)
		}
	}
	return list
}

// checkExtents finds values of a message that share memory with another or
// with the input, and numbers that are not aligned.
func checkExtents(t *testing.T, m thrift.Message, input []byte, views bool) {
	t.Helper()
	list := extents(reflect.ValueOf(m), typeName(m), nil)
	slices.SortFunc(list, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	from := uintptr(unsafe.Pointer(unsafe.SliceData(input)))
	to := from + uintptr(cap(input))
	for k, e := range list {
		if e.from%e.align != 0 {
			t.Errorf("%s is at %#x, which is no multiple of %d", e.path, e.from, e.align)
		}
		if inside := e.from < to && e.to > from; inside != (views && e.text) {
			t.Errorf("%s is in the input: %v, views: %v", e.path, inside, views)
		}
		if k > 0 && list[k-1].to > e.from {
			t.Errorf("%s and %s share memory", list[k-1].path, e.path)
		}
	}
	runtime.KeepAlive(m)
	runtime.KeepAlive(input)
}

// Whatever is appended to a slice of a message or written into it leaves the
// rest as it was.
func TestValuesOfAMessageShareNoMemory(t *testing.T) {
	codecCases(t, 6, func(t *testing.T, c codecCase) {
		b := encode(t, c.message(), c.c)
		for _, views := range []bool{false, true} {
			fresh := c.make()
			if _, err := decodeWith(b, fresh, c.c, thrift.Options{Views: views}); err != nil {
				t.Fatal(err)
			}
			checkExtents(t, fresh, b, views)
		}
		used := c.make()
		for round := range uint64(4) {
			other := c.make()
			fill(other, 500+c.seed+round)
			b := encode(t, other, c.c)
			if err := decode(b, used, c.c); err != nil {
				t.Fatal(err)
			}
			checkExtents(t, used, b, false)
		}
	})
}

func TestAppendingToABinaryLeavesItsNeighbour(t *testing.T) {
	for _, c := range []codec.InCompact{false, true} {
		m := &kinds.Lists{Binaries: [][]byte{[]byte("first"), []byte("second"), []byte("third")}, I32s: []int32{1}, I64s: []int64{2}}
		got := new(kinds.Lists)
		if err := decode(encode(t, m, c), got, c); err != nil {
			t.Fatal(err)
		}
		_ = append(got.Binaries[0], "........"...)
		_ = append(got.I32s, 7, 7, 7, 7)
		if !got.Equal(m) {
			t.Errorf("%v: got %v", c, got)
		}
	}
}

// Somebody has taken an element out of a list by append, so that beyond its
// end the last element is there again. Reading into it must not read two
// elements into one place.
func TestElementsBehindTheEndOfAListAreNotUsed(t *testing.T) {
	two := func() *kinds.Lists {
		return &kinds.Lists{
			Points:   []*kinds.Point{{X: 1}, {X: 2}, {X: 3}},
			Binaries: [][]byte{[]byte("aaaa"), []byte("bbbb"), []byte("cccc")},
			Matrix:   [][]int64{{1, 1}, {2, 2}, {3, 3}},
			Cube:     [][][]string{{{"a"}, {"b"}}, {{"c"}, {"d"}}, {{"e"}, {"f"}}},
			Maps:     []map[string]int32{{"a": 1}, {"b": 2}, {"c": 3}},
			Pairs:    [][]thrift.Pair[*kinds.Point, string]{{{Key: &kinds.Point{X: 1}}}, {{Key: &kinds.Point{X: 2}}}, {{Key: &kinds.Point{X: 3}}}},
		}
	}
	for _, c := range []codec.InCompact{false, true} {
		want := two()
		b := encode(t, want, c)
		used := two()
		used.Points = append(used.Points[:0], used.Points[1:]...)
		used.Binaries = append(used.Binaries[:0], used.Binaries[1:]...)
		used.Matrix = append(used.Matrix[:0], used.Matrix[1:]...)
		used.Cube = append(used.Cube[:0], used.Cube[1:]...)
		used.Maps = append(used.Maps[:0], used.Maps[1:]...)
		used.Pairs = append(used.Pairs[:0], used.Pairs[1:]...)
		if err := decode(b, used, c); err != nil {
			t.Fatal(err)
		}
		if !used.Equal(want) {
			t.Errorf("%v: got\n%v\nwant\n%v", c, used, want)
		}
	}
}

// The garbage collector must find everything that a message holds.
func TestMessagesSurviveGarbageCollection(t *testing.T) {
	codecCases(t, 3, func(t *testing.T, c codecCase) {
		m := c.message()
		b := encode(t, m, c.c)
		list := make([]thrift.Message, 40)
		for k := range list {
			list[k] = c.make()
			if err := decode(slices.Clone(b), list[k], c.c); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		waste := make([]string, 0, 2000)
		for k := range cap(waste) { // over what was freed by mistake
			waste = append(waste, strings.Repeat("#", k%300))
		}
		for k, got := range list {
			if !equal(got, m) {
				t.Fatalf("%s: message %d is not what it was", c.name, k)
			}
		}
		runtime.KeepAlive(waste)
	})
}
