//go:build gc && (amd64 || arm64)

package swap

import (
	"math/bits"
	"unsafe"
)

// Short areas are the most frequent. Instead of a loop, whose number of turns
// the processor would have to guess, they are taken in a fixed number of words
// that may be the same or overlap: all are loaded before the first is stored.
// amd64 and arm64 load and store at any alignment. As in portable.go, what swaps
// a word has to be inlined.

func short16(dst, src unsafe.Pointer, n int) {
	switch {
	case n >= 4:
		i, j, k := windows(n * 2)
		v0, v1, v2, v3 := load[uint64](src, 0), load[uint64](src, i), load[uint64](src, j), load[uint64](src, k)
		store(dst, 0, swap16(v0))
		store(dst, i, swap16(v1))
		store(dst, j, swap16(v2))
		store(dst, k, swap16(v3))
	case n > 0:
		i, j := n>>1*2, (n-1)*2
		v0, v1, v2 := load[uint16](src, 0), load[uint16](src, i), load[uint16](src, j)
		store(dst, 0, bits.ReverseBytes16(v0))
		store(dst, i, bits.ReverseBytes16(v1))
		store(dst, j, bits.ReverseBytes16(v2))
	}
}

func short32(dst, src unsafe.Pointer, n int) {
	switch {
	case n >= 4:
		i, j, k := windows(n * 4)
		v0, v1, v2, v3 := load[uint64](src, 0), load[uint64](src, i), load[uint64](src, j), load[uint64](src, k)
		store(dst, 0, swap32(bits.ReverseBytes64(v0)))
		store(dst, i, swap32(bits.ReverseBytes64(v1)))
		store(dst, j, swap32(bits.ReverseBytes64(v2)))
		store(dst, k, swap32(bits.ReverseBytes64(v3)))
	case n > 0:
		i, j := n>>1*4, (n-1)*4
		v0, v1, v2 := load[uint32](src, 0), load[uint32](src, i), load[uint32](src, j)
		store(dst, 0, bits.ReverseBytes32(v0))
		store(dst, i, bits.ReverseBytes32(v1))
		store(dst, j, bits.ReverseBytes32(v2))
	}
}

func short64(dst, src unsafe.Pointer, n int) {
	if n > 0 {
		i, j := n>>1*8, (n-1)*8
		v0, v1, v2 := load[uint64](src, 0), load[uint64](src, i), load[uint64](src, j)
		store(dst, 0, bits.ReverseBytes64(v0))
		store(dst, i, bits.ReverseBytes64(v1))
		store(dst, j, bits.ReverseBytes64(v2))
	}
}

func shortBools(dst, src unsafe.Pointer, n int) {
	switch {
	case n >= 8:
		i, j, k := windows(n)
		v0, v1, v2, v3 := load[uint64](src, 0), load[uint64](src, i), load[uint64](src, j), load[uint64](src, k)
		store(dst, 0, truth8(v0))
		store(dst, i, truth8(v1))
		store(dst, j, truth8(v2))
		store(dst, k, truth8(v3))
	case n >= 4:
		v := uint64(load[uint32](src, 0)) | uint64(load[uint32](src, n-4))<<32
		v = truth8(v)
		store(dst, 0, uint32(v))
		store(dst, n-4, uint32(v>>32))
	case n > 0:
		i, j := n>>1, n-1
		v := truth8(uint64(load[byte](src, 0)) | uint64(load[byte](src, i))<<8 | uint64(load[byte](src, j))<<16)
		store(dst, 0, byte(v))
		store(dst, i, byte(v>>8))
		store(dst, j, byte(v>>16))
	}
}

// windows returns where three windows of 8 bytes begin that together with one
// at 0 cover an area of 8 to 32 bytes.
func windows(size int) (i, j, k int) {
	k = size - 8
	return min(8, k), max(k-8, 0), k
}

func load[T uint8 | uint16 | uint32 | uint64](p unsafe.Pointer, i int) T {
	return *(*T)(unsafe.Add(p, i))
}

func store[T uint8 | uint16 | uint32 | uint64](p unsafe.Pointer, i int, v T) {
	*(*T)(unsafe.Add(p, i)) = v
}
