//go:build cgo && linux

package coro

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/seamgo/seam/coro/internal/native"
)

// A poller waits for descriptors on behalf of coroutines, with an epoll instance.
//
// Every wait arms its descriptor again (EPOLLONESHOT). An entry that stays armed would save
// a system call, but nobody tells us when a descriptor is closed and its number given to
// another file: the entry would be gone silently. Arming makes the kernel look at the
// descriptor, so nothing that happened before is missed.
type poller struct {
	epfd  int
	table atomic.Pointer[[]*fdWaits] // by descriptor; replaced by a larger one
	grow  sync.Mutex
}

// fdWaits are the waits for one descriptor, which epoll knows only once. There is one for
// every number that was ever waited for.
type fdWaits struct {
	sync.Mutex
	list   []*waiter
	wanted uint32 // events that they want, and perhaps some that others have wanted
	file   int32  // counts the files that epoll has known under the number
}

// eUnpollable says that epoll does not take a descriptor, which a thread can wait for by ppoll: an
// instance of epoll at the end of too many ways to others (EINVAL, ELOOP), or one too many for the
// user or the kernel's memory (ENOSPC, ENOMEM). C doesn't see it.
const eUnpollable = -1000

// A waiter is the wait of one coroutine for one descriptor.
type waiter struct {
	at     *fdWaits
	place  int // in at.list
	fd     int32
	events uint32 // wanted
	found  uint32 // what made it ready; set before over
	status int32  // eBadFD when the descriptor was closed; set before over
	over   atomic.Bool
	seq    uint64      // the newest announcement of a close when the wait began
	notify func(*call) // if nil, call.poke
	call   *call
}

func newPoller() (*poller, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("coro: epoll_create1: %w", err)
	}
	p := &poller{epfd: fd}
	pollers.Lock()
	pollers.list = append(pollers.list, p)
	pollers.Unlock()
	return p, nil
}

// close ends a poller that nobody uses.
func (p *poller) close() {
	p.forget()
	syscall.Close(p.epfd)
}

func (p *poller) forget() {
	pollers.Lock()
	pollers.list = slices.DeleteFunc(pollers.list, func(other *poller) bool { return other == p })
	pollers.Unlock()
}

// known returns the waits for a descriptor, or nil if there never were any.
func (p *poller) known(fd int32) *fdWaits {
	if table := p.table.Load(); table != nil && int(fd) < len(*table) {
		return (*table)[fd]
	}
	return nil
}

// at returns the waits for a descriptor that the caller knows to be open.
func (p *poller) at(fd int32) *fdWaits {
	if e := p.known(fd); e != nil {
		return e
	}
	p.grow.Lock()
	defer p.grow.Unlock()
	var old []*fdWaits
	if table := p.table.Load(); table != nil {
		old = *table
	}
	if int(fd) < len(old) {
		return old[fd]
	}
	table := make([]*fdWaits, max(64, 2*len(old), int(fd)+1))
	entries := make([]fdWaits, len(table)-len(old))
	n := copy(table, old)
	for i := range entries {
		table[n+i] = &entries[i]
	}
	p.table.Store(&table)
	return table[fd]
}

// watch makes the waiters of a wait and, if the poller has an epoll instance, arms the
// descriptors. over means that there is nothing to wait for; no waiter is listed then.
// notify is called with the descriptor's lock held when one is ready.
func (p *poller) watch(k *call, fds []pollFD, notify func(*call)) (list []waiter, status int32, over bool) {
	startClosing()
	seq := native.Closing()
	list = k.wait.one[:0]
	n := 0
	for _, f := range fds {
		if f.fd >= 0 { // poll skips negative ones
			n++
		}
	}
	if n > 1 {
		list = slices.Grow(k.wait.waiters[:0], n)
	}
	for _, f := range fds {
		if f.fd < 0 {
			continue
		}
		// A number beyond any limit must not make the table grow.
		if p.known(f.fd) == nil && !isOpen(f.fd) {
			status, over = eBadFD, true
			break
		}
		list = list[:len(list)+1]
		w := &list[len(list)-1]
		w.fd, w.events, w.call, w.notify, w.seq = f.fd, uint32(uint16(f.events)), k, notify, seq
		w.found, w.status = 0, 0
		w.over.Store(false)
		w.at = p.at(f.fd)
		w.at.Lock()
		w.at.add(w)
		if p.epfd >= 0 {
			switch errno := p.arm(w.at, f.fd); {
			case errno == 0:
			case errno == syscall.EPERM: // a regular file: always ready
				w.found, over = w.events&(syscall.EPOLLIN|syscall.EPOLLOUT), true
			case errno == syscall.EBADF || int(f.fd) == p.epfd || !isOpen(f.fd): // also our own instance, under a number that C has closed
				status, over = eBadFD, true
			default:
				status, over = eUnpollable, true
			}
		}
		w.at.Unlock()
		if over {
			break
		}
	}
	if n > 1 {
		k.wait.waiters = list
	}
	if over {
		p.leave(list)
	}
	return list, status, over
}

