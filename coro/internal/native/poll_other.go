//go:build cgo && !linux

package native

// #include "native.h"
import "C"

import (
	"time"
	"unsafe"
)

// PollBadFD is what PollOne returns for a bad descriptor.
const PollBadFD = C.SEAM_EBADF

// PollOne waits for the events of a descriptor and sets them to those found. It
// returns how many descriptors are ready, or a negative code.
func PollOne(fd int32, events *uint32, timeout time.Duration) int {
	return int(C.seam_poll_one(C.int(fd), (*C.uint32_t)(events), C.int(timeout.Milliseconds())))
}

// PollMany polls an array of n struct pollfd.
func PollMany(fds unsafe.Pointer, n uint64, timeout time.Duration) int {
	return int(C.seam_poll_many(fds, C.uint64_t(n), C.int(timeout.Milliseconds())))
}
