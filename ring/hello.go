package ring

import (
	"encoding/binary"
	"fmt"
)

// hello is what peers send each other over the socket before they share memory: the one
// that connects what it is, the one that serves what it is and made, and the first
// whether it could map that.
type hello struct {
	version  uint32
	status   status
	layout   uint64
	features uint64
	capacity uint64 // of each ring, in bytes
}

const helloSize = 64 // bytes; the rest is zero

// status says what a peer thinks of the other.
type status uint32

const (
	accepted status = iota
	otherVersion
	otherLayout
	otherFeatures
	badMemory
)

func (s status) String() string {
	names := [...]string{"accepted", "another version", "another layout", "other features", "can't use the memory"}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("status %d", uint32(s))
}

// Features that peers agree on.
const (
	socketBells   = 1 << 0 // they wake each other through the socket; one asking is enough
	dropping      = 1 << 1 // what this side writes drops the oldest
	knownFeatures = socketBells | dropping
)

func (o Options) hello() hello {
	h := hello{version: version, layout: layoutHash}
	if o.Untrusted {
		h.features |= socketBells
	}
	if o.Full == DropOldest {
		h.features |= dropping
	}
	return h
}

func (h hello) bytes() []byte {
	b := make([]byte, helloSize)
	le := binary.LittleEndian
	le.PutUint64(b, magic)
	le.PutUint32(b[8:], h.version)
	le.PutUint32(b[12:], uint32(h.status))
	le.PutUint64(b[16:], h.layout)
	le.PutUint64(b[24:], h.features)
	le.PutUint64(b[32:], h.capacity)
	return b
}

func readHello(b []byte) (h hello, err error) {
	le := binary.LittleEndian
	if len(b) != helloSize || le.Uint64(b) != magic {
		return h, wrap(ErrMismatch, "the peer doesn't speak this protocol")
	}
	return hello{
		version:  le.Uint32(b[8:]),
		status:   status(le.Uint32(b[12:])),
		layout:   le.Uint64(b[16:]),
		features: le.Uint64(b[24:]),
		capacity: le.Uint64(b[32:]),
	}, nil
}

// judge says whether a peer that sent h fits to one that would send mine.
func (h hello) judge(mine hello) (status, error) {
	switch {
	case h.version != mine.version:
		return otherVersion, wrap(ErrMismatch, "the peer has version %d of the protocol, and this is %d", h.version, mine.version)
	case h.status != accepted:
		return accepted, wrap(ErrMismatch, "the peer refused: %v", h.status)
	case h.layout != mine.layout:
		return otherLayout, wrap(ErrMismatch, "the peer has the layout %#x, and this is %#x", h.layout, mine.layout)
	case h.features&^knownFeatures != 0:
		return otherFeatures, wrap(ErrMismatch, "the peer has features that are unknown here: %#x", h.features&^knownFeatures)
	}
	return accepted, nil
}

// stride is what a ring takes in memory that two of them share. It keeps their pages
// apart.
func stride(capacity uint64) uint64 { return (controlSize + capacity + 4095) &^ 4095 }
