package codec

import (
	"math/bits"
	"unsafe"
)

// slabs are places for the structs of a message that are fields, or values of maps: those of one
// type share allocations, as structs in a list do. To keep one is to keep the others. As many
// are allocated at once as the message before has had, as with [texts].
type slabs struct {
	slabs [slabTypes]slab
	used  uint8 // those that the message has used
}

// A slab has the places of one type.
type slab struct {
	typ    unsafe.Pointer // the type
	places unsafe.Pointer // nil if all are given
	given  int            // how many of the places are in use
	room   int            // how many there are
	wanted int            // how many the message has asked for so far
	usual  int            // how many the message before has asked for
}

const (
	slabTypes = 8    // types that are kept apart; of two that fall together, the later has the slab
	mostSlab  = 16   // structs in a slab
	slabBytes = 4096 // and what they take
)

// next begins another message, which shares nothing with those before.
func (s *slabs) next() {
	for set := s.used; set != 0; set &= set - 1 {
		one := &s.slabs[bits.TrailingZeros8(set)]
		one.usual = one.wanted
		one.places, one.given, one.room, one.wanted = nil, 0, 0, 0
	}
	s.used = 0
}

// place returns a place for a struct of that type, which takes size bytes, or tells how many to
// allocate.
//
//go:noinline
func (s *slabs) place(typ unsafe.Pointer, size int) (p unsafe.Pointer, n int) {
	at := uintptr(typ) >> 5 % slabTypes
	one := &s.slabs[at]
	if one.typ != typ {
		*one = slab{typ: typ}
	}
	s.used |= 1 << at
	one.wanted++
	if one.given < one.room {
		p = unsafe.Add(one.places, one.given*size)
		if one.given++; one.given == one.room {
			one.places = nil
		}
		return p, 0
	}
	// Those that the message before had, or as many as there were in this one.
	n = one.usual - one.wanted + 1
	if n <= 0 {
		n = one.wanted
	}
	return nil, min(n, mostSlab, max(slabBytes/size, 1))
}

// fill says where n places of a type are, of which the first is in use.
func (s *slabs) fill(typ, places unsafe.Pointer, n int) {
	one := &s.slabs[uintptr(typ)>>5%slabTypes]
	one.places, one.given, one.room = places, 1, n
}

// Alloc returns a new T, or nil if the message may not take so much.
func Alloc[T any](d *Decoder) *T {
	size := int(unsafe.Sizeof(*new(T)))
	if d.memory -= int64(size); d.memory < 0 {
		return nil
	}
	if size == 0 {
		return new(T)
	}
	var typed any = (*T)(nil)
	typ := *(*unsafe.Pointer)(unsafe.Pointer(&typed))
	p, n := d.slabs.place(typ, size)
	if p != nil {
		return (*T)(p)
	}
	if n == 1 {
		return new(T)
	}
	places := make([]T, n)
	d.slabs.fill(typ, unsafe.Pointer(&places[0]), n)
	return &places[0]
}
