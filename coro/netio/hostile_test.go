//go:build cgo && linux && (amd64 || arm64) && !msan

package netio_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/netio/internal/ctest"
	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
)

// Whatever happens to descriptors, signals and processes at the same time, every call ends,
// with a result that it may have, and nothing is left behind.
func TestHostileSurroundings(t *testing.T) {
	needCoroutines(t)
	const which = "SEAM_TEST_NETIO_HOSTILE"
	if os.Getenv(which) == "" { // its limits are its own
		list := []string{"1", "4"}
		if testenv.Repeated() {
			list = list[1:]
		}
		for _, procs := range list {
			cmd := child.Self(t, "-test.run=^TestHostileSurroundings$", "-test.count=1")
			cmd.Env = append(os.Environ(), which+"=1", "GOMAXPROCS="+procs)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("GOMAXPROCS=%s: %v\n%s", procs, err, out)
			}
		}
		return
	}
	ways := []coro.Runner{coro.Locked, coro.Floating, executor(t)}
	time.Sleep(time.Millisecond) // Go's own poller can't start without descriptors
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR1, syscall.SIGCHLD)
	var disturbers, callers sync.WaitGroup
	var over atomic.Bool
	disturb := func(f func()) {
		disturbers.Go(func() {
			for !over.Load() {
				f()
				time.Sleep(time.Duration(rand.IntN(500)) * time.Microsecond)
			}
		})
	}
	disturb(func() { // no descriptors for a moment
		restore := limitDescriptors(t, 3)
		time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
		restore()
	})
	disturb(func() {
		tasks, _ := os.ReadDir("/proc/self/task")
		for _, task := range tasks {
			id := 0
			for _, c := range task.Name() {
				id = id*10 + int(c-'0')
			}
			syscall.Tgkill(os.Getpid(), id, []syscall.Signal{syscall.SIGURG, syscall.SIGUSR1, syscall.SIGPROF}[rand.IntN(3)])
		}
	})
	disturb(runtime.GC)
	var forks atomic.Int64
	fork := func() { // children have descriptors and waits like ours
		var p [2]int
		if syscall.Pipe2(p[:], syscall.O_CLOEXEC) != nil {
			return
		}
		fds := [2]int32{int32(p[0]), int32(p[1])}
		fn := []unsafe.Pointer{ctest.ForkFn, ctest.VforkFn}[rand.IntN(2)]
		if n, err := ways[rand.IntN(len(ways))].Call(context.Background(), fn, unsafe.Pointer(&fds)); n != 0 || err != nil {
			t.Errorf("a child: %d, %v", n, err)
		}
		forks.Add(1)
		syscall.Close(p[0])
		syscall.Close(p[1])
	}
	if len(child.Emulator()) == 0 { // where a fork beside signals and other threads hangs, in one of 50 runs
		disturb(fork)
	}

	rounds := 100
	if testing.Short() {
		rounds = 20
	}
	var scarce atomic.Int64
	for g := range 16 {
		callers.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 1))
			for i := 0; i < rounds && !t.Failed(); {
				if hostileRound(t, rng, ways[rng.IntN(len(ways))], 2000+g) {
					i++
				} else {
					scarce.Add(1)
					time.Sleep(100 * time.Microsecond)
				}
			}
		})
	}
	callers.Wait()
	over.Store(true)
	disturbers.Wait()
	if n := coro.ReadStats().Waiting; n != 0 {
		t.Errorf("%d still wait", n)
	}
	t.Logf("%d forks, no descriptors %d times", forks.Load(), scarce.Load())
}

// hostileRound makes one call and does something to it. It is false if there were no
// descriptors for it. The call is for the descriptor a, which nobody else gets as long as it
// is closed.
func hostileRound(t *testing.T, rng *rand.Rand, r coro.Runner, a int) bool {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return false
	}
	b := fds[1]
	err = syscall.Dup3(fds[0], a, syscall.O_CLOEXEC)
	syscall.Close(fds[0])
	if err != nil {
		syscall.Close(b)
		return false
	}
	op := ctest.New(8)
	defer op.Free()
	kinds := []int{ctest.Read, ctest.Recv, ctest.Poll, ctest.Select}
	if len(child.Emulator()) > 0 { // whose select can't do it
		kinds = kinds[:3]
	}
	kind := kinds[rng.IntN(len(kinds))]
	op.Kind, op.FD, op.FDs[0], op.NFDs = int32(kind), int32(a), ctest.PollFD{FD: int32(a), Events: 1}, 1
	if kind == ctest.Poll || kind == ctest.Select {
		buf := op.Buf
		op.Buf, op.N = nil, 0
		defer func() { op.Buf = buf }()
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.Call(ctx, ctest.Fn, unsafe.Pointer(op))
	}()
	if rng.IntN(4) > 0 {
		time.Sleep(time.Duration(rng.IntN(400)) * time.Microsecond)
	}
	allowed := []int{ctest.Errno}
	closed := false
	what := rng.IntN(4)
	switch what {
	case 0:
		syscall.Write(b, []byte("x"))
	case 1:
		cancel()
		allowed = append(allowed, int(syscall.ECANCELED), 0) // 0: the call was not begun
	case 2: // closed, perhaps before the call
		closer := ctest.New(0)
		closer.Kind, closer.FD = ctest.Close, int32(a)
		closer.Plain()
		closer.Free()
		closed = true
		allowed = append(allowed, int(syscall.EBADF))
	case 3: // another file takes the number, and has something to read
		replace := ctest.New(0)
		replace.Kind, replace.FD, replace.FD2 = ctest.Dup3, int32(b), int32(a)
		replace.Flags = syscall.O_CLOEXEC
		replace.Result = -1
		for replace.Result < 0 { // it fails while the limit is lower
			replace.Plain()
		}
		replace.Free()
		// a is now what b is, whose other end is gone.
		allowed = append(allowed, int(syscall.EBADF), int(syscall.ECONNRESET))
	}
	select {
	case <-ended:
		if !slices.Contains(allowed, int(op.Err)) {
			t.Errorf("%s, disturbed by %d: %d, errno %s", ctest.Names[kind], what, op.Result, errno(int(op.Err)))
		}
	case <-time.After(patience):
		t.Errorf("%s, disturbed by %d, does not return", ctest.Names[kind], what)
	}
	cancel()
	if !closed {
		syscall.Close(a)
	}
	syscall.Close(b)
	return true
}
