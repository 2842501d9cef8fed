package ring

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// Descriptors that the serving side sends: the memory, and unless they wake each other
// through the socket what both sides sleep on.
const (
	fdMemory = iota
	fdConnectorReads
	fdConnectorWrites
	fdServerReads
	fdServerWrites
	fdCount
)

func serve(sock *net.UnixConn, o Options) (*Conn, error) {
	capacity := uint64(o.Capacity)
	if o.Capacity == 0 {
		capacity = 64 << 10
	}
	if err := checkCapacity(capacity); err != nil {
		return nil, err
	}
	theirs, err := receive(sock)
	if err != nil {
		return nil, err
	}
	mine := o.hello()
	if s, err := theirs.judge(mine); err != nil {
		mine.status = s
		sock.Write(mine.bytes()) // so that it knows why
		return nil, err
	}
	mine.features |= theirs.features & socketBells
	mine.capacity = capacity
	fds, err := makeAll(mine)
	if err != nil {
		return nil, fmt.Errorf("ring: memory for two rings of %d bytes: %w", capacity, err)
	}
	defer closeAll(fds)
	m, err := mapBoth(fds[fdMemory], capacity)
	if err != nil {
		return nil, err
	}
	m[0].ctl.begin(capacity, mine.features)
	m[1].ctl.begin(capacity, mine.features&^dropping|theirs.features&dropping)
	var answer hello
	if _, _, err = sock.WriteMsgUnix(mine.bytes(), syscall.UnixRights(fds...), nil); err != nil {
		err = fmt.Errorf("ring: to send the memory: %w", err)
	} else if answer, err = receive(sock); err == nil {
		_, err = answer.judge(mine)
	}
	if err != nil {
		m[0].drop()
		m[1].drop()
		return nil, err
	}
	return assemble(sock, o, mine, theirs, m[0], m[1], fds, fdServerReads, fdConnectorReads)
}

func connect(sock *net.UnixConn, o Options) (*Conn, error) {
	mine := o.hello()
	if _, err := sock.Write(mine.bytes()); err != nil {
		return nil, fmt.Errorf("ring: to send the greeting: %w", err)
	}
	theirs, fds, err := receiveFDs(sock)
	defer func() { closeAll(fds) }()
	if err != nil {
		return nil, err
	}
	var m [2]*memory
	s, err := theirs.judge(mine)
	if err == nil {
		if m, err = accept(theirs, fds, o); err != nil {
			s = badMemory
		}
	}
	mine.status = s
	if _, werr := sock.Write(mine.bytes()); err == nil && werr != nil {
		m[0].drop()
		m[1].drop()
		err = fmt.Errorf("ring: to send the answer: %w", werr)
	}
	if err != nil {
		return nil, err
	}
	return assemble(sock, o, theirs, theirs, m[1], m[0], fds, fdConnectorReads, fdServerReads)
}

// accept checks and maps what the serving side has made.
func accept(h hello, fds []int, o Options) (m [2]*memory, err error) {
	limit := uint64(64 << 20)
	if o.MaxCapacity != 0 {
		limit = uint64(o.MaxCapacity)
	}
	if o.Untrusted && h.features&socketBells == 0 {
		return m, wrap(ErrMismatch, "the peer doesn't wake this side through the socket, as an untrusted one must")
	}
	if want := h.descriptors(); len(fds) != want {
		return m, wrap(ErrMismatch, "the peer sent %d descriptors in place of %d", len(fds), want)
	}
	if err := checkCapacity(h.capacity); err != nil {
		return m, wrap(ErrMismatch, "the peer: %v", err)
	}
	if h.capacity > limit {
		return m, wrap(ErrMismatch, "the peer's rings have %d bytes each, and the limit is %d", h.capacity, limit)
	}
	if err := checkMemfd(fds[fdMemory], int64(2*stride(h.capacity))); err != nil {
		return m, err
	}
	return mapBoth(fds[fdMemory], h.capacity)
}

func (h hello) descriptors() int {
	if h.features&socketBells != 0 {
		return 1
	}
	return fdCount
}

// makeAll makes what the serving side sends.
func makeAll(h hello) (fds []int, err error) {
	fd, err := memfd(int64(2 * stride(h.capacity)))
	for err == nil {
		fds = append(fds, fd)
		if len(fds) == h.descriptors() {
			return fds, nil
		}
		fd, err = eventfd()
	}
	closeAll(fds)
	return nil, err
}

// closeAll closes those that nobody has taken over.
func closeAll(fds []int) {
	for _, fd := range fds {
		if fd >= 0 {
			syscall.Close(fd)
		}
	}
}

// mapBoth maps the rings: that to the connecting side, and that from it.
func mapBoth(fd int, capacity uint64) (m [2]*memory, err error) {
	if err := allocate(fd, int64(2*stride(capacity)), countsMemory()); err != nil {
		return m, err
	}
	b, err := syscall.Mmap(fd, 0, int(2*stride(capacity)), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return m, fmt.Errorf("ring: memory for two rings of %d bytes: %w", capacity, os.NewSyscallError("mmap", err))
	}
	users := new(atomic.Int32)
	users.Store(2)
	for i := range m {
		head := unsafe.Pointer(unsafe.SliceData(b[uint64(i)*stride(capacity):]))
		freed := new(atomic.Bool)
		unmap := func() {
			if freed.CompareAndSwap(false, true) && users.Add(-1) == 0 {
				syscall.Munmap(b)
			}
		}
		m[i] = &memory{ctl: (*control)(head), data: unsafe.Add(head, controlSize), capacity: capacity, users: 1, unmap: unmap, sync: annotate(fd)}
		// For a connection that has been closed, and whose ends nobody has called since.
		runtime.AddCleanup(m[i], func(unmap func()) { unmap() }, unmap)
	}
	return m, nil
}

