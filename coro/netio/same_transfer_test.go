//go:build cgo && linux && (amd64 || arm64) && !msan

package netio_test

import (
	"fmt"
	"syscall"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/coro/netio/internal/ctest"
)

func readScenarios() []scenario {
	return []scenario{
		{name: "bytes in a pipe", kinds: readers, bytes: 10, ready: on(func(t *testing.T) int { r, w := pipe(t); write(t, w, "hello"); return r })},
		{name: "pipe without a writer", kinds: readers, bytes: 10, ready: on(func(t *testing.T) int { r, w := pipe(t); shut(t, w); return r })},
		{name: "the writing end", kinds: readers, bytes: 10, ready: on(func(t *testing.T) int { _, w := pipe(t); return w })},
		{name: "empty non-blocking pipe", kinds: readers, bytes: 10, ready: on(func(t *testing.T) int { r, _ := pipe(t); check(t, syscall.SetNonblock(r, true)); return r })},
		{name: "bytes in a stream", kinds: readers, bytes: 10, ready: on(func(t *testing.T) int { a, b := pair(t, syscall.SOCK_STREAM); write(t, b, "hello"); return a })},
		{name: "bytes of TCP", kinds: readers, bytes: 10, ready: on(func(t *testing.T) int { a, b := tcp(t); write(t, b, "hello"); return a })},
		{name: "ended stream", kinds: readers, bytes: 10, ready: on(func(t *testing.T) int { a, b := pair(t, syscall.SOCK_STREAM); shut(t, b); return a })},
		{name: "shut stream", kinds: readers, bytes: 10, ready: on(func(t *testing.T) int { a, _ := tcp(t); check(t, syscall.Shutdown(a, syscall.SHUT_RD)); return a })},
		{name: "reset TCP", kinds: readers, bytes: 10, ready: on(resetTCP)},
		{name: "empty non-blocking socket", kinds: readers, bytes: 10, ready: on(func(t *testing.T) int {
			a, _ := pair(t, syscall.SOCK_STREAM)
			check(t, syscall.SetNonblock(a, true))
			return a
		})},
		{name: "MSG_DONTWAIT", kinds: []int{ctest.Recv, ctest.RecvFrom, ctest.RecvMsg, ctest.RecvChk, ctest.RecvFromChk}, bytes: 10, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, _ := pair(t, syscall.SOCK_STREAM)
			op.FD, op.Flags = int32(a), syscall.MSG_DONTWAIT
			return nil
		}},
		{name: "MSG_PEEK", kinds: []int{ctest.Recv, ctest.RecvFrom, ctest.RecvMsg}, bytes: 10, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, b := pair(t, syscall.SOCK_STREAM)
			write(t, b, "hello")
			op.FD, op.Flags = int32(a), syscall.MSG_PEEK
			return func() any { return string(readAll(t, a, 5)) }
		}},
		{name: "MSG_TRUNC", kinds: []int{ctest.Recv, ctest.RecvFrom, ctest.RecvMsg}, bytes: 3, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, b := pair(t, syscall.SOCK_DGRAM)
			write(t, b, "hello")
			op.FD, op.Flags = int32(a), syscall.MSG_TRUNC
			return nil
		}},
		{name: "MSG_WAITALL and all", kinds: []int{ctest.Recv, ctest.RecvFrom, ctest.RecvMsg}, bytes: 5, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, b := pair(t, syscall.SOCK_STREAM)
			write(t, b, "hello")
			op.FD, op.Flags = int32(a), syscall.MSG_WAITALL
			return nil
		}},
		{name: "MSG_WAITALL of a datagram", kinds: []int{ctest.Recv, ctest.RecvFrom, ctest.RecvMsg}, bytes: 10, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, b := pair(t, syscall.SOCK_DGRAM)
			write(t, b, "hello")
			op.FD, op.Flags = int32(a), syscall.MSG_WAITALL
			return nil
		}},
		{name: "MSG_WAITALL at the end", kinds: []int{ctest.Recv, ctest.RecvFrom, ctest.RecvMsg}, bytes: 10, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, b := pair(t, syscall.SOCK_STREAM)
			write(t, b, "hello")
			shut(t, b)
			op.FD, op.Flags = int32(a), syscall.MSG_WAITALL
			return nil
		}},
		{name: "MSG_OOB without", kinds: []int{ctest.Recv, ctest.RecvMsg}, bytes: 10, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, _ := tcp(t)
			op.FD, op.Flags = int32(a), syscall.MSG_OOB
			return nil
		}},
		{name: "MSG_ERRQUEUE without", kinds: []int{ctest.Recv, ctest.RecvMsg}, bytes: 10, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, _ := tcp(t)
			op.FD, op.Flags = int32(a), syscall.MSG_ERRQUEUE
			return nil
		}},
		{name: "truncated datagram", kinds: readers, bytes: 3, ready: on(func(t *testing.T) int { a, b := pair(t, syscall.SOCK_DGRAM); write(t, b, "hello"); return a })},
		{name: "record", kinds: readers, bytes: 10, ready: on(func(t *testing.T) int { a, b := pair(t, syscall.SOCK_SEQPACKET); write(t, b, "hello"); return a })},
		{name: "sender's address", kinds: []int{ctest.RecvFrom, ctest.RecvMsg, ctest.RecvFromChk}, bytes: 10, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, addr := udp(t)
			b, _ := udp(t)
			check(t, syscall.Sendto(b, []byte("hello"), 0, addr))
			op.FD, op.AddrLen = int32(a), 128
			return nil
		}},
		{name: "nothing wanted", kinds: []int{ctest.Read, ctest.ReadV}, bytes: 0, ready: on(func(t *testing.T) int { a, _ := pair(t, syscall.SOCK_DGRAM); return a })},
		{name: "listening socket", kinds: readers, bytes: 10, ready: on(func(t *testing.T) int { l, _ := listener(t, 1); return l })},
		{name: "unconnected socket", kinds: readers, bytes: 10, ready: on(socket)},
		{name: "file", kinds: readers, bytes: 10, ready: on(func(t *testing.T) int { return file(t, "hello") })},
		{name: "end of a file", kinds: readers, bytes: 10, ready: on(func(t *testing.T) int { return file(t, "") })},
		{name: "directory", kinds: readers, bytes: 10, ready: on(func(t *testing.T) int {
			fd, err := syscall.Open("/", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
			check(t, err)
			keep(t, fd)
			return fd
		})},
		{name: "/dev/zero", kinds: readers, bytes: 10, ready: on(func(t *testing.T) int {
			fd, err := syscall.Open("/dev/zero", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
			check(t, err)
			keep(t, fd)
			return fd
		})},
		{name: "eventfd", kinds: readers, bytes: 8, ready: on(func(t *testing.T) int { return eventFD(t, 3) })},
		{name: "short eventfd", kinds: readers, bytes: 7, ready: on(func(t *testing.T) int { return eventFD(t, 3) })},
		{name: "short and empty eventfd", kinds: readers, bytes: 7, ready: on(func(t *testing.T) int {
			notEmulated(t, "trying without blocking: what is asked by poll instead waits here")
			return eventFD(t, 0)
		})},
		{name: "terminal", kinds: readers, bytes: 10, ready: on(func(t *testing.T) int { m, s := pty(t); write(t, m, "hello\nworld\n"); return s })},
		{name: "closed", kinds: readers, bytes: 10, ready: on(closedFD)},
		{name: "descriptor -1", kinds: readers, bytes: 10, ready: on(func(*testing.T) int { return -1 })},
		{name: "descriptor 1<<20", kinds: readers, bytes: 10, ready: on(func(*testing.T) int { return 1 << 20 })},
		{name: "bad pointer", kinds: []int{ctest.Read, ctest.Recv, ctest.RecvFrom, ctest.RecvMsg, ctest.ReadV}, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, b := pair(t, syscall.SOCK_STREAM)
			write(t, b, "hello")
			op.FD, op.N = int32(a), 10
			*(*uintptr)(unsafe.Pointer(&op.Buf)) = 4096
			return func() any { op.Buf = nil; op.N = 0; return nil }
		}},
		{name: "bad pointer for a pipe", kinds: []int{ctest.Read, ctest.ReadV}, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, b := pipe(t)
			write(t, b, "hello")
			op.FD, op.N = int32(a), 10
			*(*uintptr)(unsafe.Pointer(&op.Buf)) = 4096
			return func() any { op.Buf = nil; op.N = 0; return nil }
		}},
		{name: "too many parts", kinds: []int{ctest.ReadV}, bytes: 10, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, b := pair(t, syscall.SOCK_STREAM)
			write(t, b, "hello")
			op.FD, op.Parts = int32(a), -3
			return nil
		}},
		{name: "in parts", kinds: []int{ctest.ReadV, ctest.RecvMsg}, bytes: 10, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, b := pair(t, syscall.SOCK_STREAM)
			write(t, b, "hello, you")
			op.FD, op.Parts = int32(a), 4
			return nil
		}},
		{name: "descriptors in a message", kinds: []int{ctest.RecvMsg}, bytes: 10, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, b := pair(t, syscall.SOCK_STREAM)
			check(t, syscall.Sendmsg(b, []byte("hello"), syscall.UnixRights(a), nil, 0))
			op.FD, op.ControlLen = int32(a), 128
			return func() any {
				rights, err := syscall.ParseSocketControlMessage(op.Control[:op.ControlLen])
				check(t, err)
				fds, err := syscall.ParseUnixRights(&rights[0])
				check(t, err)
				keep(t, fds...)
				clear(op.Control[:])
				return len(fds)
			}
		}},
	}
}

