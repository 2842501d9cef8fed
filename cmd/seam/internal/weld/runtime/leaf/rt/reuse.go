//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package rt

import (
	"sync/atomic"
	"unsafe"
)

// Blocks of C's that are used again
//
// A string that is made by C.CString and freed by the same Go function lives in a block of malloc's
// that is kept when it is freed, for the next such string. To C a kept block is one of malloc's that
// nobody has freed yet: C may keep, free and resize it exactly as before. So nothing has to be known
// of C. Which C.free is of which C.CString, the rewrite reads in the source (cgofile/strings.go).
//
// A block is in at most one entry, and who takes it out has it alone: both ways are one
// compare-and-swap. Entries are shared by goroutines whose stacks lie in the same 2 KiB or have the same
// hash, which is rare for those that run at once, so lines of the cache seldom bounce. There are 64 lines
// with 4 blocks of each size: 144 KiB at most stay with the program.

// seamBlocks is struct _seam_blocks of seam_weld_reuse.h. It lies in C's memory.
type seamBlocks struct {
	off  uint64
	_    [56]byte
	line [64][len(seamSizes)][4]uintptr
}

var seamSizes = [...]uintptr{64, 512}

// SeamTake is a block for a string of n bytes and the 0 behind them: p, or nil if none is kept and
// malloc has to make one of size bytes. place is where it is to be given back, 0 if there are no blocks
// for such a string.
//
//go:norace
//go:nocheckptr
func SeamTake(blocks unsafe.Pointer, n int) (p unsafe.Pointer, size, place uintptr) {
	b := (*seamBlocks)(blocks)
	of := uintptr(0)
	for uintptr(n) >= seamSizes[of] {
		if of++; of == uintptr(len(seamSizes)) {
			return nil, 0, 0
		}
	}
	if b.off != 0 {
		return nil, 0, 0
	}
	var here byte
	line := uintptr(uint64(uintptr(unsafe.Pointer(&here))>>11) * 0x9e3779b97f4a7c15 >> 58)
	place = 1 + line*uintptr(len(seamSizes)) + of
	for i := range b.line[line][of] {
		entry := &b.line[line][of][i]
		if kept := atomic.LoadUintptr(entry); kept != 0 && atomic.CompareAndSwapUintptr(entry, kept, 0) {
			return *(*unsafe.Pointer)(unsafe.Pointer(&kept)), seamSizes[of], place
		}
	}
	return nil, seamSizes[of], place
}

// SeamGive keeps a block. If it can't, the block has to be freed. A block that is kept already is freed
// twice by the program: it goes back to malloc, so that no two strings share it.
//
//go:norace
//go:nocheckptr
func SeamGive(blocks, p unsafe.Pointer, place uintptr) bool {
	b := (*seamBlocks)(blocks)
	entries := &b.line[(place-1)/uintptr(len(seamSizes))][(place-1)%uintptr(len(seamSizes))]
	for i := range entries {
		if atomic.LoadUintptr(&entries[i]) == uintptr(p) {
			return !atomic.CompareAndSwapUintptr(&entries[i], uintptr(p), 0)
		}
	}
	for i := range entries {
		if atomic.LoadUintptr(&entries[i]) == 0 && atomic.CompareAndSwapUintptr(&entries[i], 0, uintptr(p)) {
			return true
		}
	}
	return false
}
