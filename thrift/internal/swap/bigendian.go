//go:build mips || mips64 || ppc64 || s390x

package swap

import "unsafe"

// Path names the code that the functions take.
func Path() string { return "copy" }

// Copy16 copies n 2-byte words from src to dst: the host's order is the wire's.
// The areas must not overlap unless they are the same; neither needs alignment.
func Copy16(dst, src unsafe.Pointer, n int) { copyBytes(dst, src, n, 2) }

// Copy32 copies n 4-byte words from src to dst: the host's order is the wire's.
// The areas must not overlap unless they are the same; neither needs alignment.
func Copy32(dst, src unsafe.Pointer, n int) { copyBytes(dst, src, n, 4) }

// Copy64 copies n 8-byte words from src to dst: the host's order is the wire's.
// The areas must not overlap unless they are the same; neither needs alignment.
func Copy64(dst, src unsafe.Pointer, n int) { copyBytes(dst, src, n, 8) }

// Bools copies n bytes from src to dst: 0 as 0, all others as 1. The areas must
// not overlap unless they are the same; neither needs alignment.
func Bools(dst, src unsafe.Pointer, n int) { portableBools(dst, src, n) }

func copyBytes(dst, src unsafe.Pointer, n, size int) {
	if n > 0 {
		copy(unsafe.Slice((*byte)(dst), n*size), unsafe.Slice((*byte)(src), n*size))
	}
}
