//go:build cgo && linux && (amd64 || arm64) && !msan

package netio_test

import (
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/netio/internal/ctest"
)

var (
	readers = []int{ctest.Read, ctest.ReadV, ctest.Recv, ctest.RecvFrom, ctest.RecvMsg, ctest.ReadChk, ctest.RecvChk, ctest.RecvFromChk}
	writers = []int{ctest.Write, ctest.WriteV, ctest.Send, ctest.SendTo, ctest.SendMsg}
	pollers = []int{ctest.Poll, ctest.PPoll, ctest.Select, ctest.PSelect, ctest.PollChk, ctest.PPollChk}
	epolls  = []int{ctest.EpollWait, ctest.EpollPWait, ctest.EpollPWait2}
)

// unfortified is the system call behind each function.
var unfortified = map[int32]int32{ctest.ReadChk: ctest.Read, ctest.RecvChk: ctest.Recv, ctest.RecvFromChk: ctest.RecvFrom,
	ctest.PollChk: ctest.Poll, ctest.PPollChk: ctest.PPoll}

func onSockets(kind int) bool {
	return kind != ctest.Read && kind != ctest.ReadV && kind != ctest.Write && kind != ctest.WriteV && kind != ctest.ReadChk
}

// A scenario is a call that does not block. ready is called anew for each way to do
// it, sets what is special, and may return what is to be compared besides.
type scenario struct {
	name  string
	kinds []int
	bytes int
	ready func(t *testing.T, op *ctest.Op) func() any
	// With a signal mask a call tells of signals in coroutines too.
	interrupted bool
}

// on is a ready for a descriptor.
func on(f func(t *testing.T) int) func(*testing.T, *ctest.Op) func() any {
	return func(t *testing.T, op *ctest.Op) func() any {
		op.FD = int32(f(t))
		return nil
	}
}

func closedFD(t *testing.T) int { // a number that is free as long as nobody opens anything
	r, _ := pipe(t)
	const far = 900
	check(t, syscall.Dup3(r, far, syscall.O_CLOEXEC))
	check(t, syscall.Close(far))
	return far
}

