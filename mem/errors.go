package mem

import (
	"errors"
	"fmt"
)

// What can be wrong. Errors of this package wrap one of these and say the numbers:
// test for them with errors.Is.
var (
	// ErrNil: a length above 0 at the address nil.
	ErrNil = errors.New("mem: nil address with a length")
	// ErrNegative: a negative length or capacity; C's size_t above the largest int
	// looks like that.
	ErrNegative = errors.New("mem: negative length or capacity")
	// ErrLength: a length above the capacity. C claims more than there is.
	ErrLength = errors.New("mem: length exceeds capacity")
	// ErrNeed: C asks for no more room than it had.
	ErrNeed = errors.New("mem: needs no more than it had")
	// ErrSize: bytes that are no whole number of elements.
	ErrSize = errors.New("mem: no whole number of elements")
	// ErrAlign: an address that is no multiple of the element's alignment.
	ErrAlign = errors.New("mem: misaligned address")
	// ErrOverflow: elements times size exceeds the largest int.
	ErrOverflow = errors.New("mem: size overflows")
	// ErrRange: memory that is not, or not wholly, in the address space; for a part of
	// an arena: not in the arena.
	ErrRange = errors.New("mem: out of range")
	// ErrType: an element type that C can't have: strings, slices, maps, channels,
	// functions, interfaces.
	ErrType = errors.New("mem: element type that C can't have")
	// ErrReleased: use after release, or a second release.
	ErrReleased = errors.New("mem: already released")
	// ErrLimit: a result that needs more than the caller allows.
	ErrLimit = errors.New("mem: result exceeds the limit")
	// ErrChanged: C has changed what is Go's to say, as the address or the capacity of
	// the room it was given.
	ErrChanged = errors.New("mem: C changed the description of its room")
	// ErrOverrun (debug mode): the bytes behind a piece of memory were overwritten.
	ErrOverrun = errors.New("mem: written behind the end")
	// ErrKept (debug mode): memory was written to after its release, by somebody who
	// kept the address.
	ErrKept = errors.New("mem: written after release")
	// ErrExhausted: all buffers of a pool that are large enough are in use.
	ErrExhausted = errors.New("mem: no free buffer")
	// ErrTooLarge: more bytes than the largest buffer of a pool has.
	ErrTooLarge = errors.New("mem: larger than the largest buffer")
	// ErrStale: a handle of something that has been released or deleted since.
	ErrStale = errors.New("mem: stale handle")
	// ErrHandle: no handle at all: never made here.
	ErrHandle = errors.New("mem: not a handle")
	// ErrBusy: a pool that is closed while buffers are in use.
	ErrBusy = errors.New("mem: buffers are in use")
	// ErrClosed: a pool that has been closed.
	ErrClosed = errors.New("mem: closed")
)

// CError returns what a function of seam/mem.h has answered, SEAM_MEM_OK or one of
// SEAM_MEM_E…, as an error: nil, or one that wraps [ErrStale], [ErrHandle], [ErrReleased],
// [ErrLimit] or [ErrClosed].
func CError(code int32) error {
	switch code {
	case 0:
		return nil
	case -1:
		return fmt.Errorf("%w: the buffer has been released since", ErrStale)
	case -2:
		return fmt.Errorf("%w of this pool", ErrHandle)
	case -3:
		return fmt.Errorf("%w: C has released the buffer as often as it held it", ErrReleased)
	case -4:
		return fmt.Errorf("%w: C holds the buffer two billion times", ErrLimit)
	case -5:
		return fmt.Errorf("%w: the pool, or it is of another version than the header", ErrClosed)
	}
	return fmt.Errorf("mem: C answered %d, which is no SEAM_MEM_… code", code)
}
