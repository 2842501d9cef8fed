package mem

import (
	"fmt"
	"unsafe"
)

// Bytes is room for a result that C writes: a seam_bytes. It stands in a struct of
// arguments; [Fill] makes it and reads it back.
type Bytes struct {
	Data *byte
	Len  int // bytes written
	Cap  int
	Need int // 0: everything did fit; else the bytes that the whole result takes
}

// A Fill is a []byte that C writes a result into, in place, with the protocol for a
// result that does not fit: C says how much it needs, gets it, and is called again.
//
//	fill := mem.FillInto(buf)
//	for again := true; again; {
//		args.out = fill.Room()
//		encode.Call(&args)
//		if again, err = fill.Again(args.out, 1<<20); err != nil {
//			return err
//		}
//	}
//	result := fill.Bytes()
//
// Where two nanoseconds matter, `if fill.Done(args.out) { break }` goes in front of Again.
//
// A Fill stays on its caller's stack and allocates only to grow.
type Fill struct {
	data *byte
	cap  int // of the room
	n    int // what C has written
}

// FillInto returns a Fill whose first room is the whole capacity of buf, which may be
// nil. What buf holds is overwritten. The result may lie elsewhere, as append's may.
func FillInto(buf []byte) Fill {
	if debugOn {
		return roomFor(cap(buf))
	}
	return Fill{data: unsafe.SliceData(buf), cap: cap(buf)}
}

// roomFor returns a Fill with new room.
func roomFor(size int) Fill {
	if debugOn {
		return Fill{data: unsafe.SliceData(withCanary(size)), cap: size}
	}
	return Fill{data: unsafe.SliceData(make([]byte, size)), cap: size}
}

// Room returns the room for C's next try.
func (f *Fill) Room() Bytes { return Bytes{Data: f.data, Cap: f.cap} }

// Done reports whether C is done: b, the Bytes of [Fill.Room] as C left it, is a result that
// fits and makes sense. It is what [Fill.Again] finds out too, for the compiler to inline;
// if it is false, Again says why. In debug mode it is always false.
func (f *Fill) Done(b Bytes) bool {
	if b.Data != f.data || b.Cap != f.cap || b.Need != 0 || uint(b.Len) > uint(b.Cap) || debugOn {
		return false
	}
	f.n = b.Len
	return true
}

// Again takes what C has made of the room: b is the Bytes of [Fill.Room] as C left it. It
// reports whether C has to be called again, with a new Room of at least b.Need bytes,
// because the result did not fit. limit is the most that a new Room may have; for a result
// that needs more Again fails with [ErrLimit]. It fails with [ErrInvalid] when C claims a
// length above the capacity; with [ErrInvalid] when it claims to need what it had; with [ErrInvalid] for lengths that no memory has; with [ErrInvalid] when C changed
// what is not its own to change, the address and the capacity; in debug mode with
// [ErrCorrupt] when it wrote behind the room.
func (f *Fill) Again(b Bytes, limit int) (bool, error) {
	if debugOn && f.data != nil {
		room := unsafe.Slice(f.data, f.cap)
		if at := brokenCanary(room); at >= 0 {
			return false, fmt.Errorf("%w: C wrote %d bytes behind its %d", errOverrun, at+1, len(room))
		}
	}
	switch {
	case b.Data != f.data || b.Cap != f.cap:
		// As numbers: a pointer that is formatted escapes, and with it the caller's buffer.
		return false, fmt.Errorf("%w: %d bytes at %#x were given, %d at %#x came back", errChanged,
			f.cap, uintptr(unsafe.Pointer(f.data)), b.Cap, uintptr(unsafe.Pointer(b.Data)))
	case b.Len < 0:
		return false, fmt.Errorf("%w: C says it wrote %d bytes", errNegative, b.Len)
	case b.Len > b.Cap:
		return false, fmt.Errorf("%w: C says it wrote %d bytes into %d", errLength, b.Len, b.Cap)
	case b.Need == 0:
		f.n = b.Len
		return false, nil
	case b.Need < 0:
		return false, fmt.Errorf("%w: C says it needs %d bytes", errNegative, uint(b.Need))
	case b.Need <= b.Cap:
		return false, fmt.Errorf("%w: C says it needs %d bytes and had %d", errNeed, b.Need, b.Cap)
	case b.Need > min(limit, maxSize):
		return false, fmt.Errorf("%w: C needs %d bytes, the limit is %d", ErrLimit, b.Need, min(limit, maxSize))
	}
	// Some more than is asked for: the next result may be a little larger.
	*f = roomFor(min(max(b.Need, 2*b.Cap), limit, maxSize))
	return true, nil
}

// Bytes returns the result: what C has written, in place. Before [Fill.Done] or [Fill.Again]
// has said that C is done it is empty.
func (f *Fill) Bytes() []byte { return unsafe.Slice(f.data, f.cap)[:f.n:f.cap] }