func pollScenarios() []scenario {
	fds := func(op *ctest.Op, list ...ctest.PollFD) { op.NFDs = int32(copy(op.FDs[:], list)) }
	numbers := func(op *ctest.Op) func() any {
		return func() any { // descriptors differ from run to run
			for i := range op.FDs {
				op.FDs[i].FD = 0
			}
			return nil
		}
	}
	some := func(t *testing.T, op *ctest.Op) func() any {
		r1, w1 := pipe(t)
		r2, w2 := pipe(t)
		write(t, w2, "x")
		fds(op, ctest.PollFD{FD: int32(r1), Events: 1}, ctest.PollFD{FD: int32(r2), Events: 1}, ctest.PollFD{FD: int32(w1), Events: 4})
		_ = w2
		return numbers(op)
	}
	times := map[string]int64{"at once": 0, "with a timeout": int64(time.Minute), "for ever": -1}
	var list []scenario
	for name, ns := range times {
		list = append(list, scenario{name: "some ready, " + name, kinds: pollers, ready: func(t *testing.T, op *ctest.Op) func() any { op.Timeout = ns; return some(t, op) }})
	}
	none := func(t *testing.T, op *ctest.Op) func() any {
		r1, _ := pipe(t)
		a, _ := pair(t, syscall.SOCK_STREAM)
		fds(op, ctest.PollFD{FD: int32(r1), Events: 1}, ctest.PollFD{FD: int32(a), Events: 3})
		return numbers(op)
	}
	add := func(name string, kinds []int, f func(t *testing.T, op *ctest.Op) func() any) {
		list = append(list, scenario{name: name, kinds: kinds, ready: f})
	}
	add("none, at once", pollers, func(t *testing.T, op *ctest.Op) func() any { op.Timeout = 0; return none(t, op) })
	add("none in time", pollers, func(t *testing.T, op *ctest.Op) func() any { op.Timeout = 3e6; return none(t, op) })
	list = append(list, scenario{name: "none in time, masked", kinds: pollers, interrupted: true,
		ready: func(t *testing.T, op *ctest.Op) func() any { op.Timeout, op.Masked = 3e6, 1; return none(t, op) }})
	add("no descriptors", pollers, func(t *testing.T, op *ctest.Op) func() any { op.Timeout = 3e6; return nil })
	add("hung up", pollers, func(t *testing.T, op *ctest.Op) func() any {
		r, w := pipe(t)
		shut(t, w)
		fds(op, ctest.PollFD{FD: int32(r), Events: 1})
		return numbers(op)
	})
	add("a file", pollers, func(t *testing.T, op *ctest.Op) func() any {
		fds(op, ctest.PollFD{FD: int32(file(t, "")), Events: 1})
		return numbers(op)
	})
	add("closed", pollers, func(t *testing.T, op *ctest.Op) func() any {
		fds(op, ctest.PollFD{FD: int32(closedFD(t)), Events: 1})
		return nil
	})
	add("negative", []int{ctest.Poll, ctest.PPoll, ctest.PollChk}, func(t *testing.T, op *ctest.Op) func() any {
		op.Timeout = 3e6
		fds(op, ctest.PollFD{FD: -1, Events: 1}, ctest.PollFD{FD: -7, Events: 4})
		return nil
	})
	add("more than there can be", []int{ctest.Select, ctest.PSelect}, func(t *testing.T, op *ctest.Op) func() any {
		notEmulated(t, "more descriptors than FD_SETSIZE")
		op.N, op.Timeout = 1<<30, 3e6
		return none(t, op)
	})
	add("beyond FD_SETSIZE", []int{ctest.Select, ctest.PSelect}, func(t *testing.T, op *ctest.Op) func() any {
		notEmulated(t, "sets larger than FD_SETSIZE")
		r, w := pipe(t)
		const far = 5000
		if err := syscall.Dup3(r, far, syscall.O_CLOEXEC); err != nil {
			t.Skip(err)
		}
		keep(t, far)
		write(t, w, "x")
		fds(op, ctest.PollFD{FD: far, Events: 1})
		return numbers(op)
	})
	add("a bad count", []int{ctest.Select, ctest.PSelect}, func(t *testing.T, op *ctest.Op) func() any {
		op.N, op.Timeout = 0xffffffff, 3e6
		return nil
	})
	add("events", epolls, func(t *testing.T, op *ctest.Op) func() any {
		r, w := pipe(t)
		write(t, w, "x")
		op.FD, op.Parts = int32(epoll(t, r)), 8
		return numbers(op)
	})
	add("no events in time", epolls, func(t *testing.T, op *ctest.Op) func() any {
		r, _ := pipe(t)
		op.FD, op.Parts, op.Timeout = int32(epoll(t, r)), 8, 3e6
		return nil
	})
	add("no events at once", epolls, func(t *testing.T, op *ctest.Op) func() any {
		r, _ := pipe(t)
		op.FD, op.Parts, op.Timeout = int32(epoll(t, r)), 8, 0
		return nil
	})
	add("no room for events", epolls, func(t *testing.T, op *ctest.Op) func() any {
		r, _ := pipe(t)
		op.FD, op.Parts = int32(epoll(t, r)), 0
		return nil
	})
	add("no epoll", epolls, func(t *testing.T, op *ctest.Op) func() any {
		r, _ := pipe(t)
		op.FD, op.Parts = int32(r), 8
		return nil
	})
	add("closed epoll", epolls, func(t *testing.T, op *ctest.Op) func() any {
		op.FD, op.Parts = int32(closedFD(t)), 8
		return nil
	})
	return list
}

