package codec

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

func sameSlices(a, b []int32) bool { return slices.Equal(a, b) }

func TestEqualSetFunc(t *testing.T) {
	for _, c := range []struct {
		a, b [][]int32
		want bool
	}{
		{nil, [][]int32{}, true},
		{[][]int32{{1}, {2, 3}}, [][]int32{{2, 3}, {1}}, true},
		{[][]int32{{2, 3}, {3, 2}}, [][]int32{{3, 2}, {2, 3}}, true},
		{[][]int32{{2, 3}, {2, 3}}, [][]int32{{3, 2}, {2, 3}}, false},
		{[][]int32{{1}, {1}, {2}}, [][]int32{{2}, {2}, {1}}, false},
		{[][]int32{{1}}, [][]int32{{1}, {1}}, false},
		{[][]int32{nil, {1}}, [][]int32{{1}, {}}, true},
	} {
		if got := EqualSetFunc(c.a, c.b, sameSlices); got != c.want {
			t.Errorf("%v and %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// Two large sets in opposite order must not be compared each with each.
func TestEqualOfLargeSets(t *testing.T) {
	a := make([][]int32, 100_000)
	for i := range a {
		a[i] = []int32{int32(i), 7}
	}
	b := slices.Clone(a)
	slices.Reverse(b)
	calls := 0
	equal := func(a, b []int32) bool { calls++; return slices.Equal(a, b) }
	if !EqualSetFunc(a, b, equal) {
		t.Error("not equal")
	}
	if calls > 3*len(a) {
		t.Errorf("%d comparisons for %d elements", calls, len(a))
	}
}

func TestEqualSet(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		a, b []float64
		want bool
	}{
		{nil, []float64{}, true},
		{[]float64{1, 2, 2}, []float64{2, 1, 2}, true},
		{[]float64{1, 2, 2}, []float64{2, 1, 1}, false},
		{[]float64{nan}, []float64{nan}, false},
		{[]float64{nan, 1}, []float64{1, nan}, false},
	} {
		if got := EqualSet(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestEqualPairs(t *testing.T) {
	type pair = Pair[[]int32, string]
	a := []pair{{[]int32{1}, "a"}, {[]int32{2}, "b"}}
	b := []pair{{[]int32{2}, "b"}, {[]int32{1}, "a"}}
	if !EqualPairs(a, b, sameSlices, Same[string]) {
		t.Error("the order of pairs counts")
	}
	b[0].Value, b[1].Value = "a", "b"
	if EqualPairs(a, b, sameSlices, Same[string]) {
		t.Error("values are not compared with their keys")
	}
}

func TestClone(t *testing.T) {
	type pair = Pair[[]int32, []byte]
	pairs := []pair{{[]int32{1}, []byte("x")}}
	c := pairs
	ClonePairs(&c, CloneSlice[[]int32], CloneSlice[[]byte])
	c[0].Key[0], c[0].Value[0] = 9, 'y'
	if !reflect.DeepEqual(pairs, []pair{{[]int32{1}, []byte("x")}}) {
		t.Errorf("the original became %v", pairs)
	}
	text := []byte("key")
	view := map[string][]byte{string(text): text}
	CloneStringMap(&view, CloneSlice[[]byte])
	text[0] = 'x'
	if string(view["key"]) != "key" {
		t.Errorf("the copy became %q", view)
	}
	var none map[string][]byte
	CloneStringMap(&none, nil)
	CloneValues(&none, nil)
	CloneMap(&none)
	if none != nil {
		t.Error("nil became a map")
	}
}

func TestFormatOfLargeMaps(t *testing.T) {
	type message struct {
		M map[int64]string `thrift:"m,1,default,map<i64,string>"`
	}
	m := message{map[int64]string{}}
	for i := range int64(100_000) {
		m.M[i] = "x"
	}
	if got := Format(&m); len(got) > 2000 {
		t.Errorf("%d bytes", len(got))
	}
	m.M = map[int64]string{3: "c", -1: "a", 2: "b"}
	if got := Format(&m); got != `message{m: {-1: "a", 2: "b", 3: "c"}}` {
		t.Error(got)
	}
}
