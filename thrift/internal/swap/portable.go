//go:build !(mips || mips64 || ppc64 || s390x)

package swap

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// The loops below take four 8-byte windows at a time: the compiler makes one
// load, one BSWAP (or MOVBE, REV) and one store of each where the processor has
// them, at any alignment. All four are loaded before the first is stored, for
// they may be the same bytes. The loops are written out for each size, since a
// swap that is a func value would not be inlined.

func portable16(dst, src unsafe.Pointer, n int) {
	n = max(n, 0) * 2
	i := 0
	for ; i+32 <= n; i += 32 {
		d, s := (*[32]byte)(unsafe.Add(dst, i)), (*[32]byte)(unsafe.Add(src, i))
		v0 := swap16(binary.LittleEndian.Uint64(s[0:8]))
		v1 := swap16(binary.LittleEndian.Uint64(s[8:16]))
		v2 := swap16(binary.LittleEndian.Uint64(s[16:24]))
		v3 := swap16(binary.LittleEndian.Uint64(s[24:32]))
		binary.LittleEndian.PutUint64(d[0:8], v0)
		binary.LittleEndian.PutUint64(d[8:16], v1)
		binary.LittleEndian.PutUint64(d[16:24], v2)
		binary.LittleEndian.PutUint64(d[24:32], v3)
	}
	for ; i+8 <= n; i += 8 {
		d, s := (*[8]byte)(unsafe.Add(dst, i)), (*[8]byte)(unsafe.Add(src, i))
		binary.LittleEndian.PutUint64(d[:], swap16(binary.LittleEndian.Uint64(s[:])))
	}
	for ; i < n; i += 2 {
		d, s := (*[2]byte)(unsafe.Add(dst, i)), (*[2]byte)(unsafe.Add(src, i))
		binary.LittleEndian.PutUint16(d[:], binary.BigEndian.Uint16(s[:]))
	}
}

func portable32(dst, src unsafe.Pointer, n int) {
	n = max(n, 0) * 4
	i := 0
	for ; i+32 <= n; i += 32 {
		d, s := (*[32]byte)(unsafe.Add(dst, i)), (*[32]byte)(unsafe.Add(src, i))
		v0 := swap32(binary.BigEndian.Uint64(s[0:8]))
		v1 := swap32(binary.BigEndian.Uint64(s[8:16]))
		v2 := swap32(binary.BigEndian.Uint64(s[16:24]))
		v3 := swap32(binary.BigEndian.Uint64(s[24:32]))
		binary.LittleEndian.PutUint64(d[0:8], v0)
		binary.LittleEndian.PutUint64(d[8:16], v1)
		binary.LittleEndian.PutUint64(d[16:24], v2)
		binary.LittleEndian.PutUint64(d[24:32], v3)
	}
	for ; i < n; i += 4 {
		d, s := (*[4]byte)(unsafe.Add(dst, i)), (*[4]byte)(unsafe.Add(src, i))
		binary.LittleEndian.PutUint32(d[:], binary.BigEndian.Uint32(s[:]))
	}
}

func portable64(dst, src unsafe.Pointer, n int) {
	n = max(n, 0) * 8
	i := 0
	for ; i+32 <= n; i += 32 {
		d, s := (*[32]byte)(unsafe.Add(dst, i)), (*[32]byte)(unsafe.Add(src, i))
		v0 := binary.BigEndian.Uint64(s[0:8])
		v1 := binary.BigEndian.Uint64(s[8:16])
		v2 := binary.BigEndian.Uint64(s[16:24])
		v3 := binary.BigEndian.Uint64(s[24:32])
		binary.LittleEndian.PutUint64(d[0:8], v0)
		binary.LittleEndian.PutUint64(d[8:16], v1)
		binary.LittleEndian.PutUint64(d[16:24], v2)
		binary.LittleEndian.PutUint64(d[24:32], v3)
	}
	for ; i+8 <= n; i += 8 {
		d, s := (*[8]byte)(unsafe.Add(dst, i)), (*[8]byte)(unsafe.Add(src, i))
		binary.LittleEndian.PutUint64(d[:], binary.BigEndian.Uint64(s[:]))
	}
}

// swap16 reverses the bytes of the four 2-byte words of v.
func swap16(v uint64) uint64 {
	const low = 0x00ff00ff00ff00ff
	return v>>8&low | v&low<<8
}

// swap32 exchanges the halves of v: after a reversal of all eight bytes, both
// 4-byte words are reversed and back in their places.
func swap32(v uint64) uint64 { return bits.RotateLeft64(v, 32) }
