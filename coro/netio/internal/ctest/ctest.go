//go:build cgo && linux && !android && (amd64 || arm64)

// Package ctest is the C code that package netio is tested with. Test files can't
// import "C".
package ctest

/*
#cgo CFLAGS: -O2 -Wall -Wextra -I${SRCDIR}/../../../../include
#cgo CXXFLAGS: -O2 -Wall -Wextra -I${SRCDIR}/../../../../include
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "ctest.h"
*/
import "C"

import "unsafe"

// The functions of libc, as Op.Kind has them.
const (
	Read = iota
	ReadV
	Recv
	RecvFrom
	RecvMsg
	Write
	WriteV
	Send
	SendTo
	SendMsg
	Connect
	Accept
	Accept4
	Poll
	PPoll
	Select
	PSelect
	EpollWait
	EpollPWait
	EpollPWait2
	NanoSleep
	ClockNanoSleep
	USleep
	Sleep
	Close
	Dup2
	Dup3
	GetAddrInfo
	ReadChk
	RecvChk
	RecvFromChk
	PollChk
	PPollChk
	Kinds
)

// Names are the functions' names.
var Names = [Kinds]string{"read", "readv", "recv", "recvfrom", "recvmsg", "write", "writev", "send", "sendto", "sendmsg",
	"connect", "accept", "accept4", "poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait", "epoll_pwait2",
	"nanosleep", "clock_nanosleep", "usleep", "sleep", "close", "dup2", "dup3", "getaddrinfo",
	"__read_chk", "__recv_chk", "__recvfrom_chk", "__poll_chk", "__ppoll_chk"}

// PollFD is struct pollfd.
type PollFD struct {
	FD              int32
	Events, Revents int16
}

// Op is one call of a function and what came of it, see op.h.
type Op struct {
	Kind       int32
	FD, FD2    int32
	Flags      int32
	Buf        unsafe.Pointer
	N          uint64
	Parts      int32
	AddrLen    uint32
	Addr       [128]byte
	Timeout    int64
	Clock      int32
	Masked     int32
	NFDs       int32
	ControlLen uint32
	Control    [128]byte
	FDs        [8]PollFD
	Started    int32
	Err        int32
	Result     int64
	Left       int64
	MsgFlags   int32
	Again      int32
}

// Both sides must mean the same.
var (
	_ [unsafe.Sizeof(Op{}) - C.sizeof_struct_seam_test_op]struct{}
	_ [C.sizeof_struct_seam_test_op - unsafe.Sizeof(Op{})]struct{}
	_ [Kinds - C.OP_COUNT]struct{}
	_ [C.OP_COUNT - Kinds]struct{}
)

// Errno is what errno is before a call.
const Errno = C.SEAM_TEST_ERRNO

// The C functions for coroutines. Fn does what an Op says; the others get two
// descriptors of a pipe as [2]int32.
var (
	Fn       = unsafe.Pointer(C.seam_netio_test)
	ForkFn   = unsafe.Pointer(C.seam_test_fork)
	VforkFn  = unsafe.Pointer(C.seam_test_vfork)
	SignalFn = unsafe.Pointer(C.seam_test_signal)
)

// New returns an Op in C memory, with a buffer of n bytes, all 0. Free it.
func New(n int) *Op {
	op := (*Op)(C.calloc(1, C.sizeof_struct_seam_test_op))
	if n > 0 {
		op.Buf = C.calloc(1, C.size_t(n))
	}
	op.N = uint64(n)
	op.Timeout = -1
	op.Left = -1
	return op
}

// Free frees the Op. Buf must be what it was.
func (op *Op) Free() {
	C.free(op.Buf)
	C.free(unsafe.Pointer(op))
}

// Plain does the call outside of coroutines, in a cgo call.
func (op *Op) Plain() { C.seam_netio_test_plain((*C.struct_seam_test_op)(unsafe.Pointer(op))) }

// Raw does it as a system call.
func (op *Op) Raw() { C.seam_netio_test_raw((*C.struct_seam_test_op)(unsafe.Pointer(op))) }

// Open loads a shared library made of op.c and returns the address of its Fn, or nil.
func Open(path string) unsafe.Pointer {
	s := C.CString(path)
	defer C.free(unsafe.Pointer(s))
	return C.seam_test_open(s)
}

// CancelRead cancels a C thread in read(fd). It returns 1 when that ended it.
func CancelRead(fd int) int { return int(C.seam_test_cancel_read(C.int(fd))) }

// What package netio does around a close, one step at a time.

// Closing announces that a descriptor will be closed, Closed that it has been.
func Closing(fd int) { C.seam_coro_closing(C.int(fd)) }
func Closed(fd int)  { C.seam_coro_closed(C.int(fd)) }

// TakeNumber takes the number of an announcement, Announce writes it.
func TakeNumber() uint64          { return uint64(C.seam_closing_number()) }
func Announce(seq uint64, fd int) { C.seam_closing_write(C.uint64_t(seq), C.uint32_t(fd)) }
