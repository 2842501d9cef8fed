package swap

import (
	"encoding/binary"
	"unsafe"
)

const ones = 0x0101010101010101

// portableBools takes four windows of 8 bytes at a time, like the other portable
// loops. The byte order doesn't matter, as long as it is the same both ways. Most
// writers send 0 and 1 only, which need no change.
func portableBools(dst, src unsafe.Pointer, n int) {
	i := 0
	for ; i+32 <= n; i += 32 {
		d, s := (*[32]byte)(unsafe.Add(dst, i)), (*[32]byte)(unsafe.Add(src, i))
		v0 := binary.NativeEndian.Uint64(s[0:8])
		v1 := binary.NativeEndian.Uint64(s[8:16])
		v2 := binary.NativeEndian.Uint64(s[16:24])
		v3 := binary.NativeEndian.Uint64(s[24:32])
		if (v0|v1|v2|v3)&^ones != 0 {
			v0, v1, v2, v3 = truth8(v0), truth8(v1), truth8(v2), truth8(v3)
		}
		binary.NativeEndian.PutUint64(d[0:8], v0)
		binary.NativeEndian.PutUint64(d[8:16], v1)
		binary.NativeEndian.PutUint64(d[16:24], v2)
		binary.NativeEndian.PutUint64(d[24:32], v3)
	}
	for ; i+8 <= n; i += 8 {
		d, s := (*[8]byte)(unsafe.Add(dst, i)), (*[8]byte)(unsafe.Add(src, i))
		binary.NativeEndian.PutUint64(d[:], truth8(binary.NativeEndian.Uint64(s[:])))
	}
	for ; i < n; i++ {
		*(*byte)(unsafe.Add(dst, i)) = byte(truth8(uint64(*(*byte)(unsafe.Add(src, i)))))
	}
}

// truth8 makes each byte of v 1 unless it is 0. Adding 127 to its low seven
// bits sets the high bit if one of them is set, and carries into no neighbour.
func truth8(v uint64) uint64 {
	const low7 = 0x7f7f7f7f7f7f7f7f
	return ((v&low7 + low7) | v) >> 7 & ones
}
