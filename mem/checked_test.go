package mem_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/mem"
)

func at(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// What C says of its memory is checked before a slice is made of it, each with its error.
func TestOf(t *testing.T) {
	words := make([]uint64, 4) // stands for C's memory; Of looks at addresses alone
	good := unsafe.Pointer(&words[0])
	released := mem.NewOwner(nil)
	if err := released.Release(); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		owner  *mem.Owner
		p      unsafe.Pointer
		n, cap int
		want   error
		says   string
	}{
		{"all of it", nil, good, 4, 4, nil, ""},
		{"less than there is", nil, good, 3, 4, nil, ""},
		{"none of it", nil, good, 0, 4, nil, ""},
		{"nothing at nil", nil, nil, 0, 0, nil, ""},
		{"nil with a length", nil, nil, 2, 2, mem.ErrNil, "2 elements"},
		{"nil with room", nil, nil, 0, 2, mem.ErrNil, "room for 2"},
		{"negative length", nil, good, -1, 4, mem.ErrNegative, "-1 elements"},
		{"negative capacity", nil, good, 0, -7, mem.ErrNegative, "room for -7"},
		{"both negative", nil, good, -9, -7, mem.ErrNegative, "-9 elements"},
		{"longer than its room", nil, good, 5, 4, mem.ErrLength, "5 elements and room for 4"},
		{"odd address", nil, unsafe.Add(good, 1), 1, 1, mem.ErrAlign, "no multiple of"},
		{"half a word on", nil, unsafe.Add(good, 4), 1, 1, alignOf64(mem.ErrAlign), "no multiple of 8"},
		{"size overflows", nil, good, 1, math.MaxInt/8 + 1, mem.ErrOverflow, "of 8 bytes"},
		{"behind the address space", nil, good, 1, math.MaxInt / 8, in64(mem.ErrRange), "address space"}, // a small one has such sizes
		{"in the first page", nil, at(64), 1, 1, mem.ErrRange, "0x40"},
		{"at the end of all", nil, at(^uintptr(0) &^ 7), 1, 1, mem.ErrRange, "address space"},
		{"released owner", released, good, 1, 1, mem.ErrReleased, "Owner"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v, err := mem.Of[uint64](test.owner, test.p, test.n, test.cap)
			if !errors.Is(err, test.want) || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Fatalf("error %v, want %v that says %q", err, test.want, test.says)
			}
			if s, serr := v.Slice(); serr != nil || err == nil && len(s) != test.n || err != nil && s != nil {
				t.Errorf("Slice has %d elements, %v", len(s), serr)
			}
		})
	}
}

// alignOf64 is err where uint64 is aligned to 8 bytes.
func alignOf64(err error) error {
	if unsafe.Alignof(uint64(0)) == 8 {
		return err
	}
	return nil
}

// in64 is err where addresses have 64 bits.
func in64(err error) error {
	if unsafe.Sizeof(uintptr(0)) == 8 {
		return err
	}
	return nil
}

// Elements without a size can't overflow.
func TestOfNoSize(t *testing.T) {
	var x int
	if v, err := mem.Of[struct{}](nil, unsafe.Pointer(&x), 5, math.MaxInt); err != nil || v.Len() != 5 {
		t.Errorf("%d, %v", v.Len(), err)
	}
}

// A view ends with its owner; a clone does not.
func TestOwner(t *testing.T) {
	memory := []uint32{1, 2, 3}
	given := 0
	owner := mem.NewOwner(func() { given++ })
	v, err := mem.Of[uint32](owner, unsafe.Pointer(&memory[0]), 3, 3)
	if err != nil {
		t.Fatal(err)
	}
	s, err := v.Slice()
	if err != nil || len(s) != 3 || s[2] != 3 || cap(s) != 3 {
		t.Fatalf("%v, %v", s, err)
	}
	clone, err := v.Clone()
	if err != nil {
		t.Fatal(err)
	}
	if owner.Released() {
		t.Error("released before Release")
	}
	if err := owner.Release(); err != nil || given != 1 || !owner.Released() {
		t.Fatalf("%v, given back %d times", err, given)
	}
	memory[0] = 99
	if clone[0] != 1 {
		t.Error("the clone is no copy")
	}
	if _, err := v.Slice(); !errors.Is(err, mem.ErrReleased) {
		t.Errorf("Slice after the release: %v", err)
	}
	if _, err := v.Clone(); !errors.Is(err, mem.ErrReleased) {
		t.Errorf("Clone after the release: %v", err)
	}
	if err := owner.Release(); !errors.Is(err, mem.ErrReleased) || given != 1 {
		t.Errorf("second Release: %v, given back %d times", err, given)
	}
}

// FuzzOf: whatever numbers C says, a view that is accepted lies in the address space and is
// aligned.
func FuzzOf(f *testing.F) {
	for _, seed := range []struct {
		at     uint64
		n, cap int64
	}{{0, 0, 0}, {4096, 1, 1}, {math.MaxUint64, 1, 1}, {1 << 47, -1, 2}, {8192, 1 << 60, 1 << 61}} {
		f.Add(seed.at, seed.n, seed.cap)
	}
	f.Fuzz(func(t *testing.T, address uint64, n, capacity int64) {
		type element struct {
			A uint64
			B uint32
		}
		if debugging() {
			t.Skip("debug mode looks at the memory")
		}
		if unsafe.Sizeof(uintptr(0)) == 4 {
			address, n, capacity = uint64(uint32(address)), int64(int32(n)), int64(int32(capacity))
		}
		v, err := mem.Of[element](nil, at(uintptr(address)), int(n), int(capacity))
		if err != nil {
			return
		}
		size := uint64(unsafe.Sizeof(element{}))
		if n < 0 || n > capacity || address%uint64(unsafe.Alignof(element{})) != 0 ||
			uint64(capacity) > (1<<48)/size || address+uint64(capacity)*size > 1<<48 {
			t.Fatalf("accepted: %d of %d elements at %#x", n, capacity, address)
		}
		if int64(v.Len()) != n || address == 0 && capacity != 0 {
			t.Fatalf("%d elements for %d at %#x", v.Len(), n, address)
		}
	})
}