func otherScenarios() []scenario {
	accepts := []int{ctest.Accept, ctest.Accept4}
	sleeps := []int{ctest.NanoSleep, ctest.ClockNanoSleep}
	connect := func(f func(t *testing.T) (int, *syscall.SockaddrInet4)) func(*testing.T, *ctest.Op) func() any {
		return func(t *testing.T, op *ctest.Op) func() any {
			fd, addr := f(t)
			op.FD = int32(fd)
			setAddr(op, addr)
			return func() any { clear(op.Addr[:]); return nonblocking(t, fd) }
		}
	}
	return []scenario{
		{name: "a connection", kinds: accepts, ready: func(t *testing.T, op *ctest.Op) func() any {
			l, addr := listener(t, 1)
			check(t, syscall.Connect(socket(t), addr))
			op.FD, op.AddrLen = int32(l), 128
			return func() any { keep(t, int(op.Result)); op.Result = 0; clear(op.Addr[:]); return op.AddrLen }
		}},
		{name: "none, non-blocking", kinds: accepts, ready: on(func(t *testing.T) int { l, _ := listener(t, 1); check(t, syscall.SetNonblock(l, true)); return l })},
		{name: "not listening", kinds: accepts, ready: on(socket)},
		{name: "connected", kinds: accepts, ready: on(func(t *testing.T) int { a, _ := tcp(t); return a })},
		{name: "datagrams", kinds: accepts, ready: on(func(t *testing.T) int { a, _ := udp(t); return a })},
		{name: "a pipe", kinds: accepts, ready: on(func(t *testing.T) int { r, _ := pipe(t); return r })},
		{name: "closed", kinds: accepts, ready: on(closedFD)},
		{name: "bad flags", kinds: []int{ctest.Accept4}, ready: func(t *testing.T, op *ctest.Op) func() any {
			l, _ := listener(t, 1)
			check(t, syscall.SetNonblock(l, true))
			op.FD, op.Flags = int32(l), 1<<30
			return nil
		}},
		{name: "a listener", kinds: []int{ctest.Connect}, ready: connect(func(t *testing.T) (int, *syscall.SockaddrInet4) { _, addr := listener(t, 1); return socket(t), addr })},
		{name: "nobody", kinds: []int{ctest.Connect}, ready: connect(func(t *testing.T) (int, *syscall.SockaddrInet4) { return socket(t), unused(t) })},
		{name: "a second time", kinds: []int{ctest.Connect}, ready: connect(func(t *testing.T) (int, *syscall.SockaddrInet4) {
			_, addr := listener(t, 2)
			s := socket(t)
			check(t, syscall.Connect(s, addr))
			return s, addr
		})},
		{name: "a datagram socket", kinds: []int{ctest.Connect}, ready: connect(func(t *testing.T) (int, *syscall.SockaddrInet4) {
			_, addr := udp(t)
			s, _ := udp(t)
			return s, addr
		})},
		{name: "a pipe", kinds: []int{ctest.Connect}, ready: connect(func(t *testing.T) (int, *syscall.SockaddrInet4) { r, _ := pipe(t); return r, &syscall.SockaddrInet4{} })},
		{name: "short address", kinds: []int{ctest.Connect}, ready: func(t *testing.T, op *ctest.Op) func() any {
			op.FD, op.AddrLen = int32(socket(t)), 3
			return nil
		}},
		{name: "a moment", kinds: []int{ctest.NanoSleep, ctest.ClockNanoSleep}, ready: func(t *testing.T, op *ctest.Op) func() any { op.Timeout = 2e6; return nil }},
		{name: "no time", kinds: sleeps, ready: func(t *testing.T, op *ctest.Op) func() any { op.Timeout = 0; return nil }},
		{name: "until then", kinds: []int{ctest.ClockNanoSleep}, ready: func(t *testing.T, op *ctest.Op) func() any {
			op.Clock, op.Flags, op.Timeout = 0, 1, time.Now().Add(5*time.Millisecond).UnixNano()
			return func() any { return time.Now().UnixNano() >= op.Timeout }
		}},
		{name: "long ago", kinds: []int{ctest.ClockNanoSleep}, ready: func(t *testing.T, op *ctest.Op) func() any { op.Clock, op.Flags, op.Timeout = 1, 1, 1; return nil }},
		{name: "no such clock", kinds: []int{ctest.ClockNanoSleep}, ready: func(t *testing.T, op *ctest.Op) func() any { op.Clock, op.Timeout = 77, 1; return nil }},
		{name: "bad time", kinds: sleeps, ready: func(t *testing.T, op *ctest.Op) func() any {
			notEmulated(t, "the check of a time")
			op.Timeout = -1
			return nil
		}},
		{name: "open", kinds: []int{ctest.Close}, ready: func(t *testing.T, op *ctest.Op) func() any {
			r, _ := pipe(t)
			disown(r)
			op.FD = int32(r)
			return func() any { return isOpen(r) }
		}},
		{name: "closed", kinds: []int{ctest.Close}, ready: on(closedFD)},
		{name: "to a free one", kinds: []int{ctest.Dup2, ctest.Dup3}, ready: func(t *testing.T, op *ctest.Op) func() any {
			op.FD2 = int32(closedFD(t))
			r, _ := pipe(t)
			op.FD = int32(r)
			return func() any { keep(t, int(op.FD2)); return isOpen(int(op.FD2)) }
		}},
		{name: "to itself", kinds: []int{ctest.Dup2, ctest.Dup3}, ready: func(t *testing.T, op *ctest.Op) func() any {
			fd, _ := pipe(t)
			check(t, syscall.Dup3(fd, 901, syscall.O_CLOEXEC))
			keep(t, 901)
			op.FD, op.FD2 = 901, 901
			return nil
		}},
		{name: "of a closed one", kinds: []int{ctest.Dup2, ctest.Dup3}, ready: func(t *testing.T, op *ctest.Op) func() any {
			r, _ := pipe(t)
			check(t, syscall.Dup3(r, 901, syscall.O_CLOEXEC))
			keep(t, 901)
			op.FD, op.FD2 = int32(closedFD(t)), 901
			return func() any { return isOpen(901) }
		}},
		{name: "bad flags", kinds: []int{ctest.Dup3}, ready: func(t *testing.T, op *ctest.Op) func() any {
			r, _ := pipe(t)
			check(t, syscall.Dup3(r, 901, syscall.O_CLOEXEC))
			keep(t, 901)
			op.FD, op.FD2, op.Flags = int32(r), 901, 1
			return func() any { return isOpen(901) }
		}},
	}
}

