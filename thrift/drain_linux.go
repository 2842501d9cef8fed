package thrift

import (
	"net"
	"syscall"
)

// corkable has the system keep what is written until the end of the connection is written too, so
// that both arrive as one. Where it can't, nothing is lost but that.
func corkable(c *net.TCPConn) {
	if raw, err := c.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_CORK, 1)
		})
	}
}

// waits reports whether somebody waits to be accepted.
func waits(l net.Listener) (some bool) {
	s, ok := l.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Control(func(fd uintptr) {
		poll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
		if err != nil {
			return
		}
		defer func() { _ = syscall.Close(poll) }()
		events := [1]syscall.EpollEvent{{Events: syscall.EPOLLIN}}
		if syscall.EpollCtl(poll, syscall.EPOLL_CTL_ADD, int(fd), &events[0]) == nil {
			n, err := syscall.EpollWait(poll, events[:], 0)
			some = err == nil && n > 0
		}
	})
	return some
}
