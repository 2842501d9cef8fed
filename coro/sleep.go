//go:build cgo

package coro

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/seamgo/seam/coro/internal/native"
	"github.com/seamgo/seam/internal/bubble"
)

// forever means no timeout.
const forever = time.Duration(math.MaxInt64)

// after returns the time, as now counts it, when d will have passed. It saturates at
// forever.
func after(d time.Duration) time.Duration {
	t := now()
	if d = max(0, d); d >= forever-t {
		return forever
	}
	return t + d
}

// startTimer pokes the call when d has passed. A timer without a channel has no tick that
// could be left over from the last wait, whatever GODEBUG=asynctimerchan is: a late poke is
// a token that nobody minds. In a bubble it would be the bubble's, so it isn't used there.
func (k *call) startTimer(d time.Duration) {
	switch {
	case d == forever:
	case k.wait.timer == nil:
		k.wait.timer = time.AfterFunc(d, k.poke)
	default:
		k.wait.timer.Reset(d)
	}
}

func (k *call) stopTimer(d time.Duration) {
	if d != forever {
		k.wait.timer.Stop()
	}
}

func (k *call) sleep() int32 {
	if status := k.sleepFor(max(0, time.Duration(k.c.n))); status != eTimedOut {
		return status
	}
	return 0
}

// sleepFor waits for d. It returns eTimedOut, or the status of what ended it sooner.
func (k *call) sleepFor(d time.Duration) int32 {
	if bubble.Inside() {
		if k.runner.host == nil || k.runner.executor().inBubble {
			return k.sleepInBubble(d)
		}
		return k.pause(d)
	}
	deadline := after(d)
	k.startTimer(d)
	defer k.stopTimer(d)
	for {
		<-k.wake
		if k.cancelled() {
			return k.canceled()
		}
		if now() >= deadline {
			return eTimedOut
		}
	}
}

// sleepInBubble sleeps by the clock of a bubble of testing/synctest. That goes on when all
// goroutines are blocked on what is the bubble's: call.wake is not.
func (k *call) sleepInBubble(d time.Duration) int32 {
	var expired <-chan time.Time
	if d != forever {
		t := time.NewTimer(d)
		defer t.Stop()
		expired = t.C
	}
	select {
	case <-k.ctx.Done():
		atomic.StoreInt32(&k.c.token.cancelled, 1) // perhaps before watch's function does
		return k.canceled()
	case <-expired:
		return eTimedOut
	}
}

// poke leaves a token in k.wake.
func (k *call) poke() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// start is when the program started, by Go's clock and by C's.
var start, startC = time.Now(), native.Monotonic()

// now is the monotonic time since the program started. In a bubble of testing/synctest, where
// package time's clock stands still, it is the system's.
func now() time.Duration {
	if t := time.Now(); !bubble.Has(t) {
		return t.Sub(start)
	}
	return native.Monotonic() - startC
}
