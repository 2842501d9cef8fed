//go:build cgo && linux && (amd64 || arm64) && !msan

package netio_test

import (
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/netio/internal/ctest"
)

// onStreams runs a test for each runner and each kind of stream; open returns the
// coroutine's end and the other.
func onStreams(t *testing.T, f func(t *testing.T, r coro.Runner, open func(*testing.T) (int, int))) {
	needCoroutines(t)
	for name, r := range runners(t) {
		t.Run(name+"/TCP", func(t *testing.T) { f(t, r, tcp) })
		t.Run(name+"/local", func(t *testing.T) {
			f(t, r, func(t *testing.T) (int, int) { return pair(t, syscall.SOCK_STREAM) })
		})
	}
}

// A stream takes everything, however slowly the other end reads.
func TestWritesAll(t *testing.T) {
	const size = 6 << 20
	want := pattern(size)
	for _, kind := range writers {
		t.Run(ctest.Names[kind], func(t *testing.T) {
			write := func(t *testing.T, r coro.Runner, fd, from int) {
				op := newOp(t, kind, size)
				copy(data(op), want)
				op.FD, op.Parts = int32(fd), 300
				p := start(t, r, op)
				untilWaiting(t, 1)
				same(t, readAll(t, from, size), want)
				p.want(t, size, ctest.Errno)
			}
			onStreams(t, func(t *testing.T, r coro.Runner, open func(*testing.T) (int, int)) {
				a, b := open(t)
				write(t, r, a, b)
			})
			if onSockets(kind) {
				return
			}
			for name, r := range runners(t) {
				t.Run(name+"/pipe", func(t *testing.T) {
					from, to := pipe(t)
					write(t, r, to, from)
				})
			}
		})
	}
}

// What was sent before the other end went away counts; the error is the next call's.
func TestPartThenGone(t *testing.T) {
	const size = 6 << 20
	for _, kind := range writers {
		t.Run(ctest.Names[kind], func(t *testing.T) {
			onStreams(t, func(t *testing.T, r coro.Runner, open func(*testing.T) (int, int)) {
				a, b := open(t)
				op := newOp(t, kind, size)
				op.FD = int32(a)
				p := start(t, r, op)
				untilWaiting(t, 1)
				shut(t, b)
				if n := p.wait(t).Result; n <= 0 || n >= size || op.Err != ctest.Errno {
					t.Errorf("returned %d, errno %s", n, errno(int(op.Err)))
				}
				again := newOp(t, kind, 5)
				again.FD = int32(a)
				call(t, r, again)
				if e := syscall.Errno(again.Err); again.Result != -1 || e != syscall.EPIPE && e != syscall.ECONNRESET {
					t.Errorf("then %d, errno %s", again.Result, errno(int(again.Err)))
				}
			})
		})
	}
}

var waitAllKinds = []int{ctest.Recv, ctest.RecvFrom, ctest.RecvMsg, ctest.RecvChk, ctest.RecvFromChk}

// MSG_WAITALL waits for all.
func TestWaitAll(t *testing.T) {
	const size, piece = 30_000, 1000
	want := pattern(size)
	for _, kind := range waitAllKinds {
		t.Run(ctest.Names[kind], func(t *testing.T) {
			onStreams(t, func(t *testing.T, r coro.Runner, open func(*testing.T) (int, int)) {
				a, b := open(t)
				op := newOp(t, kind, size)
				op.FD, op.Flags, op.Parts = int32(a), syscall.MSG_WAITALL, 100
				p := start(t, r, op)
				for i := 0; i < size; i += piece {
					untilWaiting(t, 1)
					write(t, b, string(want[i:i+piece]))
				}
				p.want(t, size, ctest.Errno)
				same(t, data(op), want)
			})
		})
	}
}

// The end of the stream, a reset, a timeout and cancellation leave what has come.
func TestWaitAllPart(t *testing.T) {
	ends := map[string]func(t *testing.T, p *pending, a, b int){
		"end":       func(t *testing.T, p *pending, a, b int) { shut(t, b) },
		"cancelled": func(t *testing.T, p *pending, a, b int) { p.cancel(errTest) },
		"timeout":   func(*testing.T, *pending, int, int) {},
	}
	for _, kind := range waitAllKinds {
		for name, end := range ends {
			t.Run(ctest.Names[kind]+"/"+name, func(t *testing.T) {
				onStreams(t, func(t *testing.T, r coro.Runner, open func(*testing.T) (int, int)) {
					a, b := open(t)
					if name == "timeout" {
						timeout(t, a, syscall.SO_RCVTIMEO, 50*time.Millisecond)
					}
					write(t, b, "hello")
					op := newOp(t, kind, 10)
					op.FD, op.Flags = int32(a), syscall.MSG_WAITALL
					p := start(t, r, op)
					if name != "timeout" {
						untilWaiting(t, 1)
					}
					end(t, p, a, b)
					p.want(t, 5, ctest.Errno)
					if got := string(data(op)[:5]); got != "hello" {
						t.Errorf("got %q", got)
					}
				})
			})
		}
		t.Run(ctest.Names[kind]+"/reset", func(t *testing.T) {
			needCoroutines(t)
			for name, r := range runners(t) {
				t.Run(name, func(t *testing.T) {
					a, b := tcp(t)
					write(t, b, "hello")
					op := newOp(t, kind, 10)
					op.FD, op.Flags = int32(a), syscall.MSG_WAITALL
					p := start(t, r, op)
					untilWaiting(t, 1)
					disown(b)
					reset(t, b)
					p.want(t, 5, ctest.Errno)
					again := newOp(t, ctest.Recv, 10) // the error has not been taken
					again.FD = int32(a)
					call(t, r, again)
					want(t, again, -1, int(syscall.ECONNRESET))
				})
			}
		})
	}
}

