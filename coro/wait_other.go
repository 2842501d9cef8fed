//go:build cgo && !linux

package coro

import (
	"time"

	"github.com/seamgo/seam/coro/internal/native"
)

// Without Linux every coroutine has a thread of its own, see fallback.go, and a wait blocks
// the goroutine that serves it in poll.

type waitState struct{ timer *time.Timer }

type execState struct{}

// recheckInterval is how often a wait checks for cancellation.
const recheckInterval = time.Millisecond

func (k *call) waitFDs() int32 {
	c := k.c
	timeout := forever
	if c.n >= 0 {
		timeout = time.Duration(c.n)
	}
	native.Waits(1)
	defer native.Waits(-1)
	for start := now(); ; {
		if k.cancelled() {
			return k.canceled()
		}
		left := max(0, timeout-(now()-start))
		var found int
		if c.op == opWaitFD {
			found = native.PollOne(int32(c.id), &c.events, min(left, recheckInterval))
		} else {
			found = native.PollMany(c.argument(), c.id, min(left, recheckInterval))
		}
		switch {
		case found == native.PollBadFD:
			return eBadFD
		case found < 0:
			return int32(found)
		case found > 0:
			return 0
		case now()-start >= timeout:
			return eTimedOut
		}
	}
}

func (k *call) interrupt() { k.poke() }

// pause waits for d by the system's clock.
func (k *call) pause(d time.Duration) int32 {
	for start := now(); ; {
		left := d - (now() - start)
		switch {
		case k.cancelled():
			return k.canceled()
		case left <= 0:
			return eTimedOut
		}
		native.PollMany(nil, 0, min(left, recheckInterval))
	}
}

// Only package netio pauses, on Linux.
func (k *call) pauses() {}

// Only package netio detaches functions, on Linux.
func (k *call) detach() int32 { return eMisuse }
