//go:build cgo

package coro

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/seamgo/seam/coro/internal/native"
)

// watch lets C, and the call's waits, learn of the context's end, if they don't yet. That
// takes several times as long as a short call and three allocations, so a call of Locked is
// watched from the moment when it waits, or when C asks. Where a switch may change threads
// (Floating), or where others than the caller serve waits (an executor), it is from the
// start.
func (k *call) watch() {
	if k.c.unwatched == 0 {
		return
	}
	k.c.unwatched = 0
	if k.ctx.Done() == nil {
		return
	}
	if deadline, ok := k.ctx.Deadline(); ok {
		k.c.token.deadline = monotonic(native.Monotonic(), time.Until(deadline))
	}
	k.mu.Lock()
	k.epoch++
	epoch := k.epoch
	k.mu.Unlock()
	k.stop = context.AfterFunc(k.ctx, func() { k.cancel(epoch) })
}

// watched lets C know whether the context has ended. For C that is lost there is nothing
// more to watch.
func (k *call) watched() {
	if k.c.unwatched != 0 && k.cancelled() {
		atomic.StoreInt32(&k.c.token.cancelled, 1)
	}
	k.c.unwatched = 0
}

// cancelled reports whether the context has ended.
func (k *call) cancelled() bool {
	if k.c.unwatched != 0 {
		return k.ctx.Err() != nil
	}
	return atomic.LoadInt32(&k.c.token.cancelled) != 0
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
