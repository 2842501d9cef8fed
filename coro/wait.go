//go:build cgo && linux

package coro

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
	"github.com/seamgo/seam/internal/bubble"
)

// How a coroutine waits for a descriptor, unless an executor runs it:
//
//   - If hardly any others wait and recent waits were short, it polls for some
//     microseconds. That is faster than any way to be woken.
//   - If few wait, or the thread belongs to the call anyway, the thread blocks in ppoll:
//     the kernel wakes it directly, as from a blocking read.
//   - Otherwise the goroutine parks, and the poller wakes it.

// waitState is what a call needs to wait.
type waitState struct {
	waiters []waiter    // of the current wait; the memory is reused
	one     [1]waiter   // for waits on one descriptor
	pollFDs []pollFD    // for ppoll
	timer   *time.Timer // calls poke, see startTimer
	waker   *waker      // while the thread blocks in ppoll, or nil; guarded by call.mu
}

// pollFD is struct pollfd.
type pollFD struct {
	fd      int32
	events  int16
	revents int16
}

const pollNval = 0x20

// maxFDs is more than the kernel lets a process poll at once.
const maxFDs = 1 << 30

// wanted returns the descriptors that C waits for, and for how long.
func (k *call) wanted() ([]pollFD, time.Duration) {
	c, timeout := k.c, k.timeout()
	if c.op == opWaitFD {
		k.wait.pollFDs = append(k.wait.pollFDs[:0], pollFD{fd: int32(c.id), events: int16(c.events)})
		return k.wait.pollFDs, timeout
	}
	if c.id == 0 || c.id > maxFDs || c.ptr == 0 {
		return nil, timeout
	}
	return unsafe.Slice((*pollFD)(c.argument()), c.id), timeout
}

// timeout returns for how long C waits or sleeps.
func (k *call) timeout() time.Duration {
	if k.c.n < 0 && k.c.op != opSleep {
		return forever
	}
	return max(0, time.Duration(k.c.n))
}

// waitFDs serves a wait.
func (k *call) waitFDs() int32 {
	fds, timeout := k.wanted()
	if len(fds) == 0 {
		return k.sleepFor(timeout)
	}
	single := k.c.op == opWaitFD
	if single && fds[0].fd < 0 {
		return eBadFD
	}
	n := native.Waits(1)
	status, done := int32(0), false
	start := now()
	if single && worthSpinning(n) {
		status, done = k.spin(fds, start, timeout)
	}
	if !done {
		// A bubble's timers can't end a wait for a descriptor, and a thread's can.
		if k.runner.mode == modeLocked || n <= maxBlocked || !fast || k.exec.thread || timeout != forever && bubble.Inside() {
			status = k.block(fds, timeout)
		} else {
			status = k.park(fds, timeout)
		}
	}
	native.Waits(-1)
	k.exec.thread = false
	recordWait(now() - start)
	return status
}

// ready answers a wait whose descriptors poll found ready, with the events if C waits for
// one descriptor.
func (k *call) ready(fds []pollFD) int32 {
	if k.c.op == opWaitFD {
		if fds[0].revents&pollNval != 0 {
			return eBadFD
		}
		k.c.events = uint32(uint16(fds[0].revents))
	}
	return 0
}

// maxBlocked is how many coroutines may block their threads in a wait though they could
// park.
const maxBlocked = 2

// ---- spinning

const (
	maxSpin       = 60 * time.Microsecond  // for one wait
	spinThreshold = 100 * time.Microsecond // don't spin if the average wait is longer
	maxCounted    = time.Millisecond       // a longer wait counts as this, so that a few long ones are soon forgotten
	averageShift  = 3                      // the average is over some 2^3 waits
)

// averageWait is a moving average of how long waits take, in ns. It is a hint: lost updates
// do no harm.
var averageWait atomic.Int64

func recordWait(took time.Duration) {
	old := averageWait.Load()
	averageWait.Store(old + (int64(min(took, maxCounted))-old)>>averageShift)
}

// worthSpinning reports whether the n-th coroutine that waits should spin. Half of the
// processors are left to others: nobody looks at the network while all spin.
func worthSpinning(n int32) bool {
	const many = 64 // GOMAXPROCS takes a lock, so don't ask for it if many wait
	return n <= many && time.Duration(averageWait.Load()) < spinThreshold && int(n) <= runtime.GOMAXPROCS(0)/2
}

// spin polls for a while. It reports whether the wait is over, and with what status.
func (k *call) spin(fds []pollFD, start, timeout time.Duration) (status int32, over bool) {
	most := min(maxSpin, timeout)
	for {
		for range 4 {
			n, errno := pollNow(fds)
			if n > 0 {
				return k.ready(fds), true
			}
			if errno != 0 && errno != syscall.EINTR {
				return eNoMem, true
			}
		}
		switch took := now() - start; {
		case k.cancelled():
			return k.canceled(), true
		case took >= timeout:
			return eTimedOut, true
		case took >= most:
			return 0, false
		}
	}
}

