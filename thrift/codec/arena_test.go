//seam:test race toolchains arm64 386 pointers

package codec_test

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/internal/testenv"
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
		if flat(v.Elem().Kind()) || v.Elem().Kind() == reflect.String {
			if v.Elem().Kind() == reflect.String {
				list = extents(v.Elem(), path, list)
			}
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
		if v.Type().Elem().Kind() == reflect.String && v.Cap() > 0 { // short lists share an allocation
			list = append(list, extent{v.Pointer(), v.Pointer() + uintptr(v.Cap())*unsafe.Sizeof(""), unsafe.Alignof(""), false, path})
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

// Large lists of numbers in a list share an allocation, those that are used again aside.
func TestListsInAListShareRoom(t *testing.T) {
	testenv.OneGoroutine(t)
	matrix := func(rows, columns int) [][]int64 {
		m := make([][]int64, rows)
		for k := range m {
			m[k] = make([]int64, columns+k%2)
			for j := range m[k] {
				m[k][j] = int64(k<<20 + j)
			}
		}
		return m
	}
	for _, c := range []struct{ rows, columns int }{{0, 0}, {1, 0}, {3, 7}, {40, 200}, {2, 100_000}} {
		want := &kinds.Lists{Matrix: matrix(c.rows, c.columns)}
		b := encode(t, want, false)
		got := new(kinds.Lists)
		if err := decode(b, got, false); err != nil || !got.Equal(want) {
			t.Fatalf("%d x %d: %v", c.rows, c.columns, err)
		}
		checkExtents(t, got, b, false)
		if n := testing.AllocsPerRun(20, func() { decode(b, new(kinds.Lists), false) }); c.rows == 40 && n > 20 {
			t.Errorf("%v allocations for %d lists", n, c.rows)
		}
		// Of the rows that were there, two are used again and one is too short.
		used := &kinds.Lists{Matrix: [][]int64{make([]int64, c.columns+1), make([]int64, 1), make([]int64, c.columns+1)}}
		if err := decode(b, used, false); err != nil || !used.Equal(want) {
			t.Fatalf("%d x %d: into used lists: %v", c.rows, c.columns, err)
		}
		checkExtents(t, used, b, false)
		// What is cut off, or claims more than there is, is an error in any place.
		for cut := range min(len(b), 100) {
			if err := decode(b[:len(b)-1-cut*len(b)/100], new(kinds.Lists), false); err == nil {
				t.Fatalf("%d x %d without %d bytes is accepted", c.rows, c.columns, 1+cut)
			}
		}
	}
}

// Structs of numbers are read without a call where they are as writers write them, and by their
// decoder where they aren't: with fields in another order, missing, unknown or cut off. Their
// memory isn't cleared beforehand.
func TestStructsOfNumbersInAList(t *testing.T) {
	x := []byte{8, 0, 1, 0, 0, 0, 5}
	y := []byte{8, 0, 2, 0, 0, 0, 9}
	unknown := []byte{11, 0, 9, 0, 0, 0, 1, 'u'}
	join := func(parts ...[]byte) []byte { return append(bytes.Join(parts, nil), 0) }
	elements := []struct {
		b     []byte
		want  kinds.Point
		wrong bool
	}{
		{b: join(x, y), want: kinds.Point{X: 5, Y: 9}}, {b: join(y, x), want: kinds.Point{X: 5, Y: 9}},
		{b: join(x, y, unknown), want: kinds.Point{X: 5, Y: 9}}, {b: join(unknown, x, y), want: kinds.Point{X: 5, Y: 9}},
		{b: join(x, y, x), want: kinds.Point{X: 5, Y: 9}},
		{b: join(x), wrong: true}, {b: join(y), wrong: true}, {b: join(), wrong: true},
	}
	// Something to be left in the memory.
	dirty := &kinds.Lists{I64s: slices.Repeat([]int64{-1}, 500)}
	dirtyBytes := encode(t, dirty, false)
	for first := range elements {
		for second := range elements {
			for range 3 {
				if err := decode(dirtyBytes, new(kinds.Lists), false); err != nil {
					t.Fatal(err)
				}
			}
			list := []byte{15, 0, 11, 12, 0, 0, 0, 2}
			list = append(append(append(list, elements[first].b...), elements[second].b...), 0)
			for _, got := range []*kinds.Lists{{}, {Points: []*kinds.Point{{X: 77, Y: 78}, {X: 79, Y: 80}}}} {
				err := decode(list, got, false)
				if elements[first].wrong || elements[second].wrong {
					if err == nil {
						t.Errorf("elements %d and %d: a required field is missing", first, second)
					}
					continue
				}
				if err != nil || len(got.Points) != 2 || *got.Points[0] != elements[first].want || *got.Points[1] != elements[second].want {
					t.Errorf("elements %d and %d: got %v, %v", first, second, got.Points, err)
				}
			}
			for cut := 1; cut < len(list); cut++ {
				if err := decode(list[:len(list)-cut], new(kinds.Lists), false); err == nil {
					t.Errorf("elements %d and %d without %d bytes are accepted", first, second, cut)
				}
			}
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