func isOpen(fd int32) bool {
	_, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0)
	return errno == 0
}

// leave ends the wait.
func (p *poller) leave(list []waiter) {
	for i := range list {
		w := &list[i]
		// Once the lock was held nobody notifies any more. A surplus token in call.wake
		// does no harm.
		if w.notify != nil || !w.over.Load() {
			w.at.Lock()
			if !w.over.Load() {
				w.at.remove(w)
			}
			w.at.Unlock()
		}
	}
}

// add puts w into the list. The lock is held. Thousands may wait for one descriptor, such as a
// pipe that tells them all to stop, so it does not look at the others.
func (e *fdWaits) add(w *waiter) {
	if w.place = len(e.list); w.place == 0 {
		native.Waited(w.fd, 1)
	}
	e.list = append(e.list, w)
	e.wanted |= w.events
}

// remove takes w out of the list for good. The lock is held. The descriptor stays armed: a
// wake-up for nobody does no harm, and the next wait arms it again.
func (e *fdWaits) remove(w *waiter) {
	last := len(e.list) - 1
	moved := e.list[last]
	e.list[w.place], moved.place = moved, w.place
	e.list[last] = nil
	e.list = e.list[:last]
	if last == 0 {
		e.wanted = 0
		native.Waited(w.fd, -1)
	}
	w.over.Store(true)
}

// arm arms a descriptor for everything that its waiters want. The lock is held.
func (p *poller) arm(e *fdWaits, fd int32) syscall.Errno {
	ev := syscall.EpollEvent{Events: syscall.EPOLLONESHOT | e.wanted, Fd: fd, Pad: e.file}
	errno := epollCtl(p.epfd, syscall.EPOLL_CTL_MOD, fd, &ev)
	if errno == syscall.ENOENT {
		// The number names another file than before. The old file may still be open under
		// another number, and armed: its events are not for those who wait now.
		e.file++
		ev.Pad = e.file
		errno = epollCtl(p.epfd, syscall.EPOLL_CTL_ADD, fd, &ev)
	}
	return errno
}

// found reports whether a descriptor of the wait is ready or closed.
func found(list []waiter) (bool, int32) {
	for i := range list {
		if w := &list[i]; w.over.Load() {
			return true, w.status
		}
	}
	return false, 0
}

// deliver hands an epoll event to those who wait for it.
func (p *poller) deliver(ev *syscall.EpollEvent) {
	e := p.known(ev.Fd)
	if e == nil {
		return
	}
	e.Lock()
	defer e.Unlock()
	if ev.Pad != e.file {
		return
	}
	const always = syscall.EPOLLERR | syscall.EPOLLHUP
	e.wanted = 0
	for i := 0; i < len(e.list); {
		w := e.list[i]
		if found := ev.Events & (w.events | always); found != 0 {
			w.found = found
			k, notify := w.call, w.notify
			e.remove(w) // the last waiter takes its place, and w is its owner's again
			tell(k, notify)
			continue
		}
		e.wanted |= w.events
		i++
	}
	if len(e.list) > 0 {
		// An error will come up in the next operation of those who wait.
		_ = p.arm(e, ev.Fd)
	}
}

// tell wakes a coroutine whose wait is over. One that has moved on looks and finds nothing.
func tell(k *call, notify func(*call)) {
	if notify != nil {
		notify(k)
		return
	}
	k.poke()
}

// shared is the poller of Floating coroutines: a goroutine reads its epoll instance when
// Go's own poller says that it has events.
var shared started[poller]

func sharedPoller() (*poller, error) {
	return shared.get(func() (*poller, error) {
		p, err := newPoller()
		if err != nil {
			return nil, err
		}
		f, err := pollable(p.epfd, "epoll of coro")
		if err != nil {
			p.forget()
			return nil, err
		}
		raw, err := f.SyscallConn()
		if err != nil {
			p.forget()
			f.Close()
			return nil, err
		}
		go p.serve(f, raw)
		return p, nil
	})
}

func (p *poller) serve(f *os.File, raw syscall.RawConn) {
	var events [256]syscall.EpollEvent
	err := raw.Read(func(uintptr) bool {
		for {
			n := epollNow(p.epfd, events[:])
			if n <= 0 {
				return false // call again when there are events
			}
			for i := range events[:n] {
				p.deliver(&events[i])
			}
		}
	})
	// The file is never closed.
	panic(fmt.Sprintf("coro: the poller of %s ended: %v", f.Name(), err))
}
