//go:build cgo

package coro

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/seamgo/seam/coro/internal/native"
)

// watch makes the context's end known to C and to a wait.
func (k *call) watch() {
	if deadline, ok := k.ctx.Deadline(); ok {
		k.c.token.deadline = monotonic(native.Monotonic(), time.Until(deadline))
	}
	k.mu.Lock()
	k.epoch++
	epoch := k.epoch
	k.mu.Unlock()
	k.stop = context.AfterFunc(k.ctx, func() { k.cancel(epoch) })
}

// monotonic is a deadline for C: never 0, which is none, and no later than can be told.
func monotonic(now, left time.Duration) int64 {
	if left > math.MaxInt64-now {
		return math.MaxInt64
	}
	return int64(max(1, now+left))
}

// unwatch returns when no cancellation can come any more.
func (k *call) unwatch() {
	k.stop()
	k.mu.Lock()
	k.epoch++
	k.mu.Unlock()
	k.stop = nil
}

func (k *call) cancel(epoch uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.epoch != epoch {
		return // too late: that call has ended
	}
	atomic.StoreInt32(&k.c.token.cancelled, 1)
	k.interrupt()
}