// outcome is what is compared.
type outcome struct {
	Result, Err, AddrLen, ControlLen, MsgFlags int64
	LeftSaid                                   bool
	Data, Addr, Control                        string
	FDs                                        [8]ctest.PollFD
	Besides                                    any
}

// missing reports whether the kernel does not know a function that is newer than others.
func missing(t *testing.T, kind int) bool {
	if kind != ctest.EpollPWait2 {
		return false
	}
	op := newOp(t, kind, 0)
	op.FD = -1
	op.Plain()
	return op.Err == int32(syscall.ENOSYS)
}

// notEmulated skips what qemu does otherwise than Linux.
func notEmulated(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("SEAM_TEST_EMULATOR") != "" {
		t.Skip("the emulator differs in ", what)
	}
}

// outside is the outcome of a call that a signal of Go's may interrupt: then it is
// made anew.
func (s *scenario) outside(t *testing.T, kind int, do func(*ctest.Op)) outcome {
	for {
		o := s.outcome(t, kind, do)
		if o.Err != int64(syscall.EINTR) && !(kind == ctest.ClockNanoSleep && o.Result == int64(syscall.EINTR)) {
			return o
		}
	}
}

func (s *scenario) outcome(t *testing.T, kind int, do func(*ctest.Op)) outcome {
	op := newOp(t, kind, s.bytes)
	besides := s.ready(t, op)
	do(op)
	var o outcome
	if besides != nil {
		o.Besides = besides()
	}
	o.Result, o.Err, o.AddrLen, o.ControlLen, o.MsgFlags = op.Result, int64(op.Err), int64(op.AddrLen), int64(op.ControlLen), int64(op.MsgFlags)
	o.LeftSaid = op.Left >= 0
	if op.Buf != nil && op.N <= 1000 {
		o.Data = string(data(op))
	}
	if op.AddrLen < 100 && op.AddrLen > 0 && kind != ctest.RecvFrom && kind != ctest.RecvFromChk && kind != ctest.RecvMsg {
		o.Addr = string(op.Addr[:op.AddrLen])
	}
	o.Control = strings.TrimRight(string(op.Control[:]), "\x00")
	o.FDs = op.FDs
	return o
}

