package growth

import "unsafe"

// Frames of several sizes and contents. Go fixes the size of a frame when it compiles a
// function, hence a function for each: generic ones, made for each array. The functions
// that choose among them are written out for each content: a shared one would have to call
// them by func values, and its own frame would be another.

// The sizes of arrays. Larger ones might be put on the heap: Go does so with explicit
// variables above 128 KB since 1.24.
const (
	smallest = 128
	largest  = 64 << 10
)

// downBytes goes down by frames without pointers.
//
//go:noinline
func (d *descent) downBytes(first *byte) {
	var here byte
	switch d.next(first, &here) {
	case arrived:
		d.bottom(first)
	case onwards:
		d.downBytes(first)
	case 16:
		bytesFrame[[64 << 10]byte](d, first)
	case 15, 14:
		bytesFrame[[16 << 10]byte](d, first)
	case 13, 12:
		bytesFrame[[4 << 10]byte](d, first)
	case 11, 10:
		bytesFrame[[1 << 10]byte](d, first)
	case 9, 8:
		bytesFrame[[256]byte](d, first)
	default:
		bytesFrame[[128]byte](d, first)
	}
	use(unsafe.Pointer(&here))
}

// downLinks goes down by frames that have one pointer each: above, to the one before.
//
//go:noinline
func (d *descent) downLinks(first, above *byte) {
	var here byte
	switch d.next(first, &here) {
	case arrived:
		d.bottom(first)
	case onwards:
		d.downLinks(first, above)
	case 16:
		linkFrame[[64 << 10]byte](d, first, above)
	case 15, 14:
		linkFrame[[16 << 10]byte](d, first, above)
	case 13, 12:
		linkFrame[[4 << 10]byte](d, first, above)
	case 11, 10:
		linkFrame[[1 << 10]byte](d, first, above)
	case 9, 8:
		linkFrame[[256]byte](d, first, above)
	default:
		linkFrame[[128]byte](d, first, above)
	}
	use(unsafe.Pointer(&here))
}

// downPointers goes down by frames of pointers.
//
//go:noinline
func (d *descent) downPointers(first *byte) {
	var here byte
	switch d.next(first, &here) {
	case arrived:
		d.bottom(first)
	case onwards:
		d.downPointers(first)
	case 16:
		pointersFrame[[64 << 10 / word]*byte](d, first)
	case 15, 14:
		pointersFrame[[16 << 10 / word]*byte](d, first)
	case 13, 12:
		pointersFrame[[4 << 10 / word]*byte](d, first)
	case 11, 10:
		pointersFrame[[1 << 10 / word]*byte](d, first)
	case 9, 8:
		pointersFrame[[256 / word]*byte](d, first)
	default:
		pointersFrame[[128 / word]*byte](d, first)
	}
	use(unsafe.Pointer(&here))
}

// bytesFrame holds no pointer. Its array is zeroed: all of it is memory that was used.
//
//go:noinline
func bytesFrame[A any](d *descent, first *byte) {
	var a A
	d.frames++
	use(unsafe.Pointer(&a))
	d.downBytes(first)
	use(unsafe.Pointer(&a))
}

// linkFrame holds one pointer into the stack, to the frame above that has one too.
//
//go:noinline
func linkFrame[A any](d *descent, first, above *byte) {
	var a struct {
		above *byte
		own   byte
		rest  A
	}
	a.above = above
	d.frames++
	use(unsafe.Pointer(&a))
	d.downLinks(first, &a.own)
	use(unsafe.Pointer(&a))
	if a.above != above {
		panic("a pointer into the stack was not adjusted")
	}
}

// pointersFrame holds nothing but pointers into the stack.
//
//go:noinline
func pointersFrame[A pointers](d *descent, first *byte) {
	var a A
	for i := 0; i < len(a); i++ {
		a[i] = first
	}
	d.frames++
	use(unsafe.Pointer(&a))
	d.downPointers(first)
	use(unsafe.Pointer(&a))
	if a[len(a)-1] != first {
		panic("a pointer into the stack was not adjusted")
	}
}

const word = unsafe.Sizeof(uintptr(0))

type pointers interface {
	[64 << 10 / word]*byte | [16 << 10 / word]*byte | [4 << 10 / word]*byte | [1 << 10 / word]*byte | [256 / word]*byte | [128 / word]*byte
}
