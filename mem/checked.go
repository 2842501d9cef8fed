package mem

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

// A View is C memory that Go reads as a slice, in place. [Of] checks it once and binds it
// to the [Owner] of the memory. Go must only read it. The zero View is empty.
type View[T any] struct {
	owner *Owner
	s     []T
}

// The addresses that a program's memory can have: not in the first page, and of at most 47
// bits (48 on arm64), unless a program asks the kernel for more.
const (
	lowestAddress = 4096
	addressBits   = 48 // of 64
)

// Of returns the n elements at p as a View. capacity is how many C has room for there; if C
// doesn't say, pass n. Nothing is copied or kept alive: the memory stays C's, and is good
// until owner is released. owner may be nil for memory that is never freed.
//
// What C claims is checked: nil, length, capacity, alignment and address range. A claim
// that can't be true is [ErrInvalid]; no elements at nil are fine. T must have the layout of
// C's element. In debug mode an element type that C can't have and memory that is not
// mapped are [ErrInvalid] too.
func Of[T any](owner *Owner, p unsafe.Pointer, n, capacity int) (View[T], error) {
	var t T
	size, align := unsafe.Sizeof(t), unsafe.Alignof(t)
	at := uintptr(p)
	// One branch each, never taken, so the processor predicts them all.
	if uint(n) > uint(capacity) || capacity < 0 || at&(align-1) != 0 || at < lowestAddress ||
		(size != 0 && uintptr(capacity) > math.MaxInt/size) || // a constant for the compiler
		beyond(at, uintptr(capacity)*size) || debugOn {
		return ofUnusual[T](owner, p, n, capacity)
	}
	if owner != nil && owner.Released() {
		return View[T]{}, errReleasedOwner()
	}
	return View[T]{owner, unsafe.Slice((*T)(p), n)}, nil
}

// beyond reports whether size bytes at an address reach past the address space. size is at
// most the largest int, but the sum may overflow.
func beyond(at, size uintptr) bool {
	return uint64(size) > maxAddress || uint64(at) > maxAddress-uint64(size)
}

// maxAddress is the last address.
const maxAddress = uint64(1)<<min(addressBits, 8*unsafe.Sizeof(uintptr(0))) - 1

func errReleasedOwner() error {
	return fmt.Errorf("%w: the Owner of this memory has been released", ErrReleased)
}

// ofUnusual is Of off the fast path: it finds out what is wrong, if anything is.
//
//go:noinline
func ofUnusual[T any](owner *Owner, p unsafe.Pointer, n, capacity int) (View[T], error) {
	var t T
	size, align, at := unsafe.Sizeof(t), unsafe.Alignof(t), uintptr(p)
	fail := func(err error, format string, args ...any) (View[T], error) {
		return View[T]{}, fmt.Errorf("%w: %s", err, fmt.Sprintf(format, args...))
	}
	switch {
	case n < 0 || capacity < 0:
		return fail(errNegative, "C says %d elements and room for %d", n, capacity)
	case n > capacity:
		return fail(errLength, "C says %d elements and room for %d", n, capacity)
	case p == nil && capacity > 0:
		return fail(errNil, "C says %d elements and room for %d at nil", n, capacity)
	case p == nil:
		return View[T]{owner: owner}, nil
	case at%align != 0:
		return fail(errAlign, "%#x is no multiple of %d, which %T needs", at, align, t)
	case size != 0 && uintptr(capacity) > math.MaxInt/size:
		return fail(errOverflow, "%d elements of %d bytes", capacity, size)
	case at < lowestAddress || beyond(at, uintptr(capacity)*size):
		return fail(errRange, "%d elements of %d bytes at %#x are not in the address space", capacity, size, at)
	case owner != nil && owner.Released():
		return View[T]{}, errReleasedOwner()
	}
	s := unsafe.Slice((*T)(p), n)
	if !debugOn {
		return View[T]{owner, s}, nil
	}
	if kind := foreign(reflect.TypeFor[T]()); kind != "" {
		return fail(errType, "%T has a %s", t, kind)
	}
	// A snapshot in place of the memory itself: its pages become inaccessible when the
	// owner is released, so a slice that is used after that faults.
	snap, err := takeSnapshot(p, uintptr(n)*size, align)
	if err != nil {
		return fail(errRange, "%d elements of %d bytes at %#x: %v", n, size, at, err)
	}
	switch {
	case snap.at == nil:
	case owner == nil: // nobody would end it; it has shown that the memory is there
		snap.drop()
	default:
		if !owner.keep(snap) {
			snap.drop()
			return View[T]{}, errReleasedOwner()
		}
		s = unsafe.Slice((*T)(snap.at), n)
	}
	return View[T]{owner, s}, nil
}

// foreign returns what it is in t that C can't have, or "".
func foreign(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String, reflect.Slice, reflect.Map, reflect.Chan, reflect.Func, reflect.Interface:
		return t.Kind().String()
	case reflect.Array:
		return foreign(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if kind := foreign(t.Field(i).Type); kind != "" {
				return kind + " in " + t.Field(i).Name
			}
		}
	}
	return ""
}

// Slice returns the elements, in place. The slice must not be used once the owner is
// released; from then on Slice returns [ErrReleased].
func (v View[T]) Slice() ([]T, error) {
	if v.owner != nil && v.owner.Released() {
		return nil, errReleasedOwner()
	}
	return v.s, nil
}

// Len returns the number of elements, whether or not they have been released.
func (v View[T]) Len() int { return len(v.s) }

// Clone returns a copy of the elements in Go memory, which outlives the owner. The owner
// must not be released while Clone runs.
func (v View[T]) Clone() ([]T, error) {
	if v.owner != nil && v.owner.Released() {
		return nil, errReleasedOwner()
	}
	return append(make([]T, 0, len(v.s)), v.s...), nil
}
