package mem

import (
	"fmt"
	"unsafe"
)

// Bytes is room for a result that C writes, a seam_bytes. It goes into a struct of
// arguments; a [Fill] makes it and reads it back.
type Bytes struct {
	Data *byte
	Len  int // bytes written
	Cap  int
	Need int // 0 if everything fit, else the bytes that the whole result takes
}

// A Fill is a []byte into which C writes a result, in place. If the result does not fit, C
// says how much room it needs, gets it, and is called again.
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
// Where two nanoseconds matter, put `if fill.Done(args.out) { break }` before Again.
//
// A Fill stays on its caller's stack and allocates only to grow.
type Fill struct {
	data *byte
	cap  int // of the room
	n    int // what C has written
}

// FillInto returns a Fill whose first room is the whole capacity of buf, which may be
// nil. It overwrites buf. Like append's, the result may be elsewhere.
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

// Room returns the room for the next call of C.
func (f *Fill) Room() Bytes { return Bytes{Data: f.data, Cap: f.cap} }

// Done reports whether b, the Bytes of [Fill.Room] as C left it, is a valid result that
// fits. It is the inlined fast path of [Fill.Again], which says why if Done is false. In
// debug mode Done is always false.
func (f *Fill) Done(b Bytes) bool {
	if b.Data != f.data || b.Cap != f.cap || b.Need != 0 || uint(b.Len) > uint(b.Cap) || debugOn {
		return false
	}
	f.n = b.Len
	return true
}

// Again checks b, the Bytes of [Fill.Room] as C left it, and reports whether C must be
// called again, with a new Room of at least b.Need bytes, because the result did not fit.
// limit is the most bytes that a new Room may have.
//
// Again fails with [ErrLimit] if the result needs more, with [ErrInvalid] if what C says
// can't be true or C changed the address or the capacity, and in debug mode with
// [ErrCorrupt] if C wrote past the end of the room.
func (f *Fill) Again(b Bytes, limit int) (bool, error) {
	if debugOn && f.data != nil {
		room := unsafe.Slice(f.data, f.cap)
		if at := brokenCanary(room); at >= 0 {
			return false, fmt.Errorf("%w: C wrote %d bytes past its %d", errOverrun, at+1, len(room))
		}
	}
	switch {
	case b.Data != f.data || b.Cap != f.cap:
		// As numbers: a formatted pointer would make the caller's buffer escape.
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
	// A little more than C asked for: the next result may be a little larger.
	*f = roomFor(min(max(b.Need, 2*b.Cap), limit, maxSize))
	return true, nil
}

// Bytes returns the result that C has written, in place. It is empty until [Fill.Done] or
// [Fill.Again] has said that C is done.
func (f *Fill) Bytes() []byte { return unsafe.Slice(f.data, f.cap)[:f.n:f.cap] }
