//go:build !linux

package switches

import "unsafe"

// mapPages returns zeroed memory, aligned to a word.
func mapPages(n int) ([]byte, error) {
	words := make([]uint64, n/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n), nil
}

func unmapPages([]byte) {}
