//go:build cgo && linux

package coro

import (
	"os"
	"sync"
	"syscall"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
)

// pollers are all that may have waits for a descriptor that C closes.
var pollers struct {
	sync.Mutex
	list []*poller
}

// blockers lists the waits of threads that block in ppoll. Its epoll instance is not
// used.
var blockers = poller{epfd: -1}

func init() {
	blockers.init()
	pollers.list = []*poller{&blockers}
}

var closing sync.Once

// startClosing starts the goroutine that hears what package netio closes.
func startClosing() {
	closing.Do(func() {
		fd, err := native.StartClosing()
		if err != nil {
			return // waits for descriptors that are closed hang, as they do in Linux
		}
		f := os.NewFile(uintptr(fd), "announcements of closed descriptors")
		go hearClosing(f)
	})
}

func hearClosing(f *os.File) {
	var count [8]byte
	next := uint64(1)
	for {
		if _, err := f.Read(count[:]); err != nil {
			return // the file is never closed
		}
		for last := native.Closing(); next <= last; {
			if last-next >= native.ClosingRing {
				// Some were overwritten: let everybody see for themselves.
				eachPoller(func(p *poller) { p.closedAny(last) })
				next = last + 1
				break
			}
			fd, ok := native.ClosingAt(next)
			if !ok { // being written or overwritten: count again
				last = native.Closing()
				continue
			}
			eachPoller(func(p *poller) { p.closedFD(int32(fd), next) })
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

// closedFD ends the waits for a descriptor that began before it was closed. The
// number may stand for another file by now, with waits of its own.
func (p *poller) closedFD(fd int32, seq uint64) {
	s := p.shard(fd)
	s.Lock()
	defer s.Unlock()
	if e := s.fds[fd]; e != nil {
		s.closed(e, seq)
	}
}

func (p *poller) closedAny(seq uint64) {
	for i := range p.shards {
		s := &p.shards[i]
		s.Lock()
		for fd, e := range s.fds {
			if _, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0); errno == syscall.EBADF {
				s.closed(e, seq)
			}
		}
		s.Unlock()
	}
}

func (s *shard) closed(e *fdWaits, seq uint64) {
	for i := 0; i < len(e.list); {
		w := e.list[i]
		if w.seq >= seq {
			i++
			continue
		}
		w.status = eBadFD
		s.remove(w)
		if w.notify == nil {
			w.call.mu.Lock()
			if a := w.call.wait.alarm; a != nil {
				a.ring()
			}
			w.call.mu.Unlock()
		}
		w.tell()
	}
}

func epollCtl(epfd, op int, fd int32, ev *syscall.EpollEvent) syscall.Errno {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_CTL, uintptr(epfd), uintptr(op), uintptr(fd), uintptr(unsafe.Pointer(ev)), 0, 0)
	return errno
}

// epollNow returns what is ready now.
func epollNow(epfd int, events []syscall.EpollEvent) int {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(epfd), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), 0, 0, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}
