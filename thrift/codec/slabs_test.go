package codec_test

import (
	"testing"
	"unsafe"

	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/thrift/codec"
	"github.com/seamgo/seam/thrift/internal/kinds"
)

// Structs that are values of a map share allocations, as many as the message before had, and no
// place is given twice, whatever messages follow each other.
func TestStructsShareAllocations(t *testing.T) {
	testenv.OneGoroutine(t)
	of := func(n int) *kinds.Maps {
		m := &kinds.Maps{ByColour: map[kinds.Colour]*kinds.Point{}}
		for k := range n {
			m.ByColour[kinds.Colour(k)] = &kinds.Point{X: int32(k), Y: -int32(k)}
		}
		return m
	}
	for _, c := range []codec.InCompact{false, true} {
		allocs := func(n int) float64 {
			b := encode(t, of(n), c)
			return testing.AllocsPerRun(100, func() {
				if err := decode(b, new(kinds.Maps), c); err != nil {
					t.Fatal(err)
				}
			})
		}
		none, one, eight := allocs(0), allocs(1), allocs(8)
		// With the race detector the pool forgets a decoder now and then, and how many were usual;
		// checks of pointers allocate for each struct.
		if !testenv.Repeated() && (eight > one+4 || one < none) {
			t.Errorf("%v: %v allocations for 8 structs, %v for one, %v for none", c, eight, one, none)
		}
		seen := map[*kinds.Point]bool{}
		var kept []*kinds.Maps
		for _, n := range []int{1, 7, 8, 3, 0, 20, 19, 1, 2, 20, 20, 5} {
			got := new(kinds.Maps)
			if err := decode(encode(t, of(n), c), got, c); err != nil {
				t.Fatal(err)
			}
			kept = append(kept, got)
			if !got.Equal(of(n)) {
				t.Fatalf("%v: %d structs are %v", c, n, got)
			}
			for _, p := range got.ByColour {
				if seen[p] {
					t.Fatalf("%v: a place is there twice", c)
				}
				seen[p] = true
			}
		}
		for _, m := range kept {
			for _, p := range m.ByColour {
				p.X, p.Y = 1, 2
			}
			for _, p := range m.ByColour {
				if *p != (kinds.Point{X: 1, Y: 2}) {
					t.Fatalf("%v: structs overlap: %v", c, p)
				}
			}
		}
	}
}

// Messages share nothing: who keeps a struct keeps its message, and not those that follow.
func TestMessagesShareNoStructs(t *testing.T) {
	testenv.OneGoroutine(t)
	d := new(codec.Decoder)
	type one struct{ a, b int64 }
	size := unsafe.Sizeof(one{})
	in := func(p, first *one, n uintptr) bool {
		return uintptr(unsafe.Pointer(p))-uintptr(unsafe.Pointer(first)) < n*size
	}
	codec.BeginSlabs(d)
	var first []*one
	for range 8 {
		first = append(first, codec.Alloc[one](d))
	}
	for n := range 3 {
		codec.BeginSlabs(d)
		p := codec.Alloc[one](d)
		if in(p, first[7], 8) || in(p, first[0], 8) {
			t.Errorf("message %d has a struct in the slab of the first", n)
		}
		for k := uintptr(1); k < 8; k++ {
			if next := codec.Alloc[one](d); uintptr(unsafe.Pointer(next)) != uintptr(unsafe.Pointer(p))+k*size {
				t.Errorf("message %d: struct %d is not behind those before, of which the message before had 8", n, k)
			}
		}
		if *p != (one{}) {
			t.Errorf("message %d: a fresh struct is %v", n, *p)
		}
		p.a, p.b = 1, 2
	}
}