// Peeking for all of it waits until all is there, and takes nothing.
func TestPeekAll(t *testing.T) {
	ends := map[string]struct {
		end  func(t *testing.T, p *pending, a, b int)
		want string
	}{
		"all":       {func(t *testing.T, p *pending, a, b int) { write(t, b, "world") }, "helloworld"},
		"part":      {func(t *testing.T, p *pending, a, b int) { write(t, b, "wo"); shut(t, b) }, "hellowo"},
		"cancelled": {func(t *testing.T, p *pending, a, b int) { p.cancel(errTest) }, "hello"},
		"timeout":   {func(*testing.T, *pending, int, int) {}, "hello"},
	}
	for _, kind := range waitAllKinds {
		for name, end := range ends {
			t.Run(ctest.Names[kind]+"/"+name, func(t *testing.T) {
				needCoroutines(t)
				for way, r := range runners(t) {
					t.Run(way, func(t *testing.T) {
						a, b := tcp(t)
						if name == "timeout" {
							timeout(t, a, syscall.SO_RCVTIMEO, 50*time.Millisecond)
						}
						write(t, b, "hello")
						op := newOp(t, kind, 10)
						op.FD, op.Flags = int32(a), syscall.MSG_WAITALL|syscall.MSG_PEEK
						p := start(t, r, op)
						until(t, "it is in C", func() bool { return started(op) })
						end.end(t, p, a, b)
						p.want(t, int64(len(end.want)), ctest.Errno)
						if got := string(data(op)[:len(end.want)]); got != end.want {
							t.Errorf("got %q", got)
						}
						if got := string(readAll(t, a, len(end.want))); got != end.want {
							t.Errorf("after peeking: %q", got)
						}
					})
				}
			})
		}
	}
	onStreams(t, func(t *testing.T, r coro.Runner, open func(*testing.T) (int, int)) {
		a, b := open(t)
		write(t, b, "hello")
		op := newOp(t, ctest.Recv, 5)
		op.FD, op.Flags = int32(a), syscall.MSG_WAITALL|syscall.MSG_PEEK
		start(t, r, op).want(t, 5, ctest.Errno)
	})
}

// Descriptors that come with a later part are not lost, and end the message.
func TestWaitAllControl(t *testing.T) {
	needCoroutines(t)
	for name, r := range runners(t) {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, syscall.SOCK_STREAM)
			op := newOp(t, ctest.RecvMsg, 100)
			op.FD, op.Flags, op.ControlLen = int32(a), syscall.MSG_WAITALL, 128
			p := start(t, r, op)
			untilWaiting(t, 1)
			write(t, b, "hello")
			untilWaiting(t, 1)
			check(t, syscall.Sendmsg(b, []byte("there"), syscall.UnixRights(a), nil, 0))
			p.wait(t)
			rights, err := syscall.ParseSocketControlMessage(op.Control[:op.ControlLen])
			check(t, err)
			if len(rights) != 1 {
				t.Fatalf("%d control messages", len(rights))
			}
			fds, err := syscall.ParseUnixRights(&rights[0])
			check(t, err)
			keep(t, fds...)
			p.want(t, 10, ctest.Errno)
		})
	}
}

// A datagram waits for room in the receiver's queue, connected or not.
func TestDatagramsWait(t *testing.T) {
	needCoroutines(t)
	for name, r := range runners(t) {
		t.Run(name+"/connected", func(t *testing.T) {
			a, b := pair(t, syscall.SOCK_DGRAM)
			n := fillDatagrams(t, a, nil)
			op := newOp(t, ctest.Send, 5)
			op.FD = int32(a)
			p := start(t, r, op)
			untilWaiting(t, 1)
			for range n {
				readAll(t, b, 1)
			}
			p.want(t, 5, ctest.Errno)
		})
		t.Run(name+"/unconnected", func(t *testing.T) {
			// poll calls the sender ready at any time.
			addr := &syscall.SockaddrUnix{Name: "@seam-netio-datagrams-" + name + time.Now().String()}
			open := func() int {
				s, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
				check(t, err)
				keep(t, s)
				return s
			}
			to, from := open(), open()
			check(t, syscall.Bind(to, addr))
			fillDatagrams(t, from, addr)
			op := newOp(t, ctest.SendTo, 5)
			raw := (*syscall.RawSockaddrUnix)(unsafe.Pointer(&op.Addr))
			raw.Family = syscall.AF_UNIX
			for i := 1; i < len(addr.Name); i++ {
				raw.Path[i] = int8(addr.Name[i])
			}
			op.AddrLen, op.FD = uint32(2+len(addr.Name)), int32(from)
			p := start(t, r, op)
			until(t, "the call has begun", func() bool { return started(op) })
			readAll(t, to, 1)
			p.want(t, 5, ctest.Errno)
		})
	}
}

