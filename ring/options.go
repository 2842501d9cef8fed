package ring

import (
	"math/bits"
	"runtime"
	"time"
)

// Full says what a writer does when there is no room.
type Full int

const (
	// Block waits for the reader. The default.
	Block Full = iota
	// Fail returns [ErrFull].
	Fail
	// DropOldest makes room by dropping the records that the reader has not come to. It
	// costs the reader two atomic operations a record.
	DropOldest
)

// Options of a ring. The zero value is usable.
type Options struct {
	// Full is what the writer does when there is no room. Between processes it is that of
	// the ring to the peer, who has a choice of its own; its Reader knows it.
	Full Full
	// Spin is how long an end looks for its peer before it sleeps, a negative number
	// never. Where its waits take longer than that, it hardly looks. 0 means 10 µs between
	// goroutines, and between processes up to 50 µs where the peer has answered within that.
	Spin time.Duration
	// Untrusted is for a peer in another process that may be hostile. Records are copied
	// before they are handed out, so that they can't change while they are looked at,
	// and the peers wake each other through the socket, where nobody can make the other
	// wait. Indices and lengths are checked in any case.
	Untrusted bool
	// Doorbell, if it is set, waits for the records of this connection and of others. The
	// Reader is then used by TryNext, after [Doorbell.Next] has returned the connection.
	Doorbell *Doorbell
	// Capacity is how many bytes each ring of a connection has, for the side that makes
	// them: a power of two; 0 means 64 KiB.
	Capacity int
	// MaxCapacity is how many bytes a ring may have that the other side made: 0 means
	// 64 MiB.
	MaxCapacity int
}

const (
	shortSpin = 10 * time.Microsecond
	longSpin  = 50 * time.Microsecond // what a peer may take that sleeps on another processor
)

func (o Options) spinner() spinner {
	switch {
	case o.Spin < 0:
		return spinner{}
	case o.Spin > 0:
		return spinner{limit: o.Spin}
	case runtime.GOMAXPROCS(0) == 1: // nothing else runs meanwhile
		return spinner{limit: shortSpin}
	}
	return spinner{limit: longSpin, judges: true, expect: shortSpin}
}

// checkCapacity returns an error unless n is a power of two that a ring can have.
func checkCapacity(n uint64) error {
	if n < minCapacity || n > MaxCapacity || bits.OnesCount64(n) != 1 {
		return invalid("a capacity of %d bytes: it must be a power of two from %d to %d", int64(n), minCapacity, MaxCapacity)
	}
	return nil
}
