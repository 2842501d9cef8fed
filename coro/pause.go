//go:build cgo && linux

package coro

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/seamgo/seam/internal/bubble"
)

// How coroutines wait for what C itself wakes them for, package netio's locks: see
// native/wake.c. On an executor's thread worker.pause does. Here a goroutine waits, and the one
// that hears of closed descriptors takes the coroutines out of the mailbox.

// pausing are the calls that wait so.
var pausing struct {
	sync.Mutex
	calls map[*control]*call
}

// pauses waits until C wakes the coroutine, or for some time. It may end sooner.
func (k *call) pauses() {
	c, timeout := k.c, k.timeout()
	if timeout == 0 { // it is Go code, which is all that others need to run
		if atomic.LoadUint32(&c.below().woken) != 0 { // C's function has returned: see seam_coro_settle
			sharedMailbox.take(wokenByC)
			runtime.Gosched() // another goroutine may have it in its hands
		}
		return
	}
	startClosing()
	if atomic.LoadInt32(&sharedMailbox.event) < 0 || bubble.Inside() {
		timeout = min(timeout, recheckInterval) // nobody else empties the mailbox, or k.wake is not the bubble's
		sharedMailbox.take(wokenByC)
	}
	pausing.Lock()
	missed := c.below().missed != 0
	c.below().missed = 0
	if !missed {
		if pausing.calls == nil {
			pausing.calls = map[*control]*call{}
		}
		pausing.calls[c] = k
	}
	pausing.Unlock()
	if missed {
		return
	}
	if bubble.Inside() {
		t := syscall.NsecToTimespec(int64(timeout))
		syscall.Nanosleep(&t, nil)
	} else {
		k.startTimer(timeout)
		<-k.wake
		k.stopTimer(timeout)
	}
	pausing.Lock()
	delete(pausing.calls, c)
	pausing.Unlock()
}

// wokenByC goes on with a coroutine that C has woken, or that is about to wait.
func wokenByC(c *control) {
	pausing.Lock()
	defer pausing.Unlock()
	if k := pausing.calls[c]; k != nil {
		k.poke()
	} else {
		c.below().missed = 1
	}
}
