//go:build gc

package swap

// reverse16 reverses the bytes of each 2-byte word of n bytes from src to dst.
// n is a multiple of 2 and at least 16.
//
//go:noescape
func reverse16(dst, src *byte, n int)

// reverse32 reverses the bytes of each 4-byte word of n bytes from src to dst.
// n is a multiple of 4 and at least 16.
//
//go:noescape
func reverse32(dst, src *byte, n int)

// reverse64 reverses the bytes of each 8-byte word of n bytes from src to dst.
// n is a multiple of 8 and at least 16.
//
//go:noescape
func reverse64(dst, src *byte, n int)

// truth copies n bytes from src to dst, with 1 in place of all that are not 0.
// n is at least 16.
//
//go:noescape
func truth(dst, src *byte, n int)
