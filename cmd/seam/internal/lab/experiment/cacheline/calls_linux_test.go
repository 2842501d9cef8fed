//go:build cgo

package cacheline

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// The natural layout is that of Go too, and the others have the same fields.
func TestForms(t *testing.T) {
	type small struct {
		_    uint8
		_    uint64
		next uint32
		_    uint64
		_    uint16
		_    uint64
		sum  uint64
	}
	if f := forms["small"][1]; f.size != int(unsafe.Sizeof(small{})) || f.out != unsafe.Offsetof(small{}.sum) || f.next != unsafe.Offsetof(small{}.next) {
		t.Errorf("C's natural struct has %d bytes, Go's %d", f.size, unsafe.Sizeof(small{}))
	}
	for shape, list := range forms {
		for i, f := range list {
			if len(f.fields) != len(list[0].fields) || f.bytes() != list[0].bytes() {
				t.Errorf("%s %s has %d fields of %d bytes", shape, layouts[i], len(f.fields), f.bytes())
			}
			for k, x := range f.fields {
				if x.name != list[0].fields[k].name || x.size != list[0].fields[k].size {
					t.Errorf("%s %s: field %d is %v", shape, layouts[i], k, x)
				}
			}
		}
		if p := list[0]; p.size != p.bytes() || p.align != 1 {
			t.Errorf("%s packed has %d bytes for %d, at multiples of %d", shape, p.size, p.bytes(), p.align)
		}
		if a := list[2]; a.size%line != 0 || a.align != line || a.first != 0 {
			t.Errorf("%s aligned has %d bytes at multiples of %d", shape, a.size, a.align)
		}
		if s := list[3]; s.size != list[2].size || s.first != line/2 || list[1].first != 0 {
			t.Errorf("%s straddled has %d bytes from %d on", shape, s.size, s.first)
		}
	}
}

// value is a field of a struct, as a number.
func (a *array) value(i int, f field) (v uint64) {
	for k := range f.size {
		v |= uint64(*(*byte)(unsafe.Add(a.base, i*a.size+f.at+k))) << (8 * k)
	}
	return v
}

// want is the sum of what C answers to n calls with the structs in order.
func (a *array) want(order []int, n int) (sum uint64) {
	for i := range n {
		sum += uint64(i)
		for _, f := range a.fields[:len(a.fields)-1] {
			if f.name != "a" {
				sum += a.value(order[i%len(order)], f)
			}
		}
	}
	return sum
}

// All ways through an array have C add up the same fields, and the chain goes through all
// structs in the same order. (This test reads bytes as a little-endian machine has them.)
func TestCallsAddUp(t *testing.T) {
	const count, n = 100, 250
	order := rand.New(rand.NewPCG(1, 2)).Perm(count)
	for shape, list := range forms {
		for l, f := range list {
			a := f.newArray(count, order)
			if at := uintptr(a.base); at%128 != uintptr(f.first) {
				t.Errorf("%s %s: the array begins at %#x", shape, layouts[l], at)
			}
			want := a.want(order, n)
			for way, run := range map[string]func(*walk, int){"leaf": byLeaf, "cgo": byCgo, "chain": chainByLeaf} {
				w := &walk{array: a, at: a.order[0]}
				run(w, n)
				if w.sum != want {
					t.Errorf("%s %s by %s: the sum is %d, want %d", shape, layouts[l], way, w.sum, want)
				}
			}
		}
	}
}

func TestStartCalls(t *testing.T) {
	for _, s := range sets {
		op, err := startCalls(lab.NewBench(lab.Quick, 1), "small", 0, s)
		skipped(t, err)
		op.Run(3)
		op.Close()
	}
	if op, err := startCalls(lab.NewBench(lab.Quick, 1), "small", 0, set{hot, "pigeon"}); err == nil {
		t.Errorf("a way that isn't there gave %v", op)
	}
	if n := arrays.Len(); n != 0 {
		t.Errorf("%d arrays are left", n)
	}
}

// The structs of two threads share lines in the layouts that are said to.
func TestPairs(t *testing.T) {
	for _, s := range sharings {
		first, second := s.pair()
		shared := first.layout.shared(first.address(), second.address())
		if want := s.layout != aligned; (shared > 0) != want {
			t.Errorf("%s: %d lines are shared", s.label, shared)
		}
		if apart := second.address() - first.address(); s.step > 0 && int(apart) != s.step {
			t.Errorf("%s: %d bytes apart", s.label, apart)
		}
		second.step = 0
		byLeaf(first, 3)
		byCgo(second, 3)
	}
}

// shared returns how many lines hold fields of both structs.
func (l layout) shared(a, b uintptr) int {
	mine := map[uintptr]bool{}
	for _, f := range l.fields {
		mine[(a+uintptr(f.at))/line] = true
		mine[(a+uintptr(f.at+f.size)-1)/line] = true
	}
	both := map[uintptr]bool{}
	for _, f := range l.fields {
		for _, n := range []uintptr{(b + uintptr(f.at)) / line, (b + uintptr(f.at+f.size) - 1) / line} {
			if mine[n] {
				both[n] = true
			}
		}
	}
	return len(both)
}
