//go:build cgo && linux

package coro

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
)

// How a coroutine waits for a descriptor, unless an executor runs it:
//
//   - While it is alone, or nearly, and waits have been short of late, it asks the
//     kernel again and again for some microseconds. That beats every way to be woken.
//   - While few are waiting, or where the thread is bound to the call anyway, the
//     thread blocks in ppoll: the kernel wakes it directly, as in a blocking read.
//   - Else the goroutine parks, and the poller wakes it.

// waitState is what a call needs to wait.
type waitState struct {
	waiters []waiter    // of the wait that goes on; its memory is used again
	one     [1]waiter   // for waits on one descriptor
	pollFDs []pollFD    // for ppoll
	timer   *time.Timer // for waits with a timeout
	alarm   *alarm      // while the thread blocks in ppoll, or nil; guarded by call.mu
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

// wanted are the descriptors that C waits for, and for how long.
func (k *call) wanted() ([]pollFD, time.Duration) {
	c := k.c
	timeout := forever
	if c.n >= 0 {
		timeout = time.Duration(c.n)
	}
	if c.op == opWaitFD {
		k.wait.pollFDs = append(k.wait.pollFDs[:0], pollFD{fd: int32(c.id), events: int16(c.events)})
		return k.wait.pollFDs, timeout
	}
	if c.id == 0 || c.id > maxFDs || c.ptr == 0 {
		return nil, timeout
	}
	return unsafe.Slice((*pollFD)(c.argument()), c.id), timeout
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
		if k.runner.mode == modeLocked || n <= fewWaiting || !fast {
			status = k.block(fds, timeout)
		} else {
			status = k.park(fds, timeout)
		}
	}
	native.Waits(-1)
	learn(now() - start)
	return status
}

// ready tells of descriptors that poll found ready, and notes for what where C
// waits for one.
func (k *call) ready(fds []pollFD) int32 {
	if k.c.op == opWaitFD {
		if fds[0].revents&pollNval != 0 {
			return eBadFD
		}
		k.c.events = uint32(uint16(fds[0].revents))
	}
	return 0
}

// fewWaiting is up to how many coroutines may wait by blocking their threads though
// they need not.
const fewWaiting = 2

// ---- spinning

const (
	spinMost   = 60 * time.Microsecond  // how long to spin at most
	spinWorth  = 100 * time.Microsecond // waits that are longer on average are not worth it
	learnMost  = time.Millisecond       // a wait counts as this at most, so that some long ones are forgotten
	learnShift = 3                      // the average is over some 2^3 waits
)

// usual is how long waits take: a moving average in ns. It is a hint: lost updates
// do no harm.
var usual atomic.Int64

func learn(took time.Duration) {
	old := usual.Load()
	usual.Store(old + (int64(min(took, learnMost))-old)>>learnShift)
}

// worthSpinning tells whether to spin as the n-th coroutine that waits. One
// processor is left to others: nobody looks at the network while all spin.
func worthSpinning(n int32) bool {
	const many = 64 // GOMAXPROCS takes a lock: it is not asked for where many wait
	return n <= many && time.Duration(usual.Load()) < spinWorth && int(n) <= runtime.GOMAXPROCS(0)/2
}

// spin polls for a while. It tells whether the wait is over, and with what.
func (k *call) spin(fds []pollFD, start, timeout time.Duration) (status int32, over bool) {
	most := min(spinMost, timeout)
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

// pollNow polls without waiting, and so without telling the scheduler.
func pollNow(fds []pollFD) (int, syscall.Errno) {
	var zero syscall.Timespec
	n, _, errno := syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&fds[0])), uintptr(len(fds)), uintptr(unsafe.Pointer(&zero)), 0, 0, 0)
	return int(n), errno
}

// ---- blocking

// blindly is how often a blocked wait looks at its cancellation where there is no
// descriptor left for an alarm.
const blindly = 10 * time.Millisecond

// block waits in ppoll, on this thread. An alarm among the descriptors lets
// cancellation in.
func (k *call) block(fds []pollFD, timeout time.Duration) int32 {
	a := takeAlarm()
	defer a.put()
	k.mu.Lock()
	k.wait.alarm = a
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		k.wait.alarm = nil
		k.mu.Unlock()
	}()
	w, status, over := blockers.watch(k, fds, nil)
	if over {
		return k.woken(w, status)
	}
	defer blockers.leave(w)

	all := append(append(a.fds[:0], fds...), pollFD{fd: int32(a.fd), events: 1}) // poll skips negative ones
	a.fds = all
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
		if a.fd < 0 {
			left = min(left, blindly)
		}
		var ts *syscall.Timespec
		if left != forever {
			t := syscall.NsecToTimespec(int64(left))
			ts = &t
		}
		n, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&all[0])), uintptr(len(all)), uintptr(unsafe.Pointer(ts)), 0, 0, 0)
		switch {
		case errno == syscall.EINTR:
		case errno != 0:
			return eNoMem
		case n == 0:
			if now() >= deadline {
				return eTimedOut
			}
		case int(n) == 1 && all[len(all)-1].revents != 0: // the alarm alone
			a.clear()
		default:
			copy(fds, all)
			return k.ready(fds)
		}
	}
}

// ---- parking

// park waits in the poller.
func (k *call) park(fds []pollFD, timeout time.Duration) int32 {
	p, err := sharedPoller()
	if err != nil {
		return k.block(fds, timeout)
	}
	list, status, over := p.watch(k, fds, nil)
	if over {
		return k.woken(list, status)
	}
	var expired <-chan time.Time
	if timeout != forever {
		expired = k.startTimer(timeout)
		defer k.wait.timer.Stop()
	}
	for {
		if expired == nil {
			<-k.wake
		} else {
			select {
			case <-k.wake:
			case <-expired:
				p.leave(list)
				return eTimedOut
			}
		}
		if over, status := found(list); over {
			if len(list) > 1 {
				p.leave(list)
			}
			return k.woken(list, status)
		}
		if k.cancelled() {
			p.leave(list)
			return k.canceled()
		}
	}
}

// woken makes the answer of what a poller found.
func (k *call) woken(list []waiter, status int32) int32 {
	if status == 0 && k.c.op == opWaitFD {
		k.c.events = list[0].found
	}
	return status
}

// interrupt makes a wait look at its cancellation. k.mu is held.
func (k *call) interrupt() {
	switch {
	case k.exec.worker != nil:
		k.exec.worker.post(message{k, msgCancel, k.epoch})
	case k.wait.alarm != nil:
		k.wait.alarm.ring()
	default:
		k.poke()
	}
}
