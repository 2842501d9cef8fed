//go:build cgo && linux

package offload_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/offload"
	"github.com/seamgo/seam/offload/internal/ctest"
)

const benchThreads = 8

// A way to run a function that sleeps: C in a pool, or what one writes without one, a
// semaphore before cgo.
type way struct {
	name  string
	start func(b *testing.B) (call func(ns *int64))
}

var ways = []way{
	{"offload", func(b *testing.B) func(*int64) {
		p, err := offload.New(offload.Options{Threads: benchThreads})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { p.Close(context.Background()) })
		return func(ns *int64) {
			if got, err := p.Do(context.Background(), ctest.SleepFn, unsafe.Pointer(ns)); got != *ns || err != nil {
				panic(fmt.Sprint(got, err))
			}
		}
	}},
	{"semaphore", func(*testing.B) func(*int64) {
		semaphore := make(chan struct{}, benchThreads)
		return func(ns *int64) {
			semaphore <- struct{}{}
			ctest.CgoSleep(*ns)
			<-semaphore
		}
	}},
	{"go", func(*testing.B) func(*int64) { // no C at all: what Go's scheduler gives
		semaphore := make(chan struct{}, benchThreads)
		return func(ns *int64) {
			semaphore <- struct{}{}
			time.Sleep(time.Duration(*ns))
			<-semaphore
		}
	}},
}

var sleeps = []time.Duration{0, 100 * time.Microsecond, time.Millisecond}

// One goroutine alone calls: the price of the way itself is the difference to the
// sleep. With work=2 two goroutines compute all the time.
func BenchmarkLatency(b *testing.B) {
	for _, work := range []int{0, 2} {
		for _, sleep := range sleeps {
			for _, w := range ways {
				b.Run(fmt.Sprintf("work=%d/sleep=%v/way=%s", work, sleep, w.name), func(b *testing.B) {
					call, ns := w.start(b), int64(sleep)
					defer compute(work)()
					for b.Loop() {
						call(&ns)
					}
				})
			}
		}
	}
}

// Many goroutines call at once; ns/op is the time between two results. Meanwhile
// another goroutine sleeps for a millisecond again and again and notes how late it
// runs (late-p50-µs, late-p99-µs), and with work=2 two goroutines compute all the
// time (Mwork/s, their rounds). threads is how many the process has at the end.
func BenchmarkThroughput(b *testing.B) {
	for _, goroutines := range []int{256, 4000} {
		for _, work := range []int{0, 2} {
			for _, sleep := range sleeps {
				for _, w := range ways {
					b.Run(fmt.Sprintf("goroutines=%d/work=%d/sleep=%v/way=%s", goroutines, work, sleep, w.name), func(b *testing.B) {
						call := w.start(b)
						stopWork, stopTicker := compute(work), ticker()
						var made atomic.Int64
						var wg sync.WaitGroup
						b.ResetTimer()
						for range goroutines {
							wg.Go(func() {
								ns := int64(sleep)
								for made.Add(1) <= int64(b.N) {
									call(&ns)
								}
							})
						}
						wg.Wait()
						b.StopTimer()
						b.ReportMetric(float64(threads("")), "threads")
						late := stopTicker()
						if rounds := stopWork(); work > 0 {
							b.ReportMetric(float64(rounds)/b.Elapsed().Seconds()/1e6, "Mwork/s")
						}
						if n := len(late); n > 0 {
							b.ReportMetric(float64(late[n/2])/1e3, "late-p50-µs")
							b.ReportMetric(float64(late[n*99/100])/1e3, "late-p99-µs")
						}
					})
				}
			}
		}
	}
}

// ticker starts the goroutine that notes how late it runs, and returns what ends
// it and gives the sorted delays.
func ticker() func() []time.Duration {
	quit, result := make(chan struct{}), make(chan []time.Duration)
	go func() {
		var late []time.Duration
		for {
			select {
			case <-quit:
				slices.Sort(late)
				result <- late
				return
			default:
			}
			start := time.Now()
			time.Sleep(time.Millisecond)
			late = append(late, time.Since(start)-time.Millisecond)
		}
	}()
	return func() []time.Duration { close(quit); return <-result }
}

// compute starts goroutines that never wait, and returns what ends them and tells
// how many rounds of work they have done.
func compute(goroutines int) func() int64 {
	var quit atomic.Bool
	var done atomic.Int64
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			x, n := uint64(1), int64(0)
			for ; !quit.Load(); n++ {
				x = x*6364136223846793005 + 1
			}
			done.Add(n + int64(x&1))
		})
	}
	return func() int64 { quit.Store(true); wg.Wait(); return done.Load() }
}
