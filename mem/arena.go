package mem

import (
	"fmt"
	"math/bits"
	"reflect"
	"runtime"
	"unsafe"
)

// A Part is a piece of an [Arena], as C hands it to Go: a seam_part. It is good until the
// arena's next Reset.
type Part struct {
	At  uint64 // bytes from the arena's beginning
	Len uint64 // bytes
}

// An Arena is Go memory in which C builds a result of many parts, which Go then reads in
// place. Its memory comes in chunks that never move; what C builds there is valid until
// [Arena.Reset]. Make one with [NewArena]. Its methods must not be called concurrently.
//
//	for again := true; again; {
//		args.arena = arena.C()
//		parse.Call(&args) // starts over if there was not enough room
//		if again, err = arena.Again(16 << 20); err != nil {
//			return err
//		}
//	}
//	title, err := arena.Bytes(args.title)
//
// The arena must stay reachable until C returns, as it does if Again, More or Bytes
// follows. It must not be copied.
type Arena struct {
	c      *arenaHeader // C reads and writes it; the garbage collector sees no pointers in it
	sent   arenaHeader  // as it was given to C
	chunks []chunk      // by place
	size   int          // of all chunks
	pins   runtime.Pinner
}

// arenaHeader is seam_arena.
type arenaHeader struct {
	data uintptr
	_    [8 - unsafe.Sizeof(uintptr(0))]byte
	at   uint64
	used uint64
	cap  uint64
	need uint64
}

type chunk struct {
	at     uint64 // from the arena's beginning
	memory []byte
	used   uint64 // of chunks before the last
}

const leastChunk = 1024

// maxSize is more than any program has: anything larger is a mistake.
const maxSize = 1 << (min(8*unsafe.Sizeof(uintptr(0)), addressBits) - 2)

// NewArena returns an arena with room for size bytes. It grows as needed.
func NewArena(size int) (*Arena, error) {
	if size < 0 {
		return nil, fmt.Errorf("%w: an arena of %d bytes", errNegative, size)
	}
	if size > maxSize {
		return nil, fmt.Errorf("%w: an arena of %d bytes", errOverflow, size)
	}
	a := &Arena{c: (*arenaHeader)(unsafe.Pointer(unsafe.SliceData(aligned(int(unsafe.Sizeof(arenaHeader{}))))))}
	// A Pinner that becomes garbage while something is pinned ends the program. The
	// arena's finalizer runs first, since the arena leads to the Pinner.
	runtime.SetFinalizer(a, func(a *Arena) { a.pins.Unpin() })
	a.pins.Pin(a.c)
	a.add(max(size, leastChunk))
	return a, nil
}

// add adds a chunk, to which C writes from now on.
func (a *Arena) add(size int) {
	size = (size + 63) &^ 63
	memory := aligned(size + debugRoom())
	a.pins.Pin(unsafe.SliceData(memory))
	if debugOn {
		copy(memory[size:], canary)
	}
	at := uint64(0)
	if n := len(a.chunks); n > 0 {
		last := &a.chunks[n-1]
		last.used = a.c.used
		at = last.at + uint64(len(last.memory))
	}
	a.chunks = append(a.chunks, chunk{at: at, memory: memory[:size:size]})
	a.size += size
	a.write()
}

// write gives C the last chunk, empty.
func (a *Arena) write() {
	last := &a.chunks[len(a.chunks)-1]
	*a.c = arenaHeader{data: uintptr(unsafe.Pointer(unsafe.SliceData(last.memory))), at: last.at, cap: uint64(len(last.memory))}
	a.sent = *a.c
}

func debugRoom() int {
	if debugOn {
		return canarySize
	}
	return 0
}

// C returns the address of the arena for C, a seam_arena *. It is pinned. C may use it until
// the function that got it returns.
func (a *Arena) C() unsafe.Pointer { return unsafe.Pointer(a.c) }

// Again checks what C has built and reports whether C must be called again because
// something did not fit. If so, the arena is empty again and has room, in one piece, for
// everything that C asked for since the last More. limit is the most bytes to which the
// arena may grow, apart from rounding.
//
// Again fails with [ErrLimit] if C needs more, with [ErrInvalid] if C wrote nonsense into
// the arena's description, and in debug mode with [ErrCorrupt] if C wrote past the end.
func (a *Arena) Again(limit int) (bool, error) {
	need, err := a.check()
	if err != nil || need == 0 {
		return false, err
	}
	if limit = min(limit, maxSize); need > uint64(max(limit, 0)) {
		return false, fmt.Errorf("%w: C needs %d bytes in an arena, the limit is %d", ErrLimit, need, limit)
	}
	if need <= a.sent.cap {
		return false, fmt.Errorf("%w: C says it needs %d bytes of the arena and had %d", errNeed, need, a.sent.cap)
	}
	size := min(max(int(need), 2*int(a.sent.cap)), limit)
	a.drop()
	a.add(size)
	return true, nil
}