// fillDatagrams sends bytes until the queue is full, and returns how many.
func fillDatagrams(t *testing.T, fd int, to syscall.Sockaddr) int {
	for n := 0; ; n++ {
		err := syscall.Sendto(fd, []byte{1}, syscall.MSG_DONTWAIT, to)
		if err == syscall.EAGAIN {
			return n
		}
		check(t, err)
	}
}

// One coroutine reads and another writes, by one descriptor.
func TestBothDirections(t *testing.T) {
	const size = 3 << 20
	want := pattern(size)
	onStreams(t, func(t *testing.T, r coro.Runner, open func(*testing.T) (int, int)) {
		a, b := open(t)
		in, out := newOp(t, ctest.Recv, size), newOp(t, ctest.Send, size)
		in.FD, in.Flags, out.FD = int32(a), syscall.MSG_WAITALL, int32(a)
		copy(data(out), want)
		reader, writer := start(t, r, in), start(t, r, out)
		untilWaiting(t, 2)
		same(t, readAll(t, b, size), want)
		writer.want(t, size, ctest.Errno)
		for sent := 0; sent < size; {
			n, err := syscall.Write(b, want[sent:])
			if err == syscall.EINTR {
				continue
			}
			check(t, err)
			sent += n
		}
		reader.want(t, size, ctest.Errno)
		same(t, data(in), want)
	})
}

// Several coroutines wait for one descriptor: each byte is for one of them.
func TestManyReaders(t *testing.T) {
	needCoroutines(t)
	opens := map[string]func(*testing.T) (int, int){"TCP": tcp, "pipe": pipe}
	for name, r := range runners(t) {
		for what, open := range opens {
			t.Run(name+"/"+what, func(t *testing.T) {
				const n = 8
				a, b := open(t)
				var calls []*pending
				for range n {
					op := newOp(t, ctest.Read, 1)
					op.FD = int32(a)
					calls = append(calls, start(t, r, op))
				}
				untilWaiting(t, n)
				var seen [n]int
				for i := range n {
					write(t, b, string(rune(i)))
				}
				for _, p := range calls {
					p.want(t, 1, ctest.Errno)
					seen[data(p.op)[0]]++
				}
				for i, k := range seen {
					if k != 1 {
						t.Errorf("byte %d was read %d times", i, k)
					}
				}
			})
		}
	}
}

// Two coroutines accept on one listener, and one that gets nothing blocks nobody.
func TestManyAccept(t *testing.T) {
	needCoroutines(t)
	for name, r := range runners(t) {
		t.Run(name, func(t *testing.T) {
			l, addr := listener(t, 8)
			first, second := newOp(t, ctest.Accept, 0), newOp(t, ctest.Accept4, 0)
			first.FD, second.FD = int32(l), int32(l)
			a, b := start(t, r, first), start(t, r, second)
			untilWaiting(t, 2)
			check(t, syscall.Connect(socket(t), addr))
			untilWaiting(t, 1)
			check(t, syscall.Connect(socket(t), addr))
			for _, p := range []*pending{a, b} {
				if p.wait(t).Result < 0 {
					t.Errorf("accept: %s", errno(int(p.op.Err)))
				} else {
					keep(t, int(p.op.Result))
				}
			}
		})
	}
}

// sendto with MSG_FASTOPEN connects and then sends.
func TestFastOpen(t *testing.T) {
	needCoroutines(t)
	for name, r := range runners(t) {
		t.Run(name, func(t *testing.T) {
			l, addr := listener(t, 1)
			const fastOpen = 0x20000000
			op := newOp(t, ctest.SendTo, 5)
			copy(data(op), "hello")
			op.FD, op.Flags = int32(socket(t)), fastOpen
			setAddr(op, addr)
			p := start(t, r, op)
			p.wait(t)
			if op.Result < 0 && syscall.Errno(op.Err) == syscall.EOPNOTSUPP {
				t.Skip("no TCP Fast Open here")
			}
			p.want(t, 5, ctest.Errno)
			fd, _, err := syscall.Accept(l)
			check(t, err)
			keep(t, fd)
			if got := string(readAll(t, fd, 5)); got != "hello" {
				t.Errorf("got %q", got)
			}
		})
	}
}
