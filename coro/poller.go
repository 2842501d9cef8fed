//go:build cgo && linux

package coro

import (
	"fmt"
	"os"
	"sync"
	"syscall"

	"github.com/seamgo/seam/coro/internal/native"
)

// A poller waits for descriptors on behalf of coroutines, by an epoll instance.
//
// Every wait arms its descriptor anew (EPOLLONESHOT). An entry that stayed armed
// would save a system call, but nobody tells us when a descriptor is closed and its
// number given to another file: the entry would be silently gone. The kernel looks at
// the descriptor while it is armed, so nothing that happened before is missed.
type poller struct {
	epfd   int
	shards [pollerShards]shard
}

const pollerShards = 16

type shard struct {
	sync.Mutex
	fds map[int32]*fdWaits
}

// fdWaits are the waits for one descriptor. epoll knows a descriptor once, whoever
// waits for it.
type fdWaits struct {
	list []*waiter
}

// A waiter is the wait of one coroutine for one descriptor.
type waiter struct {
	fd     int32
	events uint32 // wanted
	found  uint32 // what made it ready; guarded by the shard
	status int32  // eBadFD when the descriptor was closed; guarded by the shard
	seq    uint64 // the newest announcement of a close when the wait began
	notify func(*call)
	call   *call
	listed bool
}

func newPoller() (*poller, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("coro: epoll_create1: %w", err)
	}
	p := &poller{epfd: fd}
	p.init()
	pollers.Lock()
	pollers.list = append(pollers.list, p)
	pollers.Unlock()
	return p, nil
}

func (p *poller) init() {
	for i := range p.shards {
		p.shards[i].fds = map[int32]*fdWaits{}
	}
}

// close ends a poller that nobody uses.
func (p *poller) close() {
	pollers.Lock()
	for i, other := range pollers.list {
		if other == p {
			pollers.list = append(pollers.list[:i], pollers.list[i+1:]...)
			break
		}
	}
	pollers.Unlock()
	syscall.Close(p.epfd)
}

func (p *poller) shard(fd int32) *shard { return &p.shards[uint32(fd)%pollerShards] }

// enlist makes the waiters of a wait, and lists them where announcements of closed
// descriptors look for them. notify is called, with the shard locked, when one
// comes true; nil is call.poke.
func (k *call) enlist(fds []pollFD, p *poller, notify func(*call)) []waiter {
	list := k.wait.one[:0]
	if len(fds) > 1 {
		list = k.wait.waiters[:0]
	}
	for _, f := range fds {
		if f.fd >= 0 { // poll skips negative ones
			list = append(list, waiter{fd: f.fd, events: uint32(uint16(f.events)), call: k, notify: notify})
		}
	}
	if len(fds) > 1 {
		k.wait.waiters = list
	}
	startClosing()
	native.Waits(1)
	seq := native.Closing()
	for i := range list {
		w := &list[i]
		s := p.shard(w.fd)
		s.Lock()
		w.seq = seq
		w.listed = true
		e := s.fds[w.fd]
		if e == nil {
			e = &fdWaits{}
			s.fds[w.fd] = e
		}
		e.list = append(e.list, w)
		s.Unlock()
	}
	return list
}

// leave ends the wait.
func (p *poller) leave(list []waiter) {
	native.Waits(-1)
	for i := range list {
		w := &list[i]
		s := p.shard(w.fd)
		s.Lock()
		if w.listed {
			s.remove(w)
		}
		s.Unlock()
	}
	// Memory of a call that is pooled must not keep others alive.
	clear(list)
}

// remove takes w out of its list. The lock is held. What epoll is armed for stays:
// a wake-up for nobody does no harm, and the next wait arms it anew.
func (s *shard) remove(w *waiter) {
	w.listed = false
	e := s.fds[w.fd]
	for i, other := range e.list {
		if other == w {
			last := len(e.list) - 1
			e.list[i] = e.list[last]
			e.list[last] = nil
			e.list = e.list[:last]
			break
		}
	}
	if len(e.list) == 0 {
		delete(s.fds, w.fd)
	}
}

