package ring

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// place is a listening socket at a path, of which no other process has one.
type place struct {
	*net.UnixListener
	lock *os.File
	path string
	made os.FileInfo // the socket that is at the path
}

// checkPath returns an error unless path is that of a file which a Unix socket can be. Package net
// takes one that begins with @ for an abstract socket, which any user may connect to.
func checkPath(path string) error {
	switch n := len(syscall.RawSockaddrUnix{}.Path) - 1; {
	case path == "" || len(path) > n || strings.Contains(path, "\x00"):
		return invalid("%q can't be a socket's path: that has from 1 to %d bytes, and no zero", path, n)
	case path[0] == '@':
		return invalid("%q would be an abstract socket, which any user may connect to: name a file (./%s)", path, path)
	}
	return nil
}

// listenAt makes a socket that processes of this user may connect to. Who is killed leaves its
// socket there, so a second file, PATH.lock, says whether it still runs: it is locked as long as
// its process lives, or a child that was forked from it and has it still. It is never removed, for
// another process may be waiting to lock it.
func listenAt(path string) (p *place, err error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("ring: %w", err)
	}
	defer func() {
		if err != nil {
			lock.Close()
		}
	}()
	switch err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, invalid("%s: another process serves it, or this one does already, or a child has it that one has forked (fuser %s.lock)", path, path)
	case err != nil:
		return nil, fmt.Errorf("ring: %s.lock: %w", path, os.NewSyscallError("flock", err))
	}
	if at, err := os.Lstat(path); err == nil && at.Mode().Type() != fs.ModeSocket {
		return nil, invalid("%s is there, and is no socket", path)
	}
	os.Remove(path) // if that fails, listening does
	listen := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		c.Control(func(fd uintptr) { err = syscall.Fchmod(int(fd), 0o600) })
		return err
	}}
	l, err := listen.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, fmt.Errorf("ring: %w", err)
	}
	p = &place{UnixListener: l.(*net.UnixListener), lock: lock, path: path}
	p.SetUnlinkOnClose(false)
	if p.made, err = os.Lstat(path); err != nil {
		l.Close()
		return nil, fmt.Errorf("ring: %w", err)
	}
	return p, nil
}

// close removes the socket, and then lets others have the place. What else is at the path by now,
// as seen from this process's folder, stays.
func (p *place) close() {
	if at, err := os.Lstat(p.path); err == nil && os.SameFile(at, p.made) {
		os.Remove(p.path)
	}
	p.UnixListener.Close()
	p.lock.Close()
}

// A Listener makes connections to the processes that dial its path: [Dial], seam_ring_dial, or
// seam_ring.dial in Python.
type Listener struct {
	place *place
	o     Options
	conns chan arrival
	done  chan struct{}
	once  sync.Once
}

// arrival is what Accept returns.
type arrival struct {
	c   *Conn
	err error
}

// Listen serves a path: that of a Unix socket, which is made, for processes of the same user
// (os.Chmod lets others in), and of a file PATH.lock beside it. What a process that was killed left
// there is replaced; a path that another one serves is [ErrInvalid]. The options are those of
// [Serve], for each connection.
func Listen(path string, o Options) (*Listener, error) {
	if o.Capacity != 0 {
		if err := checkCapacity(uint64(o.Capacity)); err != nil {
			return nil, err
		}
	}
	at, err := listenAt(path)
	if err != nil {
		return nil, err
	}
	l := &Listener{place: at, o: o, conns: make(chan arrival), done: make(chan struct{})}
	go l.serve()
	return l, nil
}

// Accept returns the next connection. A peer whose set-up fails is told why, and keeps nobody
// else waiting. Where this process can't get the memory or the descriptors for one, that is the
// error; the peer dials again, and Accept may be called again.
func (l *Listener) Accept(ctx context.Context) (*Conn, error) {
	select {
	case a := <-l.conns:
		return a.c, a.err
	case <-l.done:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Close frees the path, and ends all calls of Accept by [ErrClosed]. Connections stay.
func (l *Listener) Close() error {
	l.once.Do(func() {
		close(l.done)
		l.place.close()
	})
	return nil
}

// How many peers may be in their set-up at a time, and how long.
const (
	setUps    = 64
	setUpTime = 10 * time.Second
)

func (l *Listener) serve() {
	places := make(chan struct{}, setUps)
	hand := func(a arrival) {
		select {
		case l.conns <- a:
		case <-l.done:
			if a.c != nil {
				a.c.Abort()
			}
		}
	}
	l.place.each(func(sock *net.UnixConn, err error) error {
		if err != nil {
			hand(arrival{err: fmt.Errorf("ring: %w", err)})
			return err
		}
		places <- struct{}{}
		go func() {
			defer func() { <-places }()
			ctx, cancel := context.WithTimeout(context.Background(), setUpTime)
			defer cancel()
			if c, err := Serve(ctx, sock, l.o); err == nil || !ofPeer(err) {
				hand(arrival{c, err})
			}
		}()
		return nil
	})
}

// ofPeer reports whether a set-up has failed by what the peer did or left undone.
func ofPeer(err error) bool {
	var socket *net.OpError
	return errors.As(err, &socket) || errors.Is(err, ErrMismatch) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, context.DeadlineExceeded)
}

// each calls f for each connection, or for why there is none, until the place is closed.
func (p *place) each(f func(*net.UnixConn, error) error) {
	for wait := time.Millisecond; ; {
		sock, err := p.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err = f(sock, err); err == nil {
			wait = time.Millisecond
			continue
		}
		// For want of descriptors or memory, which there may be later; the peer tries again.
		time.Sleep(wait)
		wait = min(2*wait, time.Second)
	}
}

// Dial connects to the process that serves a path by [Listen], seam_ring_listen, or
// seam_ring.Listener in Python. It waits for one until ctx ends, so it is also what to call when
// the peer has died; what can't be fixed by waiting, such as a path that this user may not open,
// is an error at once. The options are those of [Connect].
func Dial(ctx context.Context, path string, o Options) (c *Conn, err error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	err = persist(ctx, path, func(ctx context.Context) error {
		var dialer net.Dialer
		sock, err := dialer.DialContext(ctx, "unix", path)
		if err != nil {
			return fmt.Errorf("ring: %w", err)
		}
		c, err = Connect(ctx, sock.(*net.UnixConn), o)
		return err
	})
	return c, err
}

// persist tries to connect until there is somebody.
func persist(ctx context.Context, path string, try func(context.Context) error) error {
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		err := try(ctx)
		if err == nil || ctx.Err() == nil && !absent(err) {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return fmt.Errorf("ring: no connection at %s (%v): %w", path, err, context.Cause(ctx))
		}
	}
}

// absent reports whether there may be somebody later.
func absent(err error) bool {
	for _, e := range []error{syscall.ENOENT, syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, syscall.EAGAIN, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
