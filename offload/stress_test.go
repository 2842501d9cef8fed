//go:build cgo && unix

package offload_test

import (
	"context"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/offload"
	"github.com/seamgo/seam/offload/internal/ctest"
)

// stressCalls is how many calls TestStress makes. SEAM_STRESS asks for more.
func stressCalls(t *testing.T) int {
	env := os.Getenv("SEAM_STRESS")
	if env == "" {
		return 20_000
	}
	n, err := strconv.ParseFloat(env, 64)
	if err != nil || n < 1 {
		t.Fatalf("SEAM_STRESS=%q is not a number of calls like 1e6", env)
	}
	return int(n)
}

// TestStress makes calls from many goroutines on few threads with a short queue,
// while contexts end at every moment of a call, garbage is collected without a
// pause, and the CPU profiler sends its signals. Every result and every argument
// is checked; a lost completion is a test that hangs, a doubled one a wrong result
// of a later call.
func TestStress(t *testing.T) {
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Fatal(err)
	}
	defer pprof.StopCPUProfile()
	var quit atomic.Bool
	var collector sync.WaitGroup
	collector.Go(func() {
		for !quit.Load() {
			runtime.GC()
			runtime.Gosched()
		}
	})
	defer collector.Wait()
	defer quit.Store(true)

	const goroutines = 200
	p := start(t, offload.Options{Threads: 5, Queue: 20})
	each := stressCalls(t)/goroutines + 1
	var full, cancelled, threadsEnded, done atomic.Int64
	var wg sync.WaitGroup
	for id := range int64(goroutines) {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(id)))
			for i := range int64(each) {
				// A new one each time, so that one that is freed too early is overwritten.
				args := &ctest.Add{A: id << 32, B: i}
				switch k := random.IntN(100); {
				case k < 50:
					got, err := p.Do(background, ctest.AddFn, unsafe.Pointer(args))
					if err != nil || got != args.A+args.B || args.Sum != got {
						t.Errorf("Do returned %d, %v and C left %d, want %d", got, err, args.Sum, args.A+args.B)
					}
					done.Add(1)
				case k < 70:
					got, err := p.TryDo(background, ctest.AddFn, unsafe.Pointer(args))
					switch {
					case err == offload.ErrFull && args.Sum == 0:
						full.Add(1)
					case err != nil || got != args.A+args.B || args.Sum != got:
						t.Errorf("TryDo returned %d, %v and C left %d", got, err, args.Sum)
					default:
						done.Add(1)
					}
				case k < 98:
					ctx, cancel := context.WithTimeoutCause(background, time.Duration(random.IntN(300))*time.Microsecond, errOver)
					got, err := p.Do(ctx, ctest.AddFn, unsafe.Pointer(args))
					cancel()
					switch {
					case err == errOver:
						// Not run, or run and told, in time or too late for C to see.
						if sum := args.A + args.B; args.Sum != 0 && args.Sum != sum || got != 0 && got != sum && got != -1 {
							t.Errorf("a cancelled Do returned %d and C left %d", got, args.Sum)
						}
						cancelled.Add(1)
					case err != nil || got != args.A+args.B || args.Sum != got:
						t.Errorf("Do returned %d, %v and C left %d", got, err, args.Sum)
					default:
						done.Add(1)
					}
				case k < 99:
					ctx, cancel := context.WithCancelCause(background)
					started := new(int32)
					go func() {
						for atomic.LoadInt32(started) == 0 {
							runtime.Gosched()
						}
						cancel(errOver)
					}()
					if got, err := p.Do(ctx, ctest.UntilCancelledFn, unsafe.Pointer(started)); got != 1 || err != errOver {
						t.Errorf("a call that runs until it is cancelled returned %d, %v", got, err)
					}
					cancelled.Add(1)
				default:
					if i%8 != 0 { // a thread costs a millisecond and a goroutine
						continue
					}
					if _, err := p.Do(background, ctest.ExitFn, nil); err != offload.ErrThreadEnded {
						t.Errorf("a call that ends its thread returned %v", err)
					}
					threadsEnded.Add(1)
				}
			}
		})
	}
	wg.Wait()
	s := p.Stats()
	t.Logf("%d done, %d cancelled, %d refused, %d threads ended: %v", done.Load(), cancelled.Load(), full.Load(), threadsEnded.Load(), s)
	if s.Busy != 0 || s.Queued != 0 || s.Waiting != 0 ||
		s.Cancelled != uint64(cancelled.Load()) || s.Rejected != uint64(full.Load()) || s.ThreadsEnded != uint64(threadsEnded.Load()) {
		t.Errorf("the figures don't add up: %v", s)
	}
	if s.Done < uint64(done.Load()+threadsEnded.Load()) || s.Done > uint64(done.Load()+threadsEnded.Load()+cancelled.Load()) {
		t.Errorf("C has run %d calls", s.Done)
	}
}