// Where a call would not wait, it does the same through netio, outside of
// coroutines and inside, as the system call.
func TestSameAsLibc(t *testing.T) {
	ways := map[string]func(*ctest.Op){}
	if coro.Status().Path == coro.PathAssembly {
		for name, r := range runners(t) {
			ways[name] = func(op *ctest.Op) { call(t, r, op) }
		}
	}
	for _, group := range []struct {
		name string
		list []scenario
	}{{"reading", readScenarios()}, {"writing", writeScenarios()}, {"polling", pollScenarios()}, {"others", otherScenarios()}} {
		for _, s := range group.list {
			for _, kind := range s.kinds {
				t.Run(group.name+"/"+ctest.Names[kind]+"/"+s.name, func(t *testing.T) {
					want := s.outside(t, kind, func(op *ctest.Op) {
						if plain, ok := unfortified[op.Kind]; ok {
							op.Kind = plain
						}
						op.Raw()
					})
					if missing(t, kind) {
						t.Skip("the kernel has no ", ctest.Names[kind])
					}
					if got := s.outside(t, kind, (*ctest.Op).Plain); !reflect.DeepEqual(got, want) {
						t.Errorf("outside: %+v\nthe system call: %+v", got, want)
					}
					for way, do := range ways {
						get := s.outcome
						if s.interrupted {
							get = s.outside
						}
						if got := get(t, kind, do); !reflect.DeepEqual(got, want) {
							t.Errorf("%s: %+v\nthe system call: %+v", way, got, want)
						}
					}
				})
			}
		}
	}
}

func udp(t *testing.T) (int, *syscall.SockaddrInet4) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	check(t, err)
	keep(t, fd)
	check(t, syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	addr, err := syscall.Getsockname(fd)
	check(t, err)
	return fd, addr.(*syscall.SockaddrInet4)
}

// resetTCP returns the end of a connection that the other end has reset.
func resetTCP(t *testing.T) int {
	a, b := tcp(t)
	reset(t, b)
	return a
}

// reset ends a connection so that the other end gets ECONNRESET.
func reset(t *testing.T, fd int) {
	check(t, syscall.SetsockoptLinger(fd, syscall.SOL_SOCKET, syscall.SO_LINGER, &syscall.Linger{Onoff: 1}))
	shut(t, fd)
}

// unused is an address where nobody listens.
func unused(t *testing.T) *syscall.SockaddrInet4 {
	l, addr := listener(t, 1)
	shut(t, l)
	return addr
}

func eventFD(t *testing.T, n uint64) int {
	fd, _, e := syscall.Syscall(syscall.SYS_EVENTFD2, uintptr(n), syscall.O_CLOEXEC, 0)
	if e != 0 {
		t.Fatal(e)
	}
	keep(t, int(fd))
	return int(fd)
}

func epoll(t *testing.T, fd int) int {
	ep, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	check(t, err)
	keep(t, ep)
	check(t, syscall.EpollCtl(ep, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}))
	return ep
}

func isOpen(fd int) bool {
	_, _, e := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0)
	return e == 0
}

func nonblocking(t *testing.T, fd int) bool {
	flags, _, e := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFL, 0)
	if e != 0 {
		t.Fatal(e)
	}
	return flags&syscall.O_NONBLOCK != 0
}
