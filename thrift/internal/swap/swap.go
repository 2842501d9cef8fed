// Package swap copies lists between the host's byte order and big endian, the
// byte order of the Thrift protocols: whole lists at a time, by vector
// instructions where there are any.
//
//	func Copy16(dst, src unsafe.Pointer, n int)
//	func Copy32(dst, src unsafe.Pointer, n int)
//	func Copy64(dst, src unsafe.Pointer, n int)
//	func Bools(dst, src unsafe.Pointer, n int)
//
// CopyB copies n words of B bits from src to dst and reverses the bytes of
// each; on a big-endian host it copies them as they are. Bools copies n bytes,
// 0 as 0 and all others as 1.
//
// The two areas must not overlap unless they are the same. Neither needs to be
// aligned. Nothing is touched if n is 0 or less. The pointers are not kept.
//
// The environment variable SEAM_SWAP=portable, read at start, turns the vector
// instructions off. So does GODEBUG=cpu.avx2=off on amd64.
package swap

//go:generate go run ../../../cmd/seam/internal/asm/swap -asm kernels_amd64.s -stubs kernels_amd64.go
