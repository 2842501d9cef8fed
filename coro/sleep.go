//go:build cgo

package coro

import (
	"math"
	"time"
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

func (k *call) startTimer(d time.Duration) <-chan time.Time {
	if k.wait.timer == nil {
		k.wait.timer = time.NewTimer(d)
	} else {
		k.wait.timer.Reset(d)
	}
	return k.wait.timer.C
}

func (k *call) sleep() int32 {
	if status := k.sleepFor(max(0, time.Duration(k.c.n))); status != eTimedOut {
		return status
	}
	return 0
}

// sleepFor waits for d. It returns eTimedOut, or the status of what ended it sooner.
func (k *call) sleepFor(d time.Duration) int32 {
	var expired <-chan time.Time
	if d != forever {
		expired = k.startTimer(d)
		defer k.wait.timer.Stop()
	}
	for {
		select {
		case <-k.wake:
			if k.cancelled() {
				return k.canceled()
			}
		case <-expired:
			return eTimedOut
		}
	}
}

// poke leaves a token in k.wake.
func (k *call) poke() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

var epoch = time.Now()

// now is the monotonic time since the program started.
func now() time.Duration { return time.Since(epoch) }
