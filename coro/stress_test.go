//go:build cgo && linux

package coro_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
	"github.com/seamgo/seam/internal/testenv"
)

func contextWithCancel(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

// stress is how many upcalls TestStress makes: SEAM_STRESS, as 1e8. It makes a
// hundredth as many coroutines.
func stress(t *testing.T) int64 {
	n := int64(1e6)
	if testenv.Repeated() {
		n = 3e5
	}
	if testing.Short() || coro.Status().Path != coro.PathAssembly {
		n = 1e5
	}
	if env := os.Getenv("SEAM_STRESS"); env != "" {
		f, err := strconv.ParseFloat(env, 64)
		if err != nil {
			t.Fatal(err)
		}
		n = int64(f)
	}
	return n
}

func status(t *testing.T, key string) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no %s in /proc/self/status", key)
	return 0
}

func descriptors(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// Upcalls, waits, sleeps, generators, panics and cancellations, in all ways to run,
// under garbage collection, preemption and profiling. Nothing may be wrong, and
// nothing may grow.
func TestStress(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	total := stress(t)
	if err := pprof.StartCPUProfile(new(bytes.Buffer)); err == nil {
		defer pprof.StopCPUProfile()
	}
	stop := make(chan bool)
	var background sync.WaitGroup
	defer background.Wait()
	defer close(stop)
	background.Go(func() {
		var garbage [][]byte
		for {
			select {
			case <-stop:
				return
			default:
			}
			garbage = append(garbage, make([]byte, 1000+rand.IntN(100_000)))
			if len(garbage) > 100 {
				garbage = nil
				runtime.GC()
			}
			time.Sleep(time.Millisecond)
		}
	})

	ways := runners(t)
	names := []string{}
	for name := range ways {
		names = append(names, name)
	}
	var upcalls, coroutines atomic.Int64
	plain := coro.Register(func(i *ctest.Item) {
		i.Y = i.X + 1
		if i.X%1024 == 511 {
			growStack(50)
		}
	})
	defer plain.Free()
	panics := coro.Register(func(i *ctest.Item) {
		if i.X == 3 {
			panic("stress")
		}
		i.Y = i.X + 1
	})
	defer panics.Free()

	round := func(rng *rand.Rand, r coro.Runner) {
		coroutines.Add(1)
		switch rng.IntN(8) {
		default:
			n := int64(rng.IntN(400))
			args := &ctest.Args{Func: plain.ID(), N: n}
			if code, err := r.Call(context.Background(), ctest.Upcalls, at(args)); code != 0 || err != nil || args.Sum != n*(n+1)/2 {
				t.Errorf("upcalls: %d, %v, %+v", code, err, *args)
			}
			upcalls.Add(n)
		case 0:
			args := &ctest.Args{Func: panics.ID(), N: 10}
			func() {
				defer func() {
					if recover() != "stress" {
						t.Error("the panic got lost")
					}
				}()
				r.Call(context.Background(), ctest.Upcalls, at(args))
			}()
			if args.Code != -2 || args.Sum != 6 || args.Cleaned != 1 {
				t.Errorf("panic: %+v", *args)
			}
			upcalls.Add(4)
		case 1:
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rng.IntN(300))*time.Microsecond)
			args := &ctest.Args{N: int64(rng.IntN(300_000))}
			code, err := r.Call(ctx, ctest.Sleep, at(args))
			if cancelled := code == -1; cancelled != (err != nil) && args.Cleaned == 1 {
				t.Errorf("sleep: %d, %v, %+v", code, err, *args)
			}
			cancel()
		case 2:
			left := int64(rng.IntN(20))
			args := &ctest.Args{N: 20}
			g := coro.Generate[ctest.Item](r, ctest.Count, at(args))
			n := int64(0)
			for v := range g.Values(context.Background()) {
				if v.X != n || v.Y != n*n {
					t.Errorf("value %d is %+v", n, v)
				}
				if n++; n == left {
					break
				}
			}
			if g.Err() != nil || args.Cleaned != 1 {
				t.Errorf("values: %v, %+v", g.Err(), *args)
			}
		case 3:
			var p [2]int
			if err := syscall.Pipe(p[:]); err != nil {
				t.Error(err)
				return
			}
			args := &ctest.Args{FD: int32(p[0])}
			done := make(chan bool)
			go func() {
				if rng := rand.IntN(3); rng > 0 {
					time.Sleep(time.Duration(rng) * 50 * time.Microsecond)
				}
				syscall.Write(p[1], []byte{7})
				close(done)
			}()
			if code, err := r.Call(context.Background(), ctest.ReadOne, at(args)); code != 0 || err != nil || args.Sum != 7 {
				t.Errorf("read: %d, %v, %+v", code, err, *args)
			}
			<-done
			syscall.Close(p[0])
			syscall.Close(p[1])
		}
	}
	run := func(until int64) {
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(until), uint64(g)))
				for upcalls.Load() < until && !t.Failed() {
					round(rng, ways[names[rng.IntN(len(names))]])
				}
			})
		}
		wg.Wait()
	}
	// What the first tenth has taken must do for the rest.
	run(total / 10)
	threads, fds := status(t, "Threads"), descriptors(t)
	rss := status(t, "VmRSS")
	made := 0
	for _, s := range coro.ReadStats().Stacks {
		made += s.Made
	}
	run(total)
	for _, s := range coro.ReadStats().Stacks {
		made -= s.Made
		if s.InUse != 0 {
			t.Errorf("%d stacks of %d bytes are in use", s.InUse, s.Size)
		}
	}
	if made < -8 { // as many as goroutines above
		t.Errorf("%d stacks were made after the start", -made)
	}
	if now := status(t, "Threads"); now > threads+8 {
		t.Errorf("%d threads, %d at the start", now, threads)
	}
	if now := descriptors(t); now > fds+8 {
		t.Errorf("%d descriptors, %d at the start", now, fds)
	}
	if now := status(t, "VmRSS"); now > rss*2+32<<10 {
		t.Errorf("%d KB of memory, %d at the start", now, rss)
	}
	t.Logf("%d upcalls, %d coroutines, %d threads, %d KB", upcalls.Load(), coroutines.Load(), status(t, "Threads"), status(t, "VmRSS"))
}