// pollNow polls without waiting, and so need not tell the scheduler.
func pollNow(fds []pollFD) (int, syscall.Errno) {
	var zero syscall.Timespec
	n, _, errno := syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&fds[0])), uintptr(len(fds)), uintptr(unsafe.Pointer(&zero)), 0, 0, 0)
	return int(n), errno
}

// ---- blocking

// recheckInterval is how often a blocked wait checks for cancellation if no descriptor was
// left for a waker.
const recheckInterval = 10 * time.Millisecond

// block waits in ppoll, on this thread. Cancellation uses the waker among the descriptors.
func (k *call) block(fds []pollFD, timeout time.Duration) int32 {
	a := takeWaker()
	defer a.put()
	k.mu.Lock()
	k.wait.waker = a
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		k.wait.waker = nil
		k.mu.Unlock()
	}()
	w, status, over := blockers.watch(k, fds, nil)
	if over {
		return k.woken(w, status)
	}
	defer blockers.leave(w)

	polled := alive(append(a.fds[:0], pollFD{fd: int32(a.fd), events: 1}), fds)
	a.fds = polled
	hasWaker := a.fd >= 0
	if !hasWaker {
		polled = polled[1:]
	}
	deadline := after(timeout)
	for {
		if k.cancelled() {
			return k.canceled()
		}
		if over, status := found(w); over {
			return k.woken(w, status)
		}
		left := deadline
		if deadline != forever {
			left = max(0, deadline-now())
		}
		if !hasWaker {
			left = min(left, recheckInterval)
		}
		var ts *syscall.Timespec
		if left != forever {
			t := syscall.NsecToTimespec(int64(left))
			ts = &t
		}
		n, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(unsafe.SliceData(polled))), uintptr(len(polled)), uintptr(unsafe.Pointer(ts)), 0, 0, 0)
		switch {
		case errno == syscall.EINTR:
		case errno == syscall.EINVAL && hasWaker:
			// C asks for as many as RLIMIT_NOFILE allows, some of them twice, or the limit
			// was lowered: there is no room for the waker.
			polled, hasWaker = polled[1:], false
		case errno != 0:
			return eNoMem
		case n == 0:
			if now() >= deadline {
				return eTimedOut
			}
		case n == 1 && hasWaker && polled[0].revents != 0: // the waker alone
			a.clear()
		default:
			if hasWaker {
				polled = polled[1:]
			}
			copyEvents(fds, polled)
			return k.ready(fds)
		}
	}
}

// alive appends those of fds that poll looks at.
func alive(list, fds []pollFD) []pollFD {
	for _, f := range fds {
		if f.fd >= 0 {
			list = append(list, f)
		}
	}
	return list
}

// copyEvents copies what was found for those of fds that alive has listed.
func copyEvents(fds, listed []pollFD) {
	for i := range fds {
		fds[i].revents = 0
		if fds[i].fd >= 0 {
			fds[i].revents, listed = listed[0].revents, listed[1:]
		}
	}
}

// pause waits for d by the system's clock.
func (k *call) pause(d time.Duration) int32 { return k.block(nil, d) }

// ---- parking

// park waits in the poller.
func (k *call) park(fds []pollFD, timeout time.Duration) int32 {
	p, err := sharedPoller()
	if err != nil {
		return k.block(fds, timeout)
	}
	list, status, over := p.watch(k, fds, nil)
	switch {
	case status == eUnpollable:
		return k.block(fds, timeout)
	case over:
		return k.woken(list, status)
	}
	deadline := after(timeout)
	k.startTimer(timeout)
	defer k.stopTimer(timeout)
	for {
		<-k.wake
		if over, status := found(list); over {
			if len(list) > 1 {
				p.leave(list)
			}
			return k.woken(list, status)
		}
		switch {
		case k.cancelled():
			p.leave(list)
			return k.canceled()
		case deadline != forever && now() >= deadline:
			p.leave(list)
			return eTimedOut
		}
	}
}

// woken answers a wait with what a poller found.
func (k *call) woken(list []waiter, status int32) int32 {
	if status == 0 && k.c.op == opWaitFD {
		k.c.events = list[0].found
	}
	return status
}

// interrupt makes a wait check for cancellation. k.mu is held.
func (k *call) interrupt() {
	switch {
	case k.exec.worker != nil:
		k.exec.worker.post(message{k, msgCancel, k.epoch})
	case k.wait.waker != nil:
		k.wait.waker.wake()
	default:
		k.poke()
	}
}
