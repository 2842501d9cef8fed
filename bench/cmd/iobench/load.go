//go:build cgo && linux && seam_servers

package main

import (
	"context"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// loadTask is to GET in n goroutines.
type loadTask struct {
	Mode         string
	Host         string
	Port         int
	N            int
	Warmup, Time time.Duration
}

// loadResult is what one process found.
type loadResult struct {
	Ops      int64
	Elapsed  time.Duration
	P50, P99 time.Duration // of the calls that ended
	Longest  time.Duration // of all calls, also those that had not ended
	Served   int           // how many of the goroutines ended a call at all
	Fairness float64       // Jain's index of the goroutines' calls
	CPU      time.Duration // of the process, not of the server
	Threads  int
	Resident int64 // bytes
}

// The phases of a load.
const (
	warming = iota
	measuring
	ending
)

// A worker is a goroutine that makes one call after another.
type worker struct {
	start   atomic.Int64 // of the call under way, in ns since the beginning
	longest atomic.Int64 // of those that ended, in ns
	ended   atomic.Int64
}

// note counts a call that took so long.
func (w *worker) note(took time.Duration) {
	w.ended.Add(1)
	if int64(took) > w.longest.Load() { // nobody else writes
		w.longest.Store(int64(took))
	}
}

// fairness is Jain's index of how many calls each worker has ended (Jain, Chiu and
// Hawe, DEC-TR-301, 1984): 1 where all have ended as many, 1/n where one has ended all.
func fairness(workers []worker) float64 {
	var sum, squares float64
	for i := range workers {
		n := float64(workers[i].ended.Load())
		sum += n
		squares += n * n
	}
	return sum * sum / (float64(len(workers)) * squares)
}

// shards keep the goroutines' counting apart.
const shards = 16

func (t loadTask) run() (loadResult, error) {
	call, err := newCaller(t.Mode)
	if err != nil {
		return loadResult{}, err
	}
	clients, err := dialAll(t.Host, t.Port, t.N)
	if err != nil {
		return loadResult{}, err
	}
	if err := clients[0].set(); err != nil {
		return loadResult{}, err
	}
	var (
		phase   atomic.Int32
		times   [shards]histogram
		workers = make([]worker, t.N)
		failed  = make(chan error, t.N)
		all     sync.WaitGroup
	)
	beginning := time.Now()
	for i, c := range clients {
		all.Go(func() {
			mine, w := &times[i%shards], &workers[i]
			for {
				p := phase.Load()
				if p == ending {
					return
				}
				start := time.Since(beginning)
				w.start.Store(int64(start))
				if err := c.get(context.Background(), call); err != nil {
					failed <- err
					return
				}
				// A call counts where it ends, so that slow ones count as the others do.
				if took := time.Since(beginning) - start; phase.Load() == measuring {
					mine.add(took)
					w.note(took)
				}
			}
		})
	}
	wait := func(d time.Duration) error {
		select {
		case err := <-failed:
			return err
		case <-time.After(d):
			return nil
		}
	}
	if err := wait(t.Warmup); err != nil {
		return loadResult{}, err
	}
	cpu, start := cpuTime(), time.Now()
	phase.Store(measuring)
	// On a busy machine a short time may see no call end, which is no result: go on.
	for anyone := false; !anyone; {
		if err := wait(t.Time); err != nil {
			return loadResult{}, err
		}
		for i := range workers {
			anyone = anyone || workers[i].ended.Load() > 0
		}
	}
	phase.Store(ending)
	r := loadResult{Elapsed: time.Since(start), CPU: cpuTime() - cpu, Fairness: fairness(workers)}
	for i := range workers {
		w := &workers[i]
		waits := time.Since(beginning) - time.Duration(w.start.Load())
		r.Longest = max(r.Longest, time.Duration(w.longest.Load()), waits)
		if w.ended.Load() > 0 {
			r.Served++
		}
	}
	if r.Threads, r.Resident, err = usage(); err != nil {
		return r, err
	}
	all.Wait()
	select {
	case err := <-failed:
		return r, err
	default:
	}
	for i := range times[1:] {
		times[0].merge(&times[1+i])
	}
	r.Ops, r.P50, r.P99 = times[0].total(), times[0].quantile(0.5), times[0].quantile(0.99)
	return r, nil
}

// cpuTime is what this process has used of the processors.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err) // only for wrong arguments
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
