//go:build cgo && linux

package coro

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
)

// pollers lists all pollers: any may have waits for a descriptor that C closes.
var pollers struct {
	sync.Mutex
	list []*poller
}

// blockers lists the waits of threads that block in ppoll. It has no epoll instance.
var blockers = poller{epfd: -1}

func init() {
	pollers.list = []*poller{&blockers}
}

// closing is the file that announces what package netio closes.
var closing started[os.File]

// startClosing starts the goroutine that learns what package netio closes. If there is no
// descriptor left for it, waits for closed descriptors hang, as they do on Linux, until a
// later wait finds one: then what was announced meanwhile is served.
func startClosing() {
	_, _ = closing.get(func() (*os.File, error) {
		fd, err := newEventFD()
		if err != nil {
			return nil, err
		}
		f, err := pollable(fd, "announcements of closed descriptors")
		if err != nil {
			return nil, err
		}
		native.StartClosing(fd)
		atomic.StoreInt32(&sharedMailbox.event, int32(fd))
		go serveClosing(f)
		return f, nil
	})
}

func serveClosing(f *os.File) {
	var count [8]byte
	for next := uint64(1); ; {
		atomic.SwapUint32(&sharedMailbox.asleep, 1)
		sharedMailbox.take(wokenByC)
		next = hearClosing(next)
		if _, err := f.Read(count[:]); err != nil {
			panic("coro: " + f.Name() + ": " + err.Error()) // it is never closed
		}
	}
}

// hearClosing serves the announcements from next on and returns the number of the first to
// come.
//
// Each close is announced before and after. What comes before ends the waits that began
// until then: they are for the file that is closed. Waits that begin between the two may be
// for that file or for another one that has the number by now. So what comes after ends
// them if the number is free, and otherwise arms it again: then the wait is for the file
// that has the number, as if it had begun a moment later.
//
// Hence an announcement may be missed if all descriptors are checked instead: one that comes
// after the close tells what can be seen by then, and makes up for the one before. (But a wait
// for a number that has another file by then goes on.) They are missed when the ring has overflowed, and when the thread that took a
// number does not write it: a signal has interrupted it, or ended it.
func hearClosing(next uint64) uint64 {
	const patience = 1000 // looks at a number that is not written
	for looks := 0; ; {
		last := native.Closing()
		if next > last {
			return next
		}
		fd, closed, ok := native.ClosingAt(next)
		switch {
		case last-next >= native.ClosingRing || !ok && looks >= patience:
			eachPoller(func(p *poller) { p.closedAny(last) })
			next = last + 1
		case !ok:
			looks++
			runtime.Gosched()
			continue
		case closed && isOpen(int32(fd)):
			eachPoller(func(p *poller) { p.replaced(int32(fd)) })
			next++
		default:
			eachPoller(func(p *poller) { p.closedFD(int32(fd), next) })
			next++
		}
		looks = 0
	}
}

func eachPoller(f func(*poller)) {
	pollers.Lock()
	list := append([]*poller(nil), pollers.list...)
	pollers.Unlock()
	for _, p := range list {
		f(p)
	}
}

// closedFD ends the waits for a descriptor that began before it was closed. The number may
// by now name another file, with waits of its own.
func (p *poller) closedFD(fd int32, seq uint64) {
	if e := p.known(fd); e != nil {
		e.closed(seq)
	}
}

// replaced arms a descriptor whose number may name another file than when the waits for it
// began.
func (p *poller) replaced(fd int32) {
	e := p.known(fd)
	if e == nil {
		return
	}
	e.Lock()
	defer e.Unlock()
	if len(e.list) == 0 {
		return
	}
	// There are waits, so the epoll instance is not closed. An error will come up in the next
	// operation of those who wait.
	if p.epfd >= 0 {
		_ = p.arm(e, fd)
		return
	}
	for _, w := range e.list {
		w.call.rouse()
	}
}

func (p *poller) closedAny(seq uint64) {
	table := p.table.Load()
	if table == nil {
		return
	}
	for fd, e := range *table {
		if isOpen(int32(fd)) {
			p.replaced(int32(fd))
		} else {
			e.closed(seq)
		}
	}
}

func (e *fdWaits) closed(seq uint64) {
	e.Lock()
	defer e.Unlock()
	for i := 0; i < len(e.list); {
		w := e.list[i]
		if w.seq >= seq {
			i++
			continue
		}
		w.status = eBadFD
		k, notify := w.call, w.notify
		e.remove(w)
		if notify == nil {
			k.rouse()
		}
		tell(k, notify)
	}
}

// rouse makes a thread that blocks in ppoll look again.
func (k *call) rouse() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.wait.waker != nil {
		k.wait.waker.wake()
	}
}

func epollCtl(epfd, op int, fd int32, ev *syscall.EpollEvent) syscall.Errno {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_CTL, uintptr(epfd), uintptr(op), uintptr(fd), uintptr(unsafe.Pointer(ev)), 0, 0)
	return errno
}

// epollNow returns the number of events that are there now.
func epollNow(epfd int, events []syscall.EpollEvent) int {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(epfd), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), 0, 0, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}
