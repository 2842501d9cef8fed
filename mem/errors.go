package mem

import (
	"errors"
	"fmt"
)

// Errors of this package wrap one of these: test for them with errors.Is. The text says
// what exactly is wrong, with the numbers.
var (
	// ErrInvalid: something can't be what it is said to be: a length above the capacity,
	// a nil or misaligned address, a part outside the arena, a number that is no handle.
	// Either C is wrong or the caller is; trying again does not help.
	ErrInvalid = errors.New("mem: invalid")
	// ErrReleased: a use after release or deletion, or a second release.
	ErrReleased = errors.New("mem: already released")
	// ErrLimit: more than the caller allows, or than there can be. A higher limit, or a
	// pool with larger buffers, would do.
	ErrLimit = errors.New("mem: limit exceeded")
	// ErrExhausted: every buffer of the pool that is large enough is in use. Try again
	// later, or use [Pool.GetWait].
	ErrExhausted = errors.New("mem: no free buffer")
	// ErrBusy: buffers of the pool are in use. Close it again when they are released.
	ErrBusy = errors.New("mem: buffers are in use")
	// ErrClosed: the pool has been closed.
	ErrClosed = errors.New("mem: closed")
	// ErrCorrupt (debug mode): memory was written to by someone who must not: past its
	// end, or after its release.
	ErrCorrupt = errors.New("mem: corrupted")
)

// A reason is one way to be a sentinel error: its text says more, and errors.Is finds
// the sentinel.
type reason struct {
	sentinel error
	text     string
}

func (r *reason) Error() string { return "mem: " + r.text }
func (r *reason) Unwrap() error { return r.sentinel }

var (
	errNil = &reason{ErrInvalid, "nil address with a length"}
	// C's size_t above the largest int looks negative.
	errNegative = &reason{ErrInvalid, "negative length or capacity"}
	errLength   = &reason{ErrInvalid, "length exceeds capacity"}
	errNeed     = &reason{ErrInvalid, "needs no more than it had"}
	errSize     = &reason{ErrInvalid, "no whole number of elements"}
	errAlign    = &reason{ErrInvalid, "misaligned address"}
	errOverflow = &reason{ErrInvalid, "size overflows"}
	errRange    = &reason{ErrInvalid, "out of range"}
	errType     = &reason{ErrInvalid, "element type that C can't have"}
	errChanged  = &reason{ErrInvalid, "C changed the description of its room"}
	errHandle   = &reason{ErrInvalid, "not a handle"}
	errNoPool   = &reason{ErrInvalid, "this Pool was not made by NewPool"}
	errNoCache  = &reason{ErrInvalid, "this Cache was not made by NewCache"}
	errNoArena  = &reason{ErrInvalid, "this Arena was not made by NewArena"}
	errStale    = &reason{ErrReleased, "stale handle"}
	errTooLarge = &reason{ErrLimit, "larger than the largest buffer"}
	errOverrun  = &reason{ErrCorrupt, "written past the end"}
	errKept     = &reason{ErrCorrupt, "written after release"}
)

// CError returns what a function of seam/mem.h answered, SEAM_MEM_OK or a SEAM_MEM_E…
// code, as an error: nil, or one that wraps [ErrReleased] (SEAM_MEM_ESTALE,
// SEAM_MEM_EHELD), [ErrInvalid] (SEAM_MEM_EHANDLE), [ErrLimit] (SEAM_MEM_ELIMIT) or
// [ErrClosed] (SEAM_MEM_EABI).
func CError(code int32) error {
	switch code {
	case 0:
		return nil
	case -1:
		return fmt.Errorf("%w: the buffer has been released since", errStale)
	case -2:
		return fmt.Errorf("%w of this pool", errHandle)
	case -3:
		return fmt.Errorf("%w: C has released the buffer as often as it held it", ErrReleased)
	case -4:
		return fmt.Errorf("%w: C holds the buffer two billion times", ErrLimit)
	case -5:
		return fmt.Errorf("%w: the pool, or it is of another version than the header", ErrClosed)
	}
	return fmt.Errorf("%w: C answered %d, which is no SEAM_MEM_… code", ErrInvalid, code)
}
