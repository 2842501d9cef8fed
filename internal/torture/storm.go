//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package torture

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"syscall"
	"time"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/internal/torture/cside"
)

// A storm disturbs the program while it runs. blow is called again and again, with
// pauses between.
type storm struct {
	name   string
	scarce bool // operations may fail for want of descriptors or memory
	pause  time.Duration
	blow   func(m *machine, r *rand.Rand)
}

var storms = []storm{
	{"gc", false, 2 * time.Millisecond, func(*machine, *rand.Rand) { runtime.GC() }},
	{"gc percent 5", false, 50 * time.Millisecond, func(*machine, *rand.Rand) { debug.SetGCPercent(5) }},
	{"SIGURG", false, 50 * time.Microsecond, signals(syscall.SIGURG)},
	{"SIGPROF", false, 100 * time.Microsecond, signals(syscall.SIGPROF)},
	{"SIGCHLD", false, 100 * time.Microsecond, signals(syscall.SIGCHLD)},
	{"GOMAXPROCS", false, 5 * time.Millisecond, func(_ *machine, r *rand.Rand) { runtime.GOMAXPROCS(1 + r.IntN(maxProcs)) }}, // of all that there ever were: see program
	{"SetMaxThreads", false, 5 * time.Millisecond, func(m *machine, r *rand.Rand) { debug.SetMaxThreads(m.maxThreads() + r.IntN(100)) }},
	{"profile", false, 10 * time.Millisecond, func(*machine, *rand.Rand) {
		if pprof.StartCPUProfile(new(bytes.Buffer)) == nil {
			time.Sleep(20 * time.Millisecond)
			pprof.StopCPUProfile()
		}
	}},
	{"trace", false, 20 * time.Millisecond, func(*machine, *rand.Rand) {
		if trace.Start(io.Discard) == nil {
			time.Sleep(30 * time.Millisecond)
			trace.Stop()
		}
	}},
	{"stats", false, time.Millisecond, func(m *machine, _ *rand.Rand) {
		coro.ReadStats()
		m.pool.Stats()
		m.buffers.Stats()
		for _, x := range m.threads {
			x.Stats()
		}
	}},
	{"memory", false, 100 * time.Millisecond, func(*machine, *rand.Rand) { debug.FreeOSMemory() }},
	{"no descriptors", true, 20 * time.Millisecond, noDescriptors},
	{"no memory", true, 10 * time.Millisecond, func(_ *machine, r *rand.Rand) {
		cside.Scarce(uint64(1 + r.IntN(3)))
		time.Sleep(5 * time.Millisecond)
		cside.Scarce(0)
	}},
}

// maxProcs is more than one, and no less than the processors with which the program began: Go keeps the
// cleanups of a processor that GOMAXPROCS took away until it is back.
var maxProcs = max(4, runtime.GOMAXPROCS(0))

// maxThreads is what a program may need: one that needs more takes a thread for each of
// something that there may be many of.
//
// The fallback does that for coroutines: there the limit only moves.
func (m *machine) maxThreads() int {
	if m.fast {
		return 500
	}
	return 10000
}

func signals(sig syscall.Signal) func(*machine, *rand.Rand) {
	pid := os.Getpid()
	return func(_ *machine, r *rand.Rand) {
		for range 1 + r.IntN(5) {
			syscall.Kill(pid, sig)
		}
	}
}

// noDescriptors lets every new descriptor fail for some milliseconds.
func noDescriptors(m *machine, r *rand.Rand) {
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		m.t.Error(err)
		return
	}
	none := was
	none.Cur = 3 // not less: poll refuses more descriptors than the limit
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
		m.t.Error(err)
	}
	time.Sleep(time.Duration(r.IntN(10)) * time.Millisecond)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		m.t.Error(err)
	}
}

// weather draws the storms of a program.
func weather(r *rand.Rand) (list []storm) {
	for _, s := range storms {
		if r.IntN(3) == 0 {
			list = append(list, s)
		}
	}
	return list
}

// blow lets storms blow until the function that it returns is called.
func blow(m *machine, list []storm, seed uint64) (calm func()) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i, s := range list {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, 3<<32+uint64(i)))
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Duration(r.Int64N(2 * int64(s.pause)))):
					s.blow(m, r)
				}
			}
		})
	}
	return func() {
		close(stop)
		wg.Wait()
	}
}