// arm tells epoll of the waiters. over means that there is nothing to wait for.
func (p *poller) arm(list []waiter) (status int32, over bool) {
	for i := range list {
		w := &list[i]
		s := p.shard(w.fd)
		s.Lock()
		err := s.arm(p.epfd, w.fd)
		switch err {
		case nil:
		case syscall.EPERM: // a regular file: always ready
			w.found, over = w.events&(syscall.EPOLLIN|syscall.EPOLLOUT), true
		case syscall.EBADF:
			status, over = eBadFD, true
		default:
			status, over = eNoMem, true
		}
		s.Unlock()
		if over {
			return status, true
		}
	}
	return 0, false
}

// arm arms a descriptor for all that is waited for. The lock is held.
func (s *shard) arm(epfd int, fd int32) error {
	events := uint32(syscall.EPOLLONESHOT)
	for _, w := range s.fds[fd].list {
		events |= w.events
	}
	ev := syscall.EpollEvent{Events: events, Fd: fd}
	err := epollCtl(epfd, syscall.EPOLL_CTL_MOD, fd, &ev)
	if err == syscall.ENOENT {
		err = epollCtl(epfd, syscall.EPOLL_CTL_ADD, fd, &ev)
	}
	if err != 0 {
		return err
	}
	return nil
}

// found tells whether a descriptor of the wait is ready, or closed.
func (p *poller) found(list []waiter) (bool, int32) {
	for i := range list {
		w := &list[i]
		s := p.shard(w.fd)
		s.Lock()
		found, status := w.found != 0, w.status
		s.Unlock()
		if found || status != 0 {
			return true, status
		}
	}
	return false, 0
}

// closed tells whether a descriptor of the wait was closed.
func (p *poller) closed(list []waiter) int32 {
	_, status := p.found(list)
	return status
}

// deliver hands an event of epoll to those who wait for it.
func (p *poller) deliver(ev *syscall.EpollEvent) {
	s := p.shard(ev.Fd)
	s.Lock()
	defer s.Unlock()
	e := s.fds[ev.Fd]
	if e == nil {
		return
	}
	const always = syscall.EPOLLERR | syscall.EPOLLHUP
	left := false
	for i := 0; i < len(e.list); {
		w := e.list[i]
		if found := ev.Events & (w.events | always); found != 0 {
			w.found = found
			s.remove(w) // puts the last one in its place
			w.tell()
			continue
		}
		left = true
		i++
	}
	if left {
		// An error would come up at their own next operation.
		_ = s.arm(p.epfd, ev.Fd)
	}
}

// tell wakes the coroutine. The lock is held, so that the waiter is still one.
func (w *waiter) tell() {
	if w.notify != nil {
		w.notify(w.call)
		return
	}
	w.call.poke()
}

// shared is the poller of Floating coroutines: a goroutine that looks at epoll when
// Go's own poller says that there is something.
var shared struct {
	once sync.Once
	p    *poller
	err  error
}

func sharedPoller() (*poller, error) {
	shared.once.Do(func() {
		p, err := newPoller()
		if err != nil {
			shared.err = err
			return
		}
		// Go's poller can watch an epoll instance like any descriptor. It must think
		// that reading would not block.
		if err := syscall.SetNonblock(p.epfd, true); err != nil {
			shared.err = err
			return
		}
		f := os.NewFile(uintptr(p.epfd), "epoll of coro")
		raw, err := f.SyscallConn()
		if err != nil {
			shared.err = err
			return
		}
		shared.p = p
		go p.serve(f, raw)
	})
	return shared.p, shared.err
}

func (p *poller) serve(f *os.File, raw syscall.RawConn) {
	var events [256]syscall.EpollEvent
	err := raw.Read(func(uintptr) bool {
		for {
			n := epollNow(p.epfd, events[:])
			if n <= 0 {
				return false // to be called again when there is something
			}
			for i := range events[:n] {
				p.deliver(&events[i])
			}
		}
	})
	// The file is never closed.
	panic(fmt.Sprintf("coro: the poller of %s ended: %v", f.Name(), err))
}
