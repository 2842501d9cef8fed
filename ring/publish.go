package ring

import (
	"sync/atomic"
	"time"
	"unsafe"
)

// PublishOptions are those of [Publish]. The zero value is usable.
type PublishOptions struct {
	// Capacity is how many bytes of records are kept for subscribers that are behind, with 16
	// bytes a record: a power of two; 0 means 1 MiB. A record may have half of it.
	Capacity int
}

// SubscribeOptions are those of [Subscribe]. The zero value is usable.
type SubscribeOptions struct {
	// History begins with the oldest record that the publisher has kept, and not with the next
	// one that it publishes. What it has kept no more counts as lost.
	History bool
	// Life and Number, if Life isn't 0, are those of the last record that an earlier Subscriber
	// has had: what was published since then comes first, as after a reconnection.
	Life, Number uint64
	// Spin is how long to look before sleeping, as in [Options].
	Spin time.Duration
	// MaxCapacity is how many bytes the publisher's ring may have: 0 means 64 MiB.
	MaxCapacity int
}

// A Publication is a record as a [Subscriber] gets it.
type Publication struct {
	// Data are the record's bytes, until the next call of a method of the Subscriber.
	Data []byte
	// Number is the record's: the first of a publisher is 1.
	Number uint64
	// Lost is how many records before this one, since the one that came before, were
	// overwritten before they were read: in the same life those whose numbers are between, and
	// after a change of lives what was lost of the old one to its end, and of the new one before
	// this record.
	Lost uint64
	// Life is the publisher's, a number that another publisher at the same path doesn't have.
	Life uint64
}

// publication is the head of what a publisher shares: seam_ring_publication_ in
// seam/publish.h. Subscribers can't write to it.
type publication struct {
	magic    uint64
	version  uint32
	size     uint32 // of this struct: the records follow
	capacity uint64 // of the records, in bytes: a power of two
	life     uint64
	_        [128 - 32]byte

	written atomic.Uint64 // up to where there are records
	// last are the two last values of written, and the number of the last record before each. They
	// are stored before written, so one of them is its, wherever the publisher dies.
	last   [2]struct{ written, number uint64 }
	_      [128 - 40]byte
	oldest atomic.Uint64 // a record begins here; what lies before may be overwritten at any time
	_      [128 - 8]byte
	state  atomic.Uint32 // closed
	_      [128 - 4]byte
}

// seat is a page for each subscriber, which both write to: seam_ring_seat_.
type seat struct {
	waits atomic.Uint32 // the subscriber sleeps: send a byte over its socket
	_     [128 - 4]byte
	fence atomic.Uint32 // the subscriber's alone
	_     [4096 - 128 - 4]byte
}

// welcome is what a publisher sends over the socket, with its memory and the seat. It has the
// size of a ring's greeting, and its own magic number.
type welcome struct {
	magic         uint64
	version, size uint32
	life          uint64
	written       uint64 // where the next record will be
	capacity      uint64
	number        uint64 // of the next record
	_             [2]uint64
}

const (
	publicationMagic   = 0x53574e4d_414553 // "SEAMNWS" in memory
	publicationVersion = 1
	publicationSize    = uint64(unsafe.Sizeof(publication{}))
	welcomeSize        = int(unsafe.Sizeof(welcome{}))

	// A publication's record begins with two words: the length and what it is, as in a ring, and
	// its number. Padding has the first word only.
	publicationHeader = 16
)

// publicationRecord is what a record of n bytes takes.
func publicationRecord(n uint64) uint64 { return publicationHeader + (n+7)&^7 }

// publicationBytes is what the memory takes.
func publicationBytes(capacity uint64) uint64 { return (publicationSize + capacity + 4095) &^ 4095 }
