//go:build cgo

package coro

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/seamgo/seam/coro/internal/native"
)

// watch makes the context's end known to C and to a wait.
func (k *call) watch() {
	if deadline, ok := k.ctx.Deadline(); ok {
		k.c.token.deadline = int64(native.Monotonic() + time.Until(deadline))
	}
	k.mu.Lock()
	k.epoch++
	epoch := k.epoch
	k.mu.Unlock()
	k.stop = context.AfterFunc(k.ctx, func() { k.cancel(epoch) })
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