// assemble makes the connection of what has been agreed on: h is the server's greeting, and
// peer that of the other side. mine and theirs are the first of the two descriptors that each
// side sleeps on.
func assemble(sock *net.UnixConn, o Options, h, peer hello, to, from *memory, fds []int, mine, theirs int) (*Conn, error) {
	c := &Conn{life: new(life), sock: sock, done: make(chan struct{}), dirs: [2]*memory{to, from},
		doorbell: o.Doorbell, bell: -1, ringing: h.features&socketBells != 0}
	giveUp := func(err error) (*Conn, error) {
		for _, e := range c.ends {
			e.close()
		}
		to.drop()
		from.drop()
		return nil, err
	}
	var readerBell, writerBell bell
	var wakeReader, wakeWriter waker
	if h.features&socketBells != 0 {
		s, err := newSocketWaker(sock)
		if err != nil {
			return giveUp(err)
		}
		readerBell, writerBell, wakeReader, wakeWriter = make(chanBell, 1), make(chanBell, 1), s, s
	} else {
		var bells [2]bell
		for i := range bells {
			if i == 0 && c.doorbell != nil {
				c.bell = fds[mine]
				c.ends = append(c.ends, &eventWaker{fd: c.bell}) // to close it
				fds[mine] = -1
				continue
			}
			b, err := newEventBell(fds[mine+i])
			fds[mine+i] = -1
			if err != nil {
				return giveUp(err)
			}
			bells[i] = b
			c.ends = append(c.ends, b)
		}
		r, w := &eventWaker{fd: fds[theirs]}, &eventWaker{fd: fds[theirs+1]}
		fds[theirs], fds[theirs+1] = -1, -1
		c.ends = append(c.ends, r, w)
		readerBell, writerBell, wakeReader, wakeWriter = bells[0], bells[1], r, w
	}
	if c.doorbell != nil {
		readerBell = quietBell{}
	}
	c.w = newWriter(to, o, c.life, writerBell, wakeReader)
	o.Full = Block
	if peer.features&dropping != 0 {
		o.Full = DropOldest
	}
	c.r = newReader(from, o, c.life, readerBell, wakeWriter)
	if c.doorbell == nil {
		go c.watch()
	} else if err := c.doorbell.add(c); err != nil {
		return giveUp(err)
	}
	return c, nil
}

func receive(sock *net.UnixConn) (hello, error) {
	b := make([]byte, helloSize)
	if _, err := io.ReadFull(sock, b); err != nil {
		return hello{}, fmt.Errorf("ring: the peer's greeting: %w", err)
	}
	return readHello(b)
}

// receiveFDs is receive with descriptors, which the caller closes even if it fails.
func receiveFDs(sock *net.UnixConn) (h hello, fds []int, err error) {
	b := make([]byte, helloSize)
	if fds, err = readGreeting(sock, b); err == nil {
		h, err = readHello(b)
	}
	return h, fds, err
}

// readGreeting reads all of b, and the descriptors that come with it: those that came, also if it
// fails. They are counted as they come, so that a peer can't use up all that this process may have.
func readGreeting(sock *net.UnixConn, b []byte) (fds []int, err error) {
	oob := make([]byte, syscall.CmsgSpace(4*fdCount))
	for have := 0; have < len(b); {
		n, oobn, flags, _, err := sock.ReadMsgUnix(b[have:], oob)
		if err == nil && n == 0 {
			err = io.ErrUnexpectedEOF
		}
		messages, perr := syscall.ParseSocketControlMessage(oob[:max(oobn, 0)])
		for _, m := range messages {
			more, _ := syscall.ParseUnixRights(&m)
			fds = append(fds, more...)
		}
		switch {
		case err != nil:
			return fds, fmt.Errorf("ring: the peer's greeting: %w", err)
		case perr != nil || len(fds) > fdCount:
			return fds, wrap(ErrMismatch, "the peer sent more than %d descriptors", fdCount)
		case flags&syscall.MSG_CTRUNC != 0: // there was room for more
			return fds, fmt.Errorf("ring: the peer's descriptors: %w", syscall.EMFILE)
		}
		have += n
	}
	return fds, nil
}

// socketWaker wakes the other process by a byte, and never waits.
type socketWaker struct {
	conn syscall.RawConn
	send func(fd uintptr)
}

func newSocketWaker(sock *net.UnixConn) (*socketWaker, error) {
	conn, err := sock.SyscallConn()
	if err != nil {
		return nil, errors.Join(ErrMismatch, err)
	}
	return &socketWaker{conn, func(fd uintptr) {
		// If the buffer is full, bytes that the peer hasn't taken wake it as well.
		syscall.SendmsgN(int(fd), []byte{1}, nil, nil, syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL)
	}}, nil
}

// Control and not Write, which fails while a deadline of the socket has passed: the program that handed
// the socket over may set one yet.
func (s *socketWaker) wake() { s.conn.Control(s.send) }
