//go:build cgo && linux && (amd64 || arm64) && !msan

package netio_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	_ "github.com/seamgo/seam/coro/netio"
	"github.com/seamgo/seam/coro/netio/internal/ctest"
)

// patience is how long a test waits for what must come. Go may take a minute or two to
// stop the world while C runs; see docs/design/offload.md.
const patience = 150 * time.Second

// needCoroutines skips where netio is inactive.
func needCoroutines(t *testing.T) {
	t.Helper()
	if coro.Status().Path != coro.PathAssembly {
		t.Skip(coro.Status())
	}
}

// runners are the ways to run a coroutine.
func runners(t *testing.T) map[string]coro.Runner {
	return map[string]coro.Runner{"locked": coro.Locked, "floating": coro.Floating, "executor": executor(t)}
}

// executor returns an executor whose calls all run on its own threads.
func executor(t *testing.T) coro.Runner {
	t.Helper()
	e, err := coro.NewExecutor(coro.ExecutorOptions{Inline: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e.Runner()
}

// newOp returns an Op that is freed at the end of the test.
func newOp(t *testing.T, kind int, n int) *ctest.Op {
	op := ctest.New(n)
	op.Kind = int32(kind)
	t.Cleanup(op.Free)
	return op
}

func data(op *ctest.Op) []byte { return unsafe.Slice((*byte)(op.Buf), op.N) }

// call does op in a coroutine.
func call(t *testing.T, r coro.Runner, op *ctest.Op) {
	t.Helper()
	if _, err := r.Call(t.Context(), ctest.Fn, unsafe.Pointer(op)); err != nil {
		t.Errorf("%s: %v", ctest.Names[op.Kind], err)
	}
}

// A pending is an Op that a coroutine is at.
type pending struct {
	op     *ctest.Op
	cancel context.CancelCauseFunc
	ended  chan struct{}
	err    error // of the call
}

var errTest = fmt.Errorf("the test says so")

// start does op in a coroutine, on a goroutine of its own.
func start(t *testing.T, r coro.Runner, op *ctest.Op) *pending {
	ctx, cancel := context.WithCancelCause(t.Context())
	p := &pending{op: op, cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		_, p.err = r.Call(ctx, ctest.Fn, unsafe.Pointer(op))
	}()
	// Ended before the Op is freed and the executor closed.
	t.Cleanup(func() { cancel(errTest); <-p.ended })
	return p
}

// wait returns when the call has.
func (p *pending) wait(t *testing.T) *ctest.Op {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatalf("%s does not return", ctest.Names[p.op.Kind])
	}
	return p.op
}

// want waits and checks the result and errno.
func (p *pending) want(t *testing.T, result int64, err int) {
	t.Helper()
	p.wait(t)
	want(t, p.op, result, err)
}

func want(t *testing.T, op *ctest.Op, result int64, err int) {
	t.Helper()
	if op.Result != result || int(op.Err) != err {
		t.Errorf("%s returned %d, errno %s; want %d, %s", ctest.Names[op.Kind], op.Result, errno(int(op.Err)), result, errno(err))
	}
}

func errno(e int) string {
	if e == ctest.Errno {
		return "untouched"
	}
	return syscall.Errno(e).Error()
}

// until waits for a condition.
func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in %v: %s", patience, what)
		}
	}
}

// untilWaiting waits until so many coroutines wait for descriptors.
func untilWaiting(t *testing.T, n int) {
	t.Helper()
	until(t, fmt.Sprintf("%d coroutines wait", n), func() bool { return coro.ReadStats().Waiting == n })
}

func started(op *ctest.Op) bool { return atomic.LoadInt32(&op.Started) != 0 }

// ---- descriptors

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ours are the descriptors that tests have open, with a token each: the number of
// one that is closed may be somebody else's at the end of the test.
var ours struct {
	sync.Mutex
	tokens map[int]*byte
}

// keep closes descriptors at the end of the test, unless shut or disown did.
func keep(t *testing.T, fds ...int) {
	for _, fd := range fds {
		token := new(byte)
		ours.Lock()
		if ours.tokens == nil {
			ours.tokens = map[int]*byte{}
		}
		ours.tokens[fd] = token
		ours.Unlock()
		t.Cleanup(func() {
			ours.Lock()
			mine := ours.tokens[fd] == token
			ours.Unlock()
			if mine {
				shut(t, fd)
			}
		})
	}
}

