package ring

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"
)

// doorbell is an epoll with the descriptors on which the connections' readers are woken, and
// their sockets. Rejected: one eventfd for all, which doesn't say who rang, so that all rings
// would have to be looked at; and a list of ringers in shared memory, in which a peer could
// strike out others.
type doorbell struct {
	file *os.File // the epoll, in Go's poller
	conn syscall.RawConn
	look func(fd uintptr) bool // poll, made once

	mu    sync.Mutex
	conns map[int32]*Conn
	last  int32
	fresh []*Conn // not yet asked to ring

	// Next's own.
	events [128]syscall.EpollEvent
	ready  []*Conn
	lent   *Conn
	turns  uint
}

// NewDoorbell returns one without connections. It takes a descriptor.
func NewDoorbell() (*Doorbell, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	if err := syscall.SetNonblock(fd, true); err != nil { // or os.NewFile keeps it out of the poller
		syscall.Close(fd)
		return nil, err
	}
	d := &Doorbell{doorbell{file: os.NewFile(uintptr(fd), "epoll"), conns: map[int32]*Conn{}}}
	if err = d.file.SetReadDeadline(time.Time{}); err == nil {
		d.conn, err = d.file.SyscallConn()
	}
	if err != nil {
		d.file.Close()
		return nil, err
	}
	d.look = func(fd uintptr) bool { return d.poll(int(fd)) }
	return d, nil
}

// Next waits for a connection that has something: records, or its end. Use its Reader by
// TryNext, until that has nothing more or you had enough; then call Next again. The
// connection is yours until then. One that has failed isn't returned again, and one that
// you leave with records unread is, after the others.
//
// Next must not be called concurrently. Nobody but its caller notices that peers have gone,
// so a Writer that waits for a peer of a Doorbell relies on somebody being in Next.
func (d *doorbell) Next(ctx context.Context) (*Conn, error) {
	if c := d.lent; c != nil {
		d.lent = nil
		d.rearm(c)
	}
	if d.turns++; d.turns%64 == 0 {
		// Or a few that are always ready would keep it from the others.
		d.conn.Control(func(fd uintptr) { d.poll(int(fd)) })
	}
	for {
		for len(d.ready) > 0 {
			c := d.ready[0]
			d.ready = d.ready[1:]
			c.ready = false
			if c.life.err() != ErrClosed && c.r.final == nil {
				d.lent = c
				return c, nil
			}
		}
		d.ready = nil
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := d.sleep(ctx); err != nil {
			return nil, err
		}
	}
}

// sleep returns when something may have been rung.
func (d *doorbell) sleep(ctx context.Context) error {
	if ctx.Done() != nil {
		defer context.AfterFunc(ctx, func() { d.file.SetReadDeadline(past) })()
	}
	// Inside Read the poller has forgotten earlier edges, and one that comes after poll
	// ends the sleep.
	if err := d.conn.Read(d.look); err != nil {
		if d.file.SetReadDeadline(time.Time{}) != nil {
			return ErrClosed
		}
	}
	return nil
}

// poll takes what has been rung, and returns whether some connection is ready.
func (d *doorbell) poll(fd int) bool {
	d.mu.Lock()
	fresh := d.fresh
	d.fresh = nil
	d.mu.Unlock()
	for _, c := range fresh {
		d.rearm(c)
	}
	for {
		n, err := syscall.EpollWait(fd, d.events[:], 0)
		if err == syscall.EINTR {
			continue
		}
		for _, e := range d.events[:max(n, 0)] {
			d.mu.Lock()
			c := d.conns[e.Fd]
			d.mu.Unlock()
			if c == nil {
				continue // closed meanwhile
			}
			if e.Pad == onSocket {
				c.hear()
			}
			d.answer(c)
		}
		if n < len(d.events) {
			return len(d.ready) > 0
		}
	}
}

func (d *doorbell) answer(c *Conn) {
	if !c.ready {
		c.ready = true
		d.ready = append(d.ready, c)
	}
}

// rearm asks the peer to ring when it publishes the next record, unless there is one.
func (d *doorbell) rearm(c *Conn) {
	r := c.r
	if r.final != nil || c.life.err() == ErrClosed {
		return
	}
	r.Release() // before it sleeps
	if r.next != r.seen || r.arm() {
		d.answer(c)
		return
	}
	r.mine.sleeps.Add(1)
}

// What an event is about, in its Pad.
const (
	onBell = iota
	onSocket
)

// add makes a connection one of the doorbell's.
func (d *doorbell) add(c *Conn) error {
	d.mu.Lock()
	for d.last++; d.conns[d.last] != nil; d.last++ {
	}
	c.number = d.last
	d.conns[c.number] = c
	d.mu.Unlock()
	// Edges: nobody has to read the eventfd, as elsewhere.
	err := d.control(c, syscall.EPOLL_CTL_ADD, syscall.EPOLLIN|edges, syscall.EPOLLIN|syscall.EPOLLRDHUP|edges)
	if err != nil {
		d.remove(c)
		return os.NewSyscallError("epoll_ctl", err)
	}
	d.mu.Lock()
	d.fresh = append(d.fresh, c)
	d.mu.Unlock()
	d.file.SetReadDeadline(past) // Next arms it
	return nil
}

// Edges only. syscall.EPOLLET is negative on some processors.
const edges = 1 << 31

// remove takes a connection out. The peer has the eventfd too, so that to close ours isn't
// enough.
func (d *doorbell) remove(c *Conn) {
	d.mu.Lock()
	delete(d.conns, c.number)
	d.mu.Unlock()
	d.control(c, syscall.EPOLL_CTL_DEL, 0, 0)
}

// control changes what is waited for on the eventfd, if there is one, and on the socket.
func (d *doorbell) control(c *Conn, op int, bell, socket uint32) error {
	sock, err := c.sock.SyscallConn()
	if err != nil {
		return err
	}
	set := func(poll, fd uintptr, events uint32, about int32) {
		if e := syscall.EpollCtl(int(poll), op, int(fd), &syscall.EpollEvent{Events: events, Fd: c.number, Pad: about}); e != nil && err == nil {
			err = e
		}
	}
	failed := d.conn.Control(func(poll uintptr) {
		if c.bell >= 0 {
			set(poll, uintptr(c.bell), bell, onBell)
		}
		if e := sock.Control(func(fd uintptr) { set(poll, fd, socket, onSocket) }); e != nil && err == nil {
			err = e
		}
	})
	if failed != nil {
		return failed
	}
	return err
}

// quietBell is that of a reader that a Doorbell waits for.
type quietBell struct{}

func (quietBell) wake()                       {}
func (quietBell) sleep(context.Context, *end) {}

// Close frees the doorbell. Its connections stay, but are not waited for any more. A call of
// Next returns ErrClosed.
func (d *doorbell) Close() error { return d.file.Close() }

// hear takes what the peer has sent over the socket, and notices when it has hung up.
func (c *Conn) hear() {
	raw, err := c.sock.SyscallConn()
	if err != nil {
		return
	}
	b := make([]byte, 512)
	err = raw.Control(func(fd uintptr) {
		// As often as an honest peer could have rung, and more.
		for range 64 {
			n, _, err := syscall.Recvfrom(int(fd), b, syscall.MSG_DONTWAIT)
			switch {
			case err == syscall.EINTR:
			case err == syscall.EAGAIN:
				return
			case err != nil || n == 0:
				c.life.end(ErrGone)
				return
			case !c.ringing:
				c.life.end(corrupt("the peer sent %d bytes over the socket", n))
				return
			}
		}
	})
	if err != nil {
		c.life.end(ErrGone)
	}
	c.wake()
}
