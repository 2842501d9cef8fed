//go:build cgo && linux

package coro

import (
	"os"
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
	"github.com/seamgo/seam/internal/bubble/outside"
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

var closing sync.Once

// startClosing starts the goroutine that learns what package netio closes.
func startClosing() {
	closing.Do(func() {
		fd, err := native.StartClosing()
		if err != nil {
			return // waits for closed descriptors hang then, as they do on Linux
		}
		f := os.NewFile(uintptr(fd), "announcements of closed descriptors")
		outside.Do(func() { go serveClosing(f) })
	})
}

func serveClosing(f *os.File) {
	var count [8]byte
	next := uint64(1)
	for {
		if _, err := f.Read(count[:]); err != nil {
			return // the file is never closed
		}
		for last := native.Closing(); next <= last; {
			if last-next >= native.ClosingRing {
				// Some were overwritten: check every descriptor that is waited for.
				eachPoller(func(p *poller) { p.closedAny(last) })
				next = last + 1
				break
			}
			fd, closed, ok := native.ClosingAt(next)
			if !ok { // being written or overwritten: look again
				last = native.Closing()
				runtime.Gosched()
				continue
			}
			if !closed {
				eachPoller(func(p *poller) { p.closedFD(int32(fd), next) })
			} else if !isOpen(int32(fd)) {
				// Waits that began since the first announcement end too. If the number is in
				// use again they may be for the new file: leave them alone.
				eachPoller(func(p *poller) { p.closedFD(int32(fd), next) })
			}
			next++
		}
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

func (p *poller) closedAny(seq uint64) {
	table := p.table.Load()
	if table == nil {
		return
	}
	for fd, e := range *table {
		if !isOpen(int32(fd)) {
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
			k.mu.Lock()
			if a := k.wait.waker; a != nil {
				a.wake()
			}
			k.mu.Unlock()
		}
		tell(k, notify)
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
