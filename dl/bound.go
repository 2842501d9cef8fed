package dl

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// A bound lets so many goroutines in at once. Each holds a seat, which is a mutex: a
// goroutine that waits for one is not idle to a bubble of testing/synctest, as one in C isn't,
// so the bubble's clock stands still.
type bound struct {
	seats []seat
	next  atomic.Uint32
}

type seat struct {
	sync.Mutex
	_ [56]byte
}

func newBound(n int) *bound {
	if n < 1 {
		panic(fmt.Sprintf("dl: Bound(%d): at least one goroutine must be let in", n))
	}
	return &bound{seats: make([]seat, n)}
}

// enter waits for a seat and takes it.
func (b *bound) enter() *seat {
	first := int(b.next.Add(1)) % len(b.seats)
	for i := range b.seats {
		if p := &b.seats[(first+i)%len(b.seats)]; p.TryLock() {
			return p
		}
	}
	p := &b.seats[first]
	p.Lock()
	return p
}

func (b *bound) leave(p *seat) { p.Unlock() }
