//go:build gc && (amd64 || arm64)

package swap

import (
	"os"
	"unsafe"
)

// chunk is how many bytes a kernel is given at a time: half of what it gets at
// most. The runtime can't stop a goroutine inside assembly, so one long call
// would hold up all others whenever the garbage collector wants them to stop.
const chunk = 32 << 10

// vectors says whether the kernels are used. The sanitizers see no access that
// assembly makes, so under them Go code does the work.
var vectors = !sanitized && os.Getenv("SEAM_SWAP") != "portable" && supported()

// Path names the code that the functions take: "avx2", "neon" or "portable".
func Path() string {
	if vectors {
		return instructions
	}
	return "portable"
}

// The functions below are alike but for their sizes. A shared one would call its
// kernels by func values, and most lists are short.

// Copy16 copies n 2-byte words from src to dst and reverses the bytes of each.
// The areas must not overlap unless they are the same; neither needs alignment.
func Copy16(dst, src unsafe.Pointer, n int) {
	if n < least/2 {
		short16(dst, src, n)
		return
	}
	if !vectors {
		portable16(dst, src, n)
		return
	}
	n *= 2
	if n >= 2*chunk {
		dst, src, n = long(reversal16, dst, src, n)
	}
	reverse16((*byte)(dst), (*byte)(src), n)
}

// Copy32 copies n 4-byte words from src to dst and reverses the bytes of each.
// The areas must not overlap unless they are the same; neither needs alignment.
func Copy32(dst, src unsafe.Pointer, n int) {
	if n < least/4 {
		short32(dst, src, n)
		return
	}
	if !vectors {
		portable32(dst, src, n)
		return
	}
	n *= 4
	if n >= 2*chunk {
		dst, src, n = long(reversal32, dst, src, n)
	}
	reverse32((*byte)(dst), (*byte)(src), n)
}

// Copy64 copies n 8-byte words from src to dst and reverses the bytes of each.
// The areas must not overlap unless they are the same; neither needs alignment.
func Copy64(dst, src unsafe.Pointer, n int) {
	if n < least/8 {
		short64(dst, src, n)
		return
	}
	if !vectors {
		portable64(dst, src, n)
		return
	}
	n *= 8
	if n >= 2*chunk {
		dst, src, n = long(reversal64, dst, src, n)
	}
	aligned64((*byte)(dst), (*byte)(src), n)
}

// Bools copies n bytes from src to dst: 0 as 0, all others as 1. The areas must
// not overlap unless they are the same; neither needs alignment.
func Bools(dst, src unsafe.Pointer, n int) {
	if n < least {
		shortBools(dst, src, n)
		return
	}
	if !vectors {
		portableBools(dst, src, n)
		return
	}
	if n >= 2*chunk {
		dst, src, n = long(truthOfBytes, dst, src, n)
	}
	truth((*byte)(dst), (*byte)(src), n)
}

// operation is what a kernel does.
type operation int

const (
	reversal16 operation = iota
	reversal32
	reversal64
	truthOfBytes
)

// long does the operation chunk by chunk and returns what it leaves: at least
// one chunk and less than two, so that no kernel gets a piece that is too small.
func long(op operation, dst, src unsafe.Pointer, n int) (restDst, restSrc unsafe.Pointer, rest int) {
	for n >= 2*chunk {
		one(op, (*byte)(dst), (*byte)(src))
		dst, src = unsafe.Add(dst, chunk), unsafe.Add(src, chunk)
		n -= chunk
	}
	return dst, src, n
}

// one does the operation on a chunk. It is a function of its own for the check
// at its entry whether the goroutine shall stop: a signal to stop nearly always
// meets the assembly and does nothing there, and neither a loop nor the
// compiler's wrapper of an assembly function has such a check.
//
//go:noinline
func one(op operation, dst, src *byte) {
	switch op {
	case reversal16:
		reverse16(dst, src, chunk)
	case reversal32:
		reverse32(dst, src, chunk)
	case reversal64:
		aligned64(dst, src, chunk)
	case truthOfBytes:
		truth(dst, src, chunk)
	}
}
