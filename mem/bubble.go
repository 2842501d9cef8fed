package mem

import (
	"context"
	"time"
)

// poll is GetWait in a bubble of testing/synctest. There a waiter's channel would be the
// bubble's, and a goroutine that releases a buffer outside and wakes it would end the program.
func (p *Pool) poll(ctx context.Context, size int) (Buffer, error) {
	w := p.enlist(&waiter{size: uintptr(size)})
	defer p.leave(w)
	for pause := shortestPause; ; pause = min(2*pause, longestPause) {
		// The bubble's clock leaps while we wait. It must not run ahead of C, which goes by
		// the system's.
		if p.Stats().HeldByC > 0 {
			realSleep(pause)
		}
		t := time.NewTimer(pause)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return Buffer{}, context.Cause(ctx)
		}
		if b, err := p.search(size); err != errExhausted {
			return b, err
		}
	}
}
