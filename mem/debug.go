package mem

import (
	"bytes"
	"fmt"
	"os"
	"unsafe"
)

// debugOn is set at start and read only: SEAM_MEM=debug.
var debugOn = readMode(os.Getenv("SEAM_MEM"))

func readMode(s string) bool {
	if s != "" && s != "debug" {
		fmt.Fprintf(os.Stderr, "mem: SEAM_MEM=%q is not known and does nothing; the debug mode is SEAM_MEM=debug\n", s)
	}
	return s == "debug"
}

// In debug mode canarySize bytes of a pattern lie behind everything that C writes to.
const canarySize = 64

// The patterns: behind the end, and in memory that nobody has. Neither looks like text,
// a small number or an address.
const (
	canaryByte = 0xc5
	freeByte   = 0xdb
)

var (
	canary = bytes.Repeat([]byte{canaryByte}, canarySize)
	free   = bytes.Repeat([]byte{freeByte}, 4096)
)

// withCanary returns size zero bytes with a canary behind them, in the same allocation.
func withCanary(size int) []byte {
	b := make([]byte, size+canarySize)
	copy(b[size:], canary)
	return b[:size:size]
}

// brokenCanary returns the last byte of b's canary that was overwritten, -1 if none was.
// b is memory with a canary behind its length.
func brokenCanary(b []byte) int {
	if unsafe.SliceData(b) == nil {
		return -1
	}
	behind := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), len(b))), canarySize)
	for i := canarySize - 1; i >= 0; i-- {
		if behind[i] != canaryByte {
			return i
		}
	}
	return -1
}

// poison fills b with the pattern of free memory.
func poison(b []byte) {
	for len(b) > 0 {
		b = b[copy(b, free):]
	}
}

// spoiled returns the first byte of b that is not as poison has left it, -1 if all are.
func spoiled(b []byte) int {
	for at := 0; at < len(b); at += len(free) {
		part := b[at:min(at+len(free), len(b))]
		if bytes.Equal(part, free[:len(part)]) {
			continue
		}
		for i, c := range part {
			if c != freeByte {
				return at + i
			}
		}
	}
	return -1
}