// disown forgets a descriptor that is closed otherwise.
func disown(fd int) {
	ours.Lock()
	delete(ours.tokens, fd)
	ours.Unlock()
}

// shut closes a descriptor.
func shut(t *testing.T, fd int) {
	t.Helper()
	disown(fd)
	check(t, syscall.Close(fd))
}

// pipe returns a pipe, closed at the end.
func pipe(t *testing.T) (r, w int) {
	var fds [2]int
	check(t, syscall.Pipe2(fds[:], syscall.O_CLOEXEC))
	keep(t, fds[:]...)
	return fds[0], fds[1]
}

func pair(t *testing.T, kind int) (a, b int) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, kind|syscall.SOCK_CLOEXEC, 0)
	check(t, err)
	keep(t, fds[:]...)
	return fds[0], fds[1]
}

// file returns a file with the text in it, and its offset at the start.
func file(t *testing.T, text string) int {
	name := t.TempDir() + "/file"
	check(t, os.WriteFile(name, []byte(text), 0o600))
	fd, err := syscall.Open(name, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	check(t, err)
	keep(t, fd)
	return fd
}

// pty returns a terminal: what is written to master is typed at slave.
func pty(t *testing.T) (master, slave int) {
	master, err := syscall.Open("/dev/ptmx", syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	keep(t, master)
	var unlock, n int32
	for _, c := range []struct {
		request uintptr
		arg     *int32
	}{{syscall.TIOCSPTLCK, &unlock}, {syscall.TIOCGPTN, &n}} {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(master), c.request, uintptr(unsafe.Pointer(c.arg))); e != 0 {
			t.Skip("no terminals here: ", e)
		}
	}
	slave, err = syscall.Open(fmt.Sprintf("/dev/pts/%d", n), syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NOCTTY, 0)
	check(t, err)
	keep(t, slave)
	return master, slave
}

// socket returns a TCP socket.
func socket(t *testing.T) int {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	check(t, err)
	keep(t, fd)
	return fd
}

// listener returns a listening TCP socket and its address.
func listener(t *testing.T, backlog int) (int, *syscall.SockaddrInet4) {
	fd := socket(t)
	check(t, syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	check(t, syscall.Listen(fd, backlog))
	addr, err := syscall.Getsockname(fd)
	check(t, err)
	return fd, addr.(*syscall.SockaddrInet4)
}

// tcp returns the two ends of a TCP connection, whose buffers don't grow.
func tcp(t *testing.T) (a, b int) {
	l, addr := listener(t, 1)
	a = socket(t)
	for _, fd := range []int{l, a} { // the accepted one has those of the listener
		check(t, syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_SNDBUF, 64<<10))
		check(t, syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_RCVBUF, 64<<10))
	}
	check(t, syscall.Connect(a, addr))
	b, _, err := syscall.Accept(l)
	check(t, err)
	keep(t, b)
	return a, b
}

// setAddr sets the address of an Op.
func setAddr(op *ctest.Op, addr *syscall.SockaddrInet4) {
	raw := (*syscall.RawSockaddrInet4)(unsafe.Pointer(&op.Addr))
	raw.Family = syscall.AF_INET
	raw.Addr = addr.Addr
	raw.Port = uint16(addr.Port>>8 | addr.Port<<8)
	op.AddrLen = syscall.SizeofSockaddrInet4
}

func write(t *testing.T, fd int, text string) {
	t.Helper()
	n, err := syscall.Write(fd, []byte(text))
	if err != nil || n != len(text) {
		t.Fatalf("write: %d, %v", n, err)
	}
}

// readAll reads n bytes.
func readAll(t *testing.T, fd int, n int) []byte {
	t.Helper()
	buf := make([]byte, n)
	for got := 0; got < n; {
		m, err := syscall.Read(fd, buf[got:])
		if err == syscall.EINTR {
			continue
		}
		if err != nil || m == 0 {
			t.Fatalf("read %d bytes, then %d, %v", got, m, err)
		}
		got += m
	}
	return buf
}

// pattern is data that shows when a part is missing or twice.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i>>16*7 + i>>8*3 + i)
	}
	return b
}

func same(t *testing.T, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes differ from the %d that were sent", len(got), len(want))
	}
}

// threads is how many the process has.
func threads(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/task")
	check(t, err)
	return len(list)
}

func timeout(t *testing.T, fd, option int, d time.Duration) {
	tv := syscall.NsecToTimeval(int64(d))
	check(t, syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, option, &tv))
}
