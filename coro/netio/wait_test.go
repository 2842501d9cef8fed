//go:build cgo && linux && (amd64 || arm64) && !msan

package netio_test

import (
	"errors"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/netio/internal/ctest"
	"github.com/seamgo/seam/internal/child"
)

// A blocked is a call that waits until release, and what it returns then.
type blocked struct {
	name    string
	kind    int
	prepare func(t *testing.T, op *ctest.Op) (release func())
	result  int64 // accept: any descriptor
}

// waits has every function that waits for descriptors, on each kind of them.
func waits() []blocked {
	var list []blocked
	reading := func(name string, kind int, open func(t *testing.T) (int, int)) {
		list = append(list, blocked{name, kind, func(t *testing.T, op *ctest.Op) func() {
			a, b := open(t)
			op.FD = int32(a)
			return func() { write(t, b, "hello") }
		}, 5})
	}
	stream := func(t *testing.T) (int, int) { return pair(t, syscall.SOCK_STREAM) }
	for _, kind := range readers {
		reading("a stream", kind, stream)
		reading("TCP", kind, tcp)
		reading("a datagram", kind, func(t *testing.T) (int, int) { return pair(t, syscall.SOCK_DGRAM) })
		reading("a record", kind, func(t *testing.T) (int, int) { return pair(t, syscall.SOCK_SEQPACKET) })
		if !onSockets(kind) {
			reading("a pipe", kind, pipe)
			reading("a terminal", kind, func(t *testing.T) (int, int) { m, s := pty(t); return m, s })
		}
	}
	writing := func(name string, kind int, open func(t *testing.T) (int, int)) {
		list = append(list, blocked{name, kind, func(t *testing.T, op *ctest.Op) func() {
			a, b := open(t)
			n := fill(t, b)
			op.FD, op.Parts = int32(b), 2
			copy(data(op), "hello")
			return func() { readAll(t, a, n+5) }
		}, 5})
	}
	for _, kind := range writers {
		writing("a stream", kind, stream) // TCP may find room again by itself
		if !onSockets(kind) {
			writing("a pipe", kind, pipe)
		}
	}
	for _, kind := range pollers {
		list = append(list, blocked{"two pipes", kind, func(t *testing.T, op *ctest.Op) func() {
			r1, _ := pipe(t)
			r2, w2 := pipe(t)
			op.FDs[0], op.FDs[1], op.NFDs = ctest.PollFD{FD: int32(r1), Events: 1}, ctest.PollFD{FD: int32(r2), Events: 1}, 2
			return func() { write(t, w2, "x") }
		}, 1}, blocked{"a pipe with a timeout", kind, func(t *testing.T, op *ctest.Op) func() {
			r, w := pipe(t)
			op.FDs[0], op.NFDs, op.Timeout = ctest.PollFD{FD: int32(r), Events: 1}, 1, int64(time.Hour)
			return func() { write(t, w, "x") }
		}, 1}, blocked{"urgent data", kind, func(t *testing.T, op *ctest.Op) func() {
			a, b := tcp(t)
			op.FDs[0], op.NFDs = ctest.PollFD{FD: int32(a), Events: 2}, 1
			return func() { check(t, syscall.Sendto(b, []byte("x"), syscall.MSG_OOB, nil)) }
		}, 1})
	}
	for _, kind := range epolls {
		list = append(list, blocked{"a pipe", kind, func(t *testing.T, op *ctest.Op) func() {
			r, w := pipe(t)
			op.FD, op.Parts = int32(epoll(t, r)), 8
			return func() { write(t, w, "x") }
		}, 1})
	}
	for _, kind := range []int{ctest.Accept, ctest.Accept4} {
		list = append(list, blocked{"TCP", kind, func(t *testing.T, op *ctest.Op) func() {
			l, addr := listener(t, 1)
			op.FD, op.AddrLen = int32(l), 128
			return func() { check(t, syscall.Connect(socket(t), addr)) }
		}, 0})
	}
	return list
}

// fill writes until nothing more fits, and returns how much it was.
func fill(t *testing.T, fd int) int {
	t.Helper()
	check(t, syscall.SetNonblock(fd, true))
	sum := 0
	for size := 64 << 10; size > 0; {
		n, err := syscall.Write(fd, make([]byte, size))
		if err == syscall.EAGAIN {
			size /= 2
		} else {
			check(t, err)
			sum += n
		}
	}
	check(t, syscall.SetNonblock(fd, false))
	return sum
}

// op returns an Op for the call.
func (b *blocked) op(t *testing.T) *ctest.Op {
	if slices.Contains(readers, b.kind) || slices.Contains(writers, b.kind) {
		return newOp(t, b.kind, 5)
	}
	return newOp(t, b.kind, 0)
}

// begin starts the call in a coroutine and returns when it waits.
func (b *blocked) begin(t *testing.T, r coro.Runner) (p *pending, release func()) {
	op := b.op(t)
	release = b.prepare(t, op)
	before := coro.ReadStats().Waiting
	p = start(t, r, op)
	untilWaiting(t, before+1)
	return p, release
}

func (b *blocked) check(t *testing.T, p *pending) {
	t.Helper()
	if b.kind == ctest.Accept || b.kind == ctest.Accept4 {
		if p.wait(t).Result >= 0 {
			keep(t, int(p.op.Result))
			p.op.Result = 0
		}
	}
	p.want(t, b.result, ctest.Errno)
	if p.err != nil {
		t.Error(p.err)
	}
}

func each(t *testing.T, f func(t *testing.T, r coro.Runner, b *blocked)) {
	needCoroutines(t)
	for name, r := range runners(t) {
		for _, b := range waits() {
			t.Run(name+"/"+ctest.Names[b.kind]+"/"+b.name, func(t *testing.T) { f(t, r, &b) })
		}
	}
}

func TestWaits(t *testing.T) {
	each(t, func(t *testing.T, r coro.Runner, b *blocked) {
		p, release := b.begin(t, r)
		release()
		b.check(t, p)
	})
}

func TestCancel(t *testing.T) {
	each(t, func(t *testing.T, r coro.Runner, b *blocked) {
		p, _ := b.begin(t, r)
		p.cancel(errTest)
		p.want(t, -1, int(syscall.ECANCELED))
		if !errors.Is(p.err, errTest) {
			t.Errorf("the call's error is %v", p.err)
		}
	})
}

// Others close the descriptor that is waited for.
func TestCloseWhileWaiting(t *testing.T) {
	each(t, func(t *testing.T, r coro.Runner, b *blocked) {
		op := b.op(t)
		b.prepare(t, op)
		fd := op.FD
		if op.NFDs > 0 {
			fd = op.FDs[op.NFDs-1].FD
		}
		before := coro.ReadStats().Waiting
		p := start(t, r, op)
		untilWaiting(t, before+1)
		closer := newOp(t, ctest.Close, 0)
		closer.FD = fd
		disown(int(fd))
		closer.Plain()
		p.wait(t)
		if op.NFDs > 0 && op.Result == 1 && op.FDs[op.NFDs-1].Revents == 0x20 {
			return // POLLNVAL says the same
		}
		p.want(t, -1, int(syscall.EBADF))
		if p.err != nil {
			t.Errorf("the call's error is %v", p.err)
		}
	})
}

// The number gets another file.
func TestReplaceWhileWaiting(t *testing.T) {
	needCoroutines(t)
	for name, r := range runners(t) {
		for _, kind := range []int{ctest.Dup2, ctest.Dup3} {
			t.Run(name+"/"+ctest.Names[kind], func(t *testing.T) {
				a, _ := pair(t, syscall.SOCK_STREAM)
				op := newOp(t, ctest.Recv, 5)
				op.FD = int32(a)
				p := start(t, r, op)
				untilWaiting(t, 1)
				other, _ := pipe(t)
				replace := newOp(t, kind, 0)
				replace.FD, replace.FD2 = int32(other), int32(a)
				replace.Plain()
				want(t, replace, int64(a), ctest.Errno)
				p.want(t, -1, int(syscall.EBADF))
			})
		}
	}
}

// A second descriptor of the same socket is not what was closed.
func TestCloseOfDuplicate(t *testing.T) {
	needCoroutines(t)
	for name, r := range runners(t) {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, syscall.SOCK_STREAM)
			second, err := syscall.Dup(a)
			check(t, err)
			op := newOp(t, ctest.Recv, 5)
			op.FD = int32(a)
			p := start(t, r, op)
			untilWaiting(t, 1)
			closer := newOp(t, ctest.Close, 0)
			closer.FD = int32(second)
			closer.Plain()
			write(t, b, "hello")
			p.want(t, 5, ctest.Errno)
		})
	}
}

// Signals end no wait.
func TestSignalsWhileWaiting(t *testing.T) {
	each(t, func(t *testing.T, r coro.Runner, b *blocked) {
		p, release := b.begin(t, r)
		for range 3 {
			tasks, err := os.ReadDir("/proc/self/task")
			check(t, err)
			for _, task := range tasks {
				var id int
				for _, c := range task.Name() {
					id = id*10 + int(c-'0')
				}
				syscall.Tgkill(os.Getpid(), id, syscall.SIGURG) // the thread may have ended
			}
		}
		release()
		b.check(t, p)
	})
}

// Many wait, and threads don't.
func TestWaitsHoldNoThread(t *testing.T) {
	needCoroutines(t)
	const which = "SEAM_TEST_NETIO_THREADS"
	if os.Getenv(which) == "" { // a process whose threads are counted has no others from other tests
		for _, name := range []string{"floating", "executor"} {
			// On a busy machine Go has a few more threads, for calls that take long: not each time.
			least := math.MaxInt
			for try := 0; try < 5 && least > runtime.GOMAXPROCS(0)+8; try++ {
				cmd := child.Self(t, "-test.run=^TestWaitsHoldNoThread$", "-test.count=1", "-test.v")
				cmd.Env = append(os.Environ(), which+"="+name)
				out, err := cmd.CombinedOutput()
				found := regexp.MustCompile(`(\d+) threads`).FindSubmatch(out)
				if err != nil || found == nil {
					t.Fatalf("%s: %v\n%s", name, err, out)
				}
				n, err := strconv.Atoi(string(found[1]))
				check(t, err)
				least = min(least, n)
			}
			if least > runtime.GOMAXPROCS(0)+8 {
				t.Errorf("%s: many coroutines wait and there are %d threads", name, least)
			}
		}
		return
	}
	const most = 200
	r := coro.Floating
	if os.Getenv(which) == "executor" {
		r = executor(t)
	}
	kinds := waits()
	var calls []*pending
	var release []func()
	for i := range most {
		op := kinds[i%len(kinds)].op(t)
		release = append(release, kinds[i%len(kinds)].prepare(t, op))
		calls = append(calls, start(t, r, op))
	}
	defer func() {
		if t.Failed() {
			for _, p := range calls {
				select {
				case <-p.ended:
					t.Logf("%s ended: %d, errno %s, %v", ctest.Names[p.op.Kind], p.op.Result, errno(int(p.op.Err)), p.err)
				default:
				}
			}
			t.Logf("waiting: %d", coro.ReadStats().Waiting)
		}
	}()
	untilWaiting(t, most)
	t.Logf("%d threads", threads(t)) // for the process that asks
	for i, p := range calls {
		release[i]()
		kinds[i%len(kinds)].check(t, p)
	}
}

// Sleeping coroutines hold no thread either, and are woken by cancellation.
func TestSleeps(t *testing.T) {
	needCoroutines(t)
	const hour = int64(time.Hour)
	for name, r := range runners(t) {
		for _, kind := range []int{ctest.NanoSleep, ctest.ClockNanoSleep, ctest.USleep, ctest.Sleep} {
			t.Run(name+"/"+ctest.Names[kind], func(t *testing.T) {
				short := newOp(t, kind, 0)
				short.Timeout = int64(2 * time.Millisecond)
				if kind == ctest.Sleep {
					short.Timeout = int64(time.Second)
				}
				begin := time.Now()
				call(t, r, short)
				want(t, short, 0, ctest.Errno)
				if took := time.Since(begin); took < time.Duration(short.Timeout) {
					t.Errorf("slept %v of %v", took, time.Duration(short.Timeout))
				}
				long := newOp(t, kind, 0)
				long.Timeout = hour
				p := start(t, r, long)
				until(t, "the call has begun", func() bool { return started(long) })
				p.cancel(errTest)
				p.wait(t)
				switch kind {
				case ctest.NanoSleep:
					p.want(t, -1, int(syscall.EINTR))
				case ctest.ClockNanoSleep:
					p.want(t, int64(syscall.EINTR), ctest.Errno)
				case ctest.USleep:
					p.want(t, -1, int(syscall.EINTR))
				case ctest.Sleep:
					if long.Result < 3500 || long.Result > 3600 {
						t.Errorf("sleep says that %d seconds are left", long.Result)
					}
				}
				if kind != ctest.USleep && kind != ctest.Sleep && (long.Left <= 0 || long.Left > hour) {
					t.Errorf("%v left", time.Duration(long.Left))
				}
			})
		}
	}
}

// Calls that sleep again when they were interrupted end all the same.
func TestSleepInLostCall(t *testing.T) {
	needCoroutines(t)
	for name, r := range runners(t) {
		for kind, err := range map[int]int{ctest.NanoSleep: int(syscall.ECANCELED), ctest.USleep: int(syscall.ECANCELED), ctest.Sleep: ctest.Errno, ctest.ClockNanoSleep: ctest.Errno} {
			t.Run(name+"/"+ctest.Names[kind], func(t *testing.T) {
				op := newOp(t, kind, 0)
				op.Timeout, op.Again = int64(time.Hour), 1
				p := start(t, r, op)
				until(t, "the call has begun", func() bool { return started(op) })
				p.cancel(errTest)
				result := map[int]int64{ctest.NanoSleep: -1, ctest.USleep: -1, ctest.ClockNanoSleep: int64(syscall.ECANCELED)}[kind]
				p.want(t, result, err)
				if !errors.Is(p.err, errTest) {
					t.Errorf("the call's error is %v", p.err)
				}
			})
		}
	}
}

// Timeouts of sockets are those of libc.
func TestSocketTimeouts(t *testing.T) {
	needCoroutines(t)
	for name, r := range runners(t) {
		for _, kind := range readers {
			t.Run(name+"/"+ctest.Names[kind], func(t *testing.T) {
				a, _ := pair(t, syscall.SOCK_STREAM)
				timeout(t, a, syscall.SO_RCVTIMEO, 3*time.Millisecond)
				op := newOp(t, kind, 5)
				op.FD = int32(a)
				start(t, r, op).want(t, -1, int(syscall.EAGAIN))
			})
		}
		for _, kind := range writers {
			t.Run(name+"/"+ctest.Names[kind], func(t *testing.T) {
				a, _ := pair(t, syscall.SOCK_STREAM)
				fill(t, a)
				timeout(t, a, syscall.SO_SNDTIMEO, 3*time.Millisecond)
				op := newOp(t, kind, 5)
				op.FD = int32(a)
				start(t, r, op).want(t, -1, int(syscall.EAGAIN))
			})
		}
		t.Run(name+"/part", func(t *testing.T) {
			a, _ := pair(t, syscall.SOCK_STREAM)
			timeout(t, a, syscall.SO_SNDTIMEO, 3*time.Millisecond)
			op := newOp(t, ctest.Send, 8<<20)
			op.FD = int32(a)
			p := start(t, r, op)
			if n := p.wait(t).Result; n <= 0 || n >= 8<<20 || op.Err != ctest.Errno {
				t.Errorf("send returned %d, errno %s", n, errno(int(op.Err)))
			}
		})
		t.Run(name+"/accept", func(t *testing.T) {
			l, _ := listener(t, 1)
			timeout(t, l, syscall.SO_RCVTIMEO, 3*time.Millisecond)
			op := newOp(t, ctest.Accept, 0)
			op.FD = int32(l)
			start(t, r, op).want(t, -1, int(syscall.EAGAIN))
		})
		t.Run(name+"/connect", func(t *testing.T) {
			s := socket(t)
			timeout(t, s, syscall.SO_SNDTIMEO, 3*time.Millisecond)
			op := newOp(t, ctest.Connect, 0)
			op.FD = int32(s)
			setAddr(op, busyListener(t))
			start(t, r, op).want(t, -1, int(syscall.EINPROGRESS))
			if nonblocking(t, s) {
				t.Error("the socket is non-blocking now")
			}
		})
	}
}

// busyListener is an address whose listener takes no more connections: who connects
// waits.
func busyListener(t *testing.T) *syscall.SockaddrInet4 {
	_, addr := listener(t, 0)
	for range 3 {
		s := socket(t)
		check(t, syscall.SetNonblock(s, true))
		if err := syscall.Connect(s, addr); err != nil && err != syscall.EINPROGRESS {
			t.Fatal(err)
		}
	}
	return addr
}

func TestConnectWaits(t *testing.T) {
	needCoroutines(t)
	for name, r := range runners(t) {
		t.Run(name+"/cancelled", func(t *testing.T) {
			op := newOp(t, ctest.Connect, 0)
			op.FD = int32(socket(t))
			setAddr(op, busyListener(t))
			p := start(t, r, op)
			untilWaiting(t, 1)
			p.cancel(errTest)
			p.want(t, -1, int(syscall.ECANCELED))
			if nonblocking(t, int(op.FD)) {
				t.Error("the socket is non-blocking now")
			}
		})
		t.Run(name+"/full queue of a local listener", func(t *testing.T) {
			addr := &syscall.SockaddrUnix{Name: "@seam-netio-" + name + time.Now().String()}
			l, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
			check(t, err)
			keep(t, l)
			check(t, syscall.Bind(l, addr))
			check(t, syscall.Listen(l, 0))
			local := func() int {
				s, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
				check(t, err)
				keep(t, s)
				return s
			}
			for err == nil {
				s := local()
				check(t, syscall.SetNonblock(s, true))
				err = syscall.Connect(s, addr)
			}
			op := newOp(t, ctest.Connect, 0)
			raw := (*syscall.RawSockaddrUnix)(unsafe.Pointer(&op.Addr))
			raw.Family = syscall.AF_UNIX
			for i := 1; i < len(addr.Name); i++ {
				raw.Path[i] = int8(addr.Name[i])
			}
			op.AddrLen = uint32(2 + len(addr.Name))
			op.FD = int32(local())
			p := start(t, r, op)
			until(t, "the call has begun", func() bool { return started(op) })
			fd, _, err := syscall.Accept(l)
			check(t, err)
			keep(t, fd)
			p.want(t, 0, ctest.Errno)
			timed := newOp(t, ctest.Connect, 0)
			timed.Addr, timed.AddrLen = op.Addr, op.AddrLen
			timed.FD = int32(local())
			timeout(t, int(timed.FD), syscall.SO_SNDTIMEO, 3*time.Millisecond)
			start(t, r, timed).want(t, -1, int(syscall.EAGAIN))
		})
	}
}

// getaddrinfo runs elsewhere, with the same result.
func TestGetAddrInfo(t *testing.T) {
	outside := newOp(t, ctest.GetAddrInfo, 64)
	copy(data(outside), "127.0.0.1")
	outside.Plain()
	if outside.Result != 0 || outside.Addr[4] != 127 {
		t.Errorf("outside: %d, %v", outside.Result, outside.Addr[:16])
	}
	needCoroutines(t)
	for name, r := range runners(t) {
		t.Run(name, func(t *testing.T) {
			op := newOp(t, ctest.GetAddrInfo, 64)
			copy(data(op), "127.0.0.1")
			call(t, r, op)
			want(t, op, 0, ctest.Errno)
			if op.Addr != outside.Addr {
				t.Errorf("%v, outside %v", op.Addr[:16], outside.Addr[:16])
			}
			bad := newOp(t, ctest.GetAddrInfo, 64)
			copy(data(bad), "no number")
			bad.Flags = 4 // AI_NUMERICHOST
			call(t, r, bad)
			want(t, bad, -2, ctest.Errno) // EAI_NONAME
		})
	}
}