// More is [Arena.Again] for a C function that goes on where it stopped: what it has built
// stays, and a new chunk has room for at least what did not fit.
func (a *Arena) More(limit int) (bool, error) {
	need, err := a.check()
	if err != nil || need == 0 {
		return false, err
	}
	// need counts from the start of the chunk, and what is used stays there.
	if need <= a.c.used {
		return false, fmt.Errorf("%w: C says it needs %d bytes of the arena and has used %d", errNeed, need, a.c.used)
	}
	least := need - a.c.used
	limit = min(limit, maxSize)
	if room := limit - a.size; room < 0 || least > uint64(room) {
		return false, fmt.Errorf("%w: C needs %d bytes more in an arena that has %d, the limit is %d", ErrLimit, least, a.size, limit)
	}
	a.add(max(int(least), min(a.size, limit-a.size)))
	return true, nil
}

// check checks what C has written into the header and returns what C needs.
func (a *Arena) check() (need uint64, err error) {
	c := a.c
	if c == nil {
		return 0, errNoArena
	}
	if debugOn {
		last := &a.chunks[len(a.chunks)-1]
		if at := brokenCanary(last.memory); at >= 0 {
			return 0, fmt.Errorf("%w: C wrote %d bytes past the %d of an arena's chunk", errOverrun, at+1, len(last.memory))
		}
	}
	if c.data != a.sent.data || c.at != a.sent.at || c.cap != a.sent.cap {
		return 0, fmt.Errorf("%w: an arena's chunk of %d bytes at %#x is now %d at %#x", errChanged, a.sent.cap, a.sent.data, c.cap, c.data)
	}
	if c.used > c.cap {
		return 0, fmt.Errorf("%w: C says it used %d bytes of an arena's chunk of %d", errLength, c.used, c.cap)
	}
	return c.need, nil
}

// Bytes returns the bytes of a part, in place. They are good until the next Reset or the
// next call of C with this arena. A part outside of what C has built is [ErrInvalid].
func (a *Arena) Bytes(p Part) ([]byte, error) {
	if p.Len == 0 {
		return nil, nil
	}
	for i := len(a.chunks) - 1; i >= 0; i-- {
		c := &a.chunks[i]
		if p.At < c.at {
			continue
		}
		used := c.used
		if i == len(a.chunks)-1 {
			used = min(a.c.used, uint64(len(c.memory)))
		}
		from := p.At - c.at
		if end, carry := bits.Add64(from, p.Len, 0); carry == 0 && end <= used {
			return c.memory[from:end:end], nil
		}
		break
	}
	return nil, fmt.Errorf("%w: %d bytes at %d are not a part of the arena, where C has used %d", errRange, p.Len, p.At, a.Used())
}

// String returns a copy of the bytes of a part.
func (a *Arena) String(p Part) (string, error) {
	b, err := a.Bytes(p)
	return string(b), err
}

// Elements returns a part as elements, in place. They are good for as long as those of
// [Arena.Bytes]. T must have the layout of C's element and hold no Go pointers.
//
// Elements fails with [ErrInvalid] if the part is outside of what C has built, misaligned
// or not a whole number of elements, and in debug mode if T has strings, slices and the
// like.
func Elements[T any](a *Arena, p Part) ([]T, error) {
	b, err := a.Bytes(p)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	var t T
	size := int(unsafe.Sizeof(t))
	if size == 0 || len(b)%size != 0 {
		return nil, fmt.Errorf("%w: %d bytes of %T, which has %d", errSize, len(b), t, size)
	}
	if debugOn {
		if kind := foreign(reflect.TypeFor[T]()); kind != "" {
			return nil, fmt.Errorf("%w: %T has a %s", errType, t, kind)
		}
	}
	if at := uintptr(unsafe.Pointer(unsafe.SliceData(b))); at%unsafe.Alignof(t) != 0 {
		return nil, fmt.Errorf("%w: a part at %d is at no multiple of %d, which %T needs", errAlign, p.At, unsafe.Alignof(t), t)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size), nil
}

// Used returns how many bytes C has used since the last Reset.
func (a *Arena) Used() int {
	if a.c == nil {
		return 0
	}
	last := len(a.chunks) - 1
	n := min(a.c.used, uint64(len(a.chunks[last].memory)))
	for _, c := range a.chunks[:last] {
		n += c.used
	}
	return int(n)
}

// Reset empties the arena. Its parts and slices of them must not be used any more; debug
// mode overwrites them so that such a use shows. Reset keeps the largest chunk and drops the
// others.
func (a *Arena) Reset() {
	if a.c == nil {
		return
	}
	if debugOn {
		for _, c := range a.chunks {
			poison(c.memory)
		}
	}
	if len(a.chunks) == 1 {
		a.write()
		return
	}
	largest := a.chunks[0].memory
	for _, c := range a.chunks[1:] {
		if len(c.memory) > len(largest) {
			largest = c.memory
		}
	}
	a.drop()
	a.pins.Pin(unsafe.SliceData(largest))
	a.chunks, a.size = append(a.chunks, chunk{memory: largest}), len(largest)
	a.write()
}

// drop drops all chunks.
func (a *Arena) drop() {
	a.pins.Unpin()
	a.pins.Pin(a.c)
	clear(a.chunks)
	a.chunks, a.size = a.chunks[:0], 0
}
