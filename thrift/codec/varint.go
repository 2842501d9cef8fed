package codec

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Varints of up to 8 bytes, 56 bits, are read and written as one word: their
// lengths in a list are seldom foreseeable, and a loop over the bytes costs a
// mispredicted branch for each of them.

// fastUvarint is uvarint, faster where the input goes on for 8 bytes or more.
func fastUvarint(b []byte, i int) (uint64, int) {
	if len(b)-i < 8 {
		return uvarint(b, i)
	}
	x := binary.LittleEndian.Uint64((*[8]byte)(at(b, i))[:])
	// The last byte is the first without its high bit.
	end := bits.TrailingZeros64(^x & 0x8080808080808080)
	if end == 64 {
		return uvarint(b, i)
	}
	x &= 1<<(end&63) - 1 // what is behind; the high bit of the last byte is clear
	// Sevens to fourteens to twenty-eights to fifty-six.
	x = x&0x007F007F007F007F | x&0x7F007F007F007F00>>1
	x = x&0x00003FFF00003FFF | x&0x3FFF00003FFF0000>>2
	x = x&0x000000000FFFFFFF | x&0x0FFFFFFF00000000>>4
	return x, i + end/8 + 1
}

// maxVarint is the most that a varint takes.
const maxVarint = 10

// putUvarint writes a varint at p, where there is room for maxVarint bytes,
// and returns its length. A word is written even if the varint is shorter.
func putUvarint(p unsafe.Pointer, u uint64) int {
	if u>>56 != 0 {
		return putLongUvarint(p, u)
	}
	n := (bits.Len64(u|1) + 6) / 7
	u = u&0x000000000FFFFFFF | u<<4&0x0FFFFFFF00000000
	u = u&0x00003FFF00003FFF | u<<2&0x3FFF00003FFF0000
	u = u&0x007F007F007F007F | u<<1&0x7F007F007F007F00
	u |= 0x8080808080808080 & (1<<(8*(n-1)&63) - 1) // all but the last go on
	binary.LittleEndian.PutUint64((*[8]byte)(p)[:], u)
	return n
}

func putLongUvarint(p unsafe.Pointer, u uint64) int {
	return binary.PutUvarint((*[10]byte)(p)[:], u)
}

// appendZigzags appends numbers as varints in zigzag order.
func appendZigzags[T ~int16 | ~int32 | ~int64](b []byte, v []T) []byte {
	const batch = 64 // of which the longest fit
	// The last ones are written byte by byte: a word would reach into what is
	// behind, which may be somebody's.
	for len(v) > 8 {
		n := min(len(v)-8, batch)
		end := len(b)
		b = Extend(b, n*maxVarint+8)
		for _, x := range v[:n] {
			end += putUvarint(at(b, end), zagged(int64(x)))
		}
		b, v = b[:end], v[n:]
	}
	for _, x := range v {
		b = appendUvarint(b, zagged(int64(x)))
	}
	return b
}

func zagged(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }
