//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package thrift

import (
	"net"
	"syscall"
)

// A probe looks at what has arrived on a socket without taking it. Nothing waits in Read
// on an idle connection, and a deadline in the past has Read fail before it looks.
type probe struct {
	raw  syscall.RawConn // nil if the connection is no socket
	tls  bool
	look func(fd uintptr) bool
	n    *int // that look has seen; -1: nothing, and no end
}

func newProbe(c net.Conn) (p probe) {
	if t, ok := c.(interface{ NetConn() net.Conn }); ok {
		c, p.tls = t.NetConn(), true
	}
	s, ok := c.(syscall.Conn)
	if !ok {
		return p
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return p
	}
	n, b := new(int), new([1]byte)
	p.raw, p.n = raw, n
	p.look = func(fd uintptr) bool {
		for {
			var err error
			*n, _, err = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
			switch err {
			case nil:
			case syscall.EINTR:
				continue
			case syscall.EAGAIN:
				*n = -1
			default:
				*n = 0
			}
			return true // don't wait
		}
	}
	return p
}

// quiet reports whether nothing has arrived on the connection that nobody has asked for:
// bytes, its end, or an error. fresh says that no call was answered on it: with TLS the
// server's session tickets may wait to be read then.
func (p *probe) quiet(fresh bool) bool {
	if p.raw == nil {
		return true
	}
	if p.raw.Read(p.look) != nil {
		return false
	}
	return *p.n < 0 || *p.n > 0 && p.tls && fresh
}