func writeScenarios() []scenario {
	sent := func(fd, n int) func(t *testing.T) func() any {
		return func(t *testing.T) func() any { return func() any { return string(readAll(t, fd, n)) } }
	}
	text := func(op *ctest.Op) { copy(data(op), pattern(int(op.N))) }
	return []scenario{
		{name: "into a pipe", kinds: writers, bytes: 1000, ready: func(t *testing.T, op *ctest.Op) func() any {
			r, w := pipe(t)
			text(op)
			op.FD, op.Parts = int32(w), 3
			if onSockets(int(op.Kind)) {
				return nil
			}
			return sent(r, 1000)(t)
		}},
		{name: "into a stream", kinds: writers, bytes: 1000, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, b := pair(t, syscall.SOCK_STREAM)
			text(op)
			op.FD, op.Parts = int32(a), 3
			return sent(b, 1000)(t)
		}},
		{name: "a record", kinds: writers, bytes: 1000, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, b := pair(t, syscall.SOCK_SEQPACKET)
			text(op)
			op.FD = int32(a)
			return sent(b, 1000)(t)
		}},
		{name: "too large a datagram", kinds: writers, bytes: 4 << 20, ready: on(func(t *testing.T) int { a, _ := pair(t, syscall.SOCK_DGRAM); return a })},
		{name: "an empty datagram", kinds: []int{ctest.Write, ctest.Send, ctest.SendTo, ctest.SendMsg}, bytes: 0, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, b := pair(t, syscall.SOCK_DGRAM)
			op.FD = int32(a)
			return func() any {
				n, _, err := syscall.Recvfrom(b, make([]byte, 10), syscall.MSG_DONTWAIT)
				return fmt.Sprint(n, err)
			}
		}},
		{name: "to an address", kinds: []int{ctest.SendTo, ctest.SendMsg}, bytes: 10, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, addr := udp(t)
			b, _ := udp(t)
			text(op)
			op.FD = int32(b)
			setAddr(op, addr)
			return func() any { clear(op.Addr[:]); return string(readAll(t, a, 10)) }
		}},
		{name: "full non-blocking pipe", kinds: writers, bytes: 1 << 20, ready: on(func(t *testing.T) int { _, w := pipe(t); check(t, syscall.SetNonblock(w, true)); return w })},
		{name: "full non-blocking stream", kinds: writers, bytes: 4 << 20, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, _ := pair(t, syscall.SOCK_STREAM)
			check(t, syscall.SetNonblock(a, true))
			op.FD = int32(a)
			return nil
		}},
		{name: "MSG_DONTWAIT", kinds: []int{ctest.Send, ctest.SendTo, ctest.SendMsg}, bytes: 4 << 20, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, _ := pair(t, syscall.SOCK_STREAM)
			op.FD, op.Flags = int32(a), syscall.MSG_DONTWAIT
			return nil
		}},
		{name: "unconnected", kinds: []int{ctest.Send, ctest.SendTo, ctest.SendMsg}, bytes: 10, ready: func(t *testing.T, op *ctest.Op) func() any {
			op.FD, op.Flags = int32(socket(t)), syscall.MSG_NOSIGNAL
			return nil
		}},
		{name: "nobody there", kinds: []int{ctest.Send, ctest.SendTo, ctest.SendMsg}, bytes: 10, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, b := pair(t, syscall.SOCK_STREAM)
			shut(t, b)
			op.FD, op.Flags = int32(a), syscall.MSG_NOSIGNAL
			return nil
		}},
		{name: "nobody there, with its signal", kinds: writers, bytes: 10, ready: on(func(t *testing.T) int { a, b := pair(t, syscall.SOCK_STREAM); shut(t, b); return a })},
		{name: "pipe without a reader", kinds: writers, bytes: 10, ready: on(func(t *testing.T) int { r, w := pipe(t); shut(t, r); return w })},
		{name: "the reading end", kinds: writers, bytes: 10, ready: on(func(t *testing.T) int { r, _ := pipe(t); return r })},
		{name: "file", kinds: writers, bytes: 100_000, ready: func(t *testing.T, op *ctest.Op) func() any {
			fd := file(t, "")
			text(op)
			op.FD = int32(fd)
			if onSockets(int(op.Kind)) {
				return nil
			}
			return func() any { syscall.Seek(fd, 0, 0); return string(readAll(t, fd, 100_000)) }
		}},
		{name: "eventfd", kinds: writers, bytes: 8, ready: func(t *testing.T, op *ctest.Op) func() any {
			op.FD = int32(eventFD(t, 0))
			data(op)[0] = 5
			if onSockets(int(op.Kind)) {
				return nil
			}
			return func() any { return string(readAll(t, int(op.FD), 8)) }
		}},
		{name: "terminal", kinds: writers, bytes: 10, ready: func(t *testing.T, op *ctest.Op) func() any {
			m, s := pty(t)
			copy(data(op), "0123456789")
			op.FD = int32(s)
			if onSockets(int(op.Kind)) {
				return nil
			}
			return sent(m, 10)(t)
		}},
		{name: "closed", kinds: writers, bytes: 10, ready: on(closedFD)},
		{name: "descriptor -1", kinds: writers, bytes: 10, ready: on(func(*testing.T) int { return -1 })},
		{name: "bad pointer", kinds: []int{ctest.Write, ctest.Send, ctest.SendTo, ctest.SendMsg, ctest.WriteV}, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, _ := pair(t, syscall.SOCK_STREAM)
			op.FD, op.N = int32(a), 10
			*(*uintptr)(unsafe.Pointer(&op.Buf)) = 4096
			return func() any { op.Buf = nil; op.N = 0; return nil }
		}},
		{name: "too many parts", kinds: []int{ctest.WriteV}, bytes: 10, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, _ := pair(t, syscall.SOCK_STREAM)
			op.FD, op.Parts = int32(a), -1
			return nil
		}},
		{name: "a descriptor in a message", kinds: []int{ctest.SendMsg}, bytes: 10, ready: func(t *testing.T, op *ctest.Op) func() any {
			a, b := pair(t, syscall.SOCK_STREAM)
			op.FD = int32(a)
			op.ControlLen = uint32(copy(op.Control[:], syscall.UnixRights(0)))
			return func() any {
				oob := make([]byte, 100)
				n, oobn, _, _, err := syscall.Recvmsg(b, make([]byte, 20), oob, syscall.MSG_CMSG_CLOEXEC)
				check(t, err)
				rights, err := syscall.ParseSocketControlMessage(oob[:oobn])
				check(t, err)
				fds, err := syscall.ParseUnixRights(&rights[0])
				check(t, err)
				keep(t, fds...)
				return [2]int{n, len(fds)}
			}
		}},
	}
}
