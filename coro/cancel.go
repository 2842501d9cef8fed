//go:build cgo

package coro

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/seamgo/seam/coro/internal/native"
)

// watch lets C, and the call's waits, learn of the context's end.
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

// monotonic returns a deadline for C. It is never 0, which means none, and saturates.
func monotonic(now, left time.Duration) int64 {
	if left > math.MaxInt64-now {
		return math.MaxInt64
	}
	return int64(max(1, now+left))
}

// unwatch ends watch. When it returns no cancellation can come any more.
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
		return // that call has ended
	}
	atomic.StoreInt32(&k.c.token.cancelled, 1)
	k.interrupt()
}
