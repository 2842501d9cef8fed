package buffers

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// A timer measures how long n uses take.
type timer func(n int) time.Duration

// warm times uses on a goroutine that has done one before: its stack has grown,
// the pool is filled.
func warm(u use) timer {
	return func(n int) time.Duration {
		u(1)
		start := time.Now()
		u(n)
		return time.Since(start)
	}
}

// fresh starts a goroutine for each use and waits for its end.
func fresh(u use) use {
	done := make(chan struct{})
	return func(n int) {
		for range n {
			go func() {
				u(1)
				done <- struct{}{}
			}()
			<-done
		}
	}
}

// afterGC times each use after two collections: a pool keeps its content
// through the first, and a stack is halved by each that finds less than a
// quarter of it in use. The use has a goroutine of its own, since the lab's may
// have too deep a stack for that.
func afterGC(u use) timer {
	return func(n int) time.Duration {
		took := make(chan time.Duration)
		go func() {
			u(1)
			var total time.Duration
			for range n {
				runtime.GC()
				runtime.GC()
				start := time.Now()
				u(1)
				total += time.Since(start)
			}
			took <- total
		}()
		return <-took
	}
}

// mostAlone is how much may be allocated while waiting for a collection. Where
// GOGC puts collections further apart, samples contain none.
const mostAlone = 64 << 20

// collecting times uses that allocate, over whole cycles of the collector: from
// the end of one to the end of another, so that a sample pays for as much
// garbage as it leaves to others. What comes out is scaled to n.
func collecting(u use, size, cycles int) timer {
	chunk := max(1, 128<<10/(2*size))
	count := newCycleCount()
	untilNext := func() (done int) {
		for was := count.read(); done < mostAlone/(2*size); {
			u(chunk)
			done += chunk
			if count.read() != was {
				break
			}
		}
		return done
	}
	return func(n int) time.Duration {
		untilNext()
		start, done := time.Now(), 0
		for range cycles {
			done += untilNext()
		}
		return time.Duration(float64(time.Since(start)) * float64(n) / float64(done))
	}
}

// A cycleCount counts collections without allocating.
type cycleCount []metrics.Sample

func newCycleCount() cycleCount { return cycleCount{{Name: "/gc/cycles/total:gc-cycles"}} }

func (c cycleCount) read() uint64 {
	metrics.Read(c)
	return c[0].Value.Uint64()
}

// withoutGC times uses that allocate while no collection runs.
func withoutGC(u use) timer {
	return func(n int) time.Duration {
		runtime.GC() // to free the memory that others left
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		defer runtime.GC() // before others are made to pay for it
		start := time.Now()
		u(n)
		return time.Since(start)
	}
}

// A team is goroutines that all do the same at the same time.
type team struct {
	start   []chan int
	took    chan time.Duration
	arrived atomic.Int64
	gone    sync.WaitGroup
}

// newTeam starts a goroutine for each use.
func newTeam(uses []use) *team {
	t := &team{took: make(chan time.Duration, len(uses))}
	for _, u := range uses {
		start := make(chan int)
		t.start = append(t.start, start)
		t.gone.Add(1)
		go func() {
			defer t.gone.Done()
			for n := range start {
				u(1)
				// None begins before all are there.
				for t.arrived.Add(1); t.arrived.Load() < int64(len(uses)); {
					runtime.Gosched()
				}
				begun := time.Now()
				u(n)
				t.took <- time.Since(begun)
			}
		}()
	}
	return t
}

// time is how long one goroutine takes for n uses while the others do as many,
// averaged over all.
func (t *team) time(n int) time.Duration {
	t.arrived.Store(0)
	for _, c := range t.start {
		c <- n
	}
	var sum time.Duration
	for range t.start {
		sum += <-t.took
	}
	return sum / time.Duration(len(t.start))
}

func (t *team) close() {
	for _, c := range t.start {
		close(c)
	}
	t.gone.Wait()
}
