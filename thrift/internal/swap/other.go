//go:build !(gc && (amd64 || arm64)) && !(mips || mips64 || ppc64 || s390x)

package swap

import "unsafe"

// Path names the code that the functions take.
func Path() string { return "portable" }

// Copy16 copies n 2-byte words from src to dst and reverses the bytes of each.
// The areas must not overlap unless they are the same; neither needs alignment.
func Copy16(dst, src unsafe.Pointer, n int) { portable16(dst, src, n) }

// Copy32 copies n 4-byte words from src to dst and reverses the bytes of each.
// The areas must not overlap unless they are the same; neither needs alignment.
func Copy32(dst, src unsafe.Pointer, n int) { portable32(dst, src, n) }

// Copy64 copies n 8-byte words from src to dst and reverses the bytes of each.
// The areas must not overlap unless they are the same; neither needs alignment.
func Copy64(dst, src unsafe.Pointer, n int) { portable64(dst, src, n) }

// Bools copies n bytes from src to dst: 0 as 0, all others as 1. The areas must
// not overlap unless they are the same; neither needs alignment.
func Bools(dst, src unsafe.Pointer, n int) { portableBools(dst, src, n) }
