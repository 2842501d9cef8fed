package mem

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

// A View is C memory that Go reads as a slice, in place: checked once, by [Of], and bound
// to the [Owner] of the memory. It is for reading; C writes there, Go does not. The zero
// View is empty.
type View[T any] struct {
	owner *Owner
	s     []T
}

// The addresses that memory of a program can have: not the first page, and 47 bits (arm64
// has 48), the most that user programs are given without asking for more.
const (
	lowestAddress = 4096
	addressBits   = 48 // of 64
)

// Of returns the n elements at p as a View. C has room for capacity of them there; where
// C tells no capacity, it is n. Nothing is copied or kept alive: the memory is C's, until
// the owner is released. owner may be nil for memory that is never given back.
//
// What C says is checked: [ErrInvalid], [ErrInvalid], [ErrInvalid], [ErrInvalid], [ErrInvalid],
// [ErrInvalid]. A View of nothing at nil is fine. T must be laid out as C's element is; in
// debug mode a T that C can't have is [ErrInvalid], and memory that is not there [ErrInvalid].
func Of[T any](owner *Owner, p unsafe.Pointer, n, capacity int) (View[T], error) {
	var t T
	size, align := unsafe.Sizeof(t), unsafe.Alignof(t)
	at := uintptr(p)
	// One branch each, all of them false: the processor runs ahead of them.
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

// beyond reports whether size bytes at an address are not all in the address space. size is
// at most the largest int, but the sum may exceed any number.
func beyond(at, size uintptr) bool {
	return uint64(size) > maxAddress || uint64(at) > maxAddress-uint64(size)
}

// maxAddress is the last address.
const maxAddress = uint64(1)<<min(addressBits, 8*unsafe.Sizeof(uintptr(0))) - 1

func errReleasedOwner() error {
	return fmt.Errorf("%w: the Owner of this memory has been released", ErrReleased)
}

// ofUnusual finds out what is wrong, if anything is.
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
	// A snapshot instead of the memory itself: its page is taken away when the owner is
	// released, so whoever still has a slice of it faults.
	snap, err := takeSnapshot(p, uintptr(n)*size, align)
	if err != nil {
		return fail(errRange, "%d elements of %d bytes at %#x: %v", n, size, at, err)
	}
	switch {
	case snap.at == nil:
	case owner == nil: // nobody would take it away: it has only shown that the memory is there
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

// foreign returns what in t C can't have, "" if there is nothing.
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

// Slice returns the elements, in place. The slice is good until the owner is released.
// After that Slice returns [ErrReleased].
func (v View[T]) Slice() ([]T, error) {
	if v.owner != nil && v.owner.Released() {
		return nil, errReleasedOwner()
	}
	return v.s, nil
}

// Len returns the number of elements, released or not.
func (v View[T]) Len() int { return len(v.s) }

// Clone returns a copy of the elements, which is Go's own and outlives the owner. The owner
// must not be released meanwhile.
func (v View[T]) Clone() ([]T, error) {
	if v.owner != nil && v.owner.Released() {
		return nil, errReleasedOwner()
	}
	return append(make([]T, 0, len(v.s)), v.s...), nil
}
