package ring

import (
	"sync/atomic"
	"unsafe"
)

// control is the head of a ring's memory, the same for both languages: seam_ring_control
// in seam/ring.h. What different sides write is 128 bytes apart: processors fetch lines
// of 64 bytes in pairs.
//
// Positions count bytes since the ring began and never go back. They may overflow: they
// are only ever subtracted.
type control struct {
	magic    uint64
	version  uint32
	size     uint32 // of control: the data follow
	layout   uint64
	features uint64
	capacity uint64 // of the data, in bytes: a power of two
	_        [128 - 40]byte

	written atomic.Uint64 // up to where the reader may read; the writer's
	_       [128 - 8]byte

	// Up to where the writer may write, less the capacity. It is the reader's, except
	// where the writer drops the oldest: there the lowest bit is the reader's claim.
	read atomic.Uint64
	_    [128 - 8]byte

	reader side
	writer side

	_ [1024 - 5*128]byte
}

// side is what the other one asks of an end, and counters. The first word is read
// whenever something is published, and seldom changes.
type side struct {
	state   atomic.Uint32 // waits | closed | aborted
	adopted uint32        // seam/ring.h: the process that took the end over, after a fork
	sleeps  atomic.Uint64 // how often the end slept
	wakes   atomic.Uint64 // how often it woke the other
	dropped atomic.Uint64 // records dropped, by a writer
	_       [128 - 32]byte
}

// Bits of side.state.
const (
	waits  = 1 // ring the bell when you have published
	closed = 2 // the end is closed for good
	// The writer has given up: the end of its records isn't that of the stream. It isn't part of
	// the layout's hash: a peer that doesn't know it sees the socket hang up, which is the same.
	aborted = 4
)

const (
	magic       = 0x474e4952_4d414553 // "SEAMRING" in memory
	version     = 1
	controlSize = uint64(unsafe.Sizeof(control{}))

	// claimed, in control.read, says that the reader looks at the record there, which
	// the writer then can't drop.
	claimed = 1

	// A record begins with 8 bytes: its length, and what it is in the upper half. It
	// takes a multiple of 8 bytes and never wraps: padding fills the end of the ring.
	headerSize = 8
	padding    = 1

	minCapacity = 64
	// MaxCapacity is the largest capacity of a ring, in bytes.
	MaxCapacity = 1 << 30
)

// layoutText is what the layout consists of, and layoutHash its FNV-1a hash: what both
// sides must agree on beyond the version. A test holds it and the header to the struct.
const (
	layoutText = "control 1024 capacity 32 written 128 read 256 reader 384 writer 512 state 0 sleeps 8 wakes 16 dropped 24 " +
		"record length:32 kind:32 align 8 padding 1 waits 1 closed 2 claimed 1"
	layoutHash = 0x1413aaff2adbfaea
)

// recordSize is what a record of n bytes takes.
func recordSize(n uint64) uint64 { return headerSize + (n+7)&^7 }

// header returns the address of the record header at a position.
func (e *end) header(pos uint64) *uint64 { return (*uint64)(unsafe.Add(e.data, pos&e.mask)) }

// payload returns n bytes of the record at a position.
func (e *end) payload(pos uint64, n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(e.data, pos&e.mask+headerSize)), n)
}
