//go:build cgo && linux && !android && (amd64 || arm64)

package native

// #cgo nocallback seam_stack_chunk
// #cgo nocallback seam_stack_commit
// #cgo nocallback seam_stack_trim
// #cgo nocallback seam_stack_touched
// #cgo nocallback seam_stack_watch
// #include "native.h"
import "C"

import (
	"syscall"
	"unsafe"
)

// ChunkBytes is the address space that one chunk of stacks takes.
const ChunkBytes = 1 << C.SEAM_CHUNK_BITS_

// Entry is where a new coroutine begins.
var Entry = unsafe.Pointer(C.seam_coro_entry)

// Keep is what a coroutine's keep points to if there are keepers, and ErrorAt is its error_at.
var (
	Keep    = uint64(uintptr(unsafe.Pointer(C.seam_coro_move)))
	ErrorAt = uint64(C.seam_error_at())
)

// NewChunk reserves a chunk for slots of 1<<bits bytes.
func NewChunk(bits uint) (uintptr, error) {
	p, err := C.seam_stack_chunk(C.unsigned(bits))
	if p == nil {
		return 0, err
	}
	return uintptr(unsafe.Pointer(p)), nil
}

// Commit makes a slot usable and returns its control block.
func Commit(slot uintptr, bits uint) (unsafe.Pointer, error) {
	co, err := C.seam_stack_commit((*C.char)(*(*unsafe.Pointer)(unsafe.Pointer(&slot))), C.unsigned(bits))
	if co == nil {
		return nil, err
	}
	return unsafe.Pointer(co), nil
}

// Trim gives the memory of a free stack back to the kernel.
func Trim(co unsafe.Pointer) { C.seam_stack_trim((*C.seam_coro)(co)) }

// Touched returns how many bytes of the stack have ever been used, in whole pages.
func Touched(co unsafe.Pointer) int { return int(C.seam_stack_touched((*C.seam_coro)(co))) }

// Watch makes stack overflows end with a message that names the function.
func Watch() error {
	if errno := C.seam_stack_watch(); errno != 0 {
		return syscall.Errno(errno)
	}
	return nil
}
