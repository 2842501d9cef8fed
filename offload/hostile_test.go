//go:build cgo && linux

package offload_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/offload"
	"github.com/seamgo/seam/offload/internal/ctest"
)

// Whatever happens to descriptors, signals, threads and processes at the same time, every
// call ends, with a result that it may have, and nothing is left behind.
func TestHostileSurroundings(t *testing.T) {
	const which = "SEAM_TEST_OFFLOAD_HOSTILE"
	if os.Getenv(which) == "" { // its limits are its own
		for _, procs := range []string{"1", "4"} {
			cmd := child.Self(t, "-test.run=^TestHostileSurroundings$", "-test.count=1")
			cmd.Env = append(os.Environ(), which+"=1", "GOMAXPROCS="+procs)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("GOMAXPROCS=%s: %v\n%s", procs, err, out)
			}
		}
		return
	}
	time.Sleep(time.Millisecond) // Go's own poller can't start without descriptors
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR1, syscall.SIGCHLD)
	want(t, begin(background, start(t, offload.Options{}), ctest.ExitFn, nil), 0, offload.ErrThreadEnded) // glibc loads a library for it
	files := descriptors(t)
	pools := [2]*offload.Pool{start(t, offload.Options{Threads: 1, Queue: 1}), start(t, offload.Options{Threads: 8, Queue: 4})}
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
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	disturb(func() { // no descriptors for a moment
		syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 3, Max: limit.Max})
		time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
		syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	})
	disturb(func() {
		tasks, _ := filepath.Glob("/proc/self/task/*")
		for _, task := range tasks {
			id, _ := strconv.Atoi(filepath.Base(task))
			syscall.Tgkill(os.Getpid(), id, []syscall.Signal{syscall.SIGURG, syscall.SIGUSR1, syscall.SIGPROF, syscall.SIGCHLD}[rand.IntN(4)])
		}
	})
	disturb(runtime.GC)

	ctest.Callback = func(x int64) int64 { return x + 1 }
	rounds := 100
	if testing.Short() {
		rounds = 20
	}
	for g := range 16 {
		callers.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 1))
			for range rounds {
				hostileRound(t, rng, pools[rng.IntN(2)])
			}
		})
	}
	callers.Go(func() { // pools come and go
		for range rounds {
			p, err := offload.New(offload.Options{Threads: 2})
			if err != nil {
				if !errors.Is(err, syscall.EMFILE) {
					t.Error(err)
				}
				continue
			}
			args := &ctest.Add{A: 1, B: 2}
			if got, err := p.Do(background, ctest.AddFn, unsafe.Pointer(args)); got != 3 || err != nil {
				t.Errorf("a new pool: %d, %v", got, err)
			}
			closeNow(t, p)
		}
	})
	callers.Wait()
	over.Store(true)
	disturbers.Wait()
	for _, p := range pools {
		if s := p.Stats(); s.Busy != 0 || s.Queued != 0 || s.Waiting != 0 {
			t.Errorf("at the end: %v", s)
		}
		closeNow(t, p)
	}
	eventually(t, "the descriptors are closed", func() bool { return descriptors(t) <= files })
}

// hostileRound makes one call, perhaps of a kind that does harm, and checks what comes of it.
func hostileRound(t *testing.T, rng *rand.Rand, p *offload.Pool) {
	ctx, cancel := context.WithCancelCause(background)
	defer cancel(nil)
	kinds := 6
	if len(child.Emulator()) > 0 { // where a fork beside signals and other threads hangs, in one of 50 runs
		kinds = 5
	}
	switch rng.IntN(kinds) {
	case 0:
		args := &ctest.Add{A: rng.Int64N(1000), B: 5}
		want(t, begin(ctx, p, ctest.AddFn, unsafe.Pointer(args)), args.A+5, nil)
	case 1:
		ns := rng.Int64N(300_000)
		want(t, begin(ctx, p, ctest.SleepFn, unsafe.Pointer(&ns)), ns, nil)
	case 2:
		want(t, begin(ctx, p, ctest.ExitFn, nil), 0, offload.ErrThreadEnded)
	case 3: // cancelled while it waits for room, waits for a thread, or runs
		end := begin(ctx, p, ctest.UntilCancelledFn, unsafe.Pointer(new(int32)))
		time.Sleep(time.Duration(rng.IntN(300)) * time.Microsecond)
		cancel(errOver)
		got := <-end
		if got.err != errOver || got.result != 0 && got.result != 1 {
			t.Errorf("cancelled: %v", got)
		}
	case 4:
		x := rng.Int64()
		want(t, begin(ctx, p, ctest.CallbackFn, unsafe.Pointer(&x)), x+1, nil)
	case 5:
		for { // without descriptors the shell can't load its libraries
			got := <-begin(ctx, p, ctest.ForkFn, unsafe.Pointer(&[]byte("kill -TERM $$\x00")[0]))
			if got.result == int64(syscall.SIGTERM) && got.err == nil {
				break
			}
			if got.result != 0 || got.err != nil {
				t.Errorf("a child: %v", got)
				break
			}
			time.Sleep(time.Millisecond) // which lets them come back
		}
	}
}
