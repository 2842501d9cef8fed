package mem

import (
	"bytes"
	"fmt"
	"os"
	"unsafe"
)

// debugOn says whether SEAM_MEM was "debug" when the program started.
var debugOn = readMode(os.Getenv("SEAM_MEM"))

func readMode(s string) bool {
	if s != "" && s != "debug" {
		fmt.Fprintf(os.Stderr, "mem: SEAM_MEM=%q is not known and does nothing; the debug mode is SEAM_MEM=debug\n", s)
	}
	return s == "debug"
}

// In debug mode a pattern of canarySize bytes follows everything that C writes to.
const canarySize = 64

// The patterns past the end of memory and in memory that nobody uses. Neither looks like
// text, a small number or an address.
const (
	canaryByte = 0xc5
	freeByte   = 0xdb
)

var (
	canary = bytes.Repeat([]byte{canaryByte}, canarySize)
	free   = bytes.Repeat([]byte{freeByte}, 4096)
)

// withCanary returns size zero bytes followed by a canary, in one allocation.
func withCanary(size int) []byte {
	b := make([]byte, size+canarySize)
	copy(b[size:], canary)
	return b[:size:size]
}

// brokenCanary returns the last byte of b's canary that was overwritten, or -1. The canary
// follows b's length.
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

// poison fills b with the pattern for free memory.
func poison(b []byte) {
	for len(b) > 0 {
		b = b[copy(b, free):]
	}
}

// spoiled returns the first byte of b that is not as poison left it, or -1.
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
