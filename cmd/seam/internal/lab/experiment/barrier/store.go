package barrier

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func setupStore(k kind, n int) func() (*lab.Op, error) {
	return func() (*lab.Op, error) {
		live, release := populate(n)
		t, err := k.open(live, n)
		if err != nil {
			release()
			return nil, err
		}
		return &lab.Op{Run: t.store, Close: func() { t.close(); release() }}, nil
	}
}

func setupRenew(k kind, n int) func() (*lab.Op, error) {
	return func() (*lab.Op, error) {
		live, release := populate(n)
		h, err := k.hold(live, n)
		if err != nil {
			release()
			return nil, err
		}
		op := &lab.Op{Run: h.renew, Close: func() { h.close(); release() }}
		if k.name == kindPinAll { // it renews all or none
			op.N = max(n, 10_000/n*n)
		}
		return op, nil
	}
}

// beside is the least number of live objects while stores are timed during a
// collection: they keep it marking for about a millisecond.
const beside = 20_000

// stretch is how many stores are timed at a time during a collection.
const stretch = 2048

func setupMarked(k kind, n int) func() (*lab.Op, error) {
	return func() (*lab.Op, error) {
		live, release := populate(max(n, beside))
		t, err := k.open(live, n)
		if err != nil {
			release()
			return nil, err
		}
		return &lab.Op{
			N:     stretch,
			Time:  func(n int) time.Duration { return time.Duration(float64(n) * whileMarking(t)) },
			Close: func() { t.close(); release() },
		}, nil
	}
}

// A run is a stretch of stores.
type run struct{ from, to time.Duration }

// attempts is how many collections to wait for until one has stores in it. In a
// collection without any, the stores got no processor.
const attempts = 100

// whileMarking returns the nanoseconds of a store while the collector marks.
func whileMarking(t table) float64 {
	var runs []run
	for range attempts {
		runs = runs[:0]
		// From here on the world stops, marking begins, and it ends when the world
		// stops again; the runtime reports when that was.
		from, to := duringCollection(func(at func() time.Duration) {
			start := at()
			t.store(stretch)
			runs = append(runs, run{start, at()})
		})
		// In its first half the collection may not have begun yet.
		var took []time.Duration
		for _, r := range runs {
			if r.from > from+(to-from)/2 && r.to < to {
				took = append(took, r.to-r.from)
			}
		}
		if len(took) > 0 {
			slices.Sort(took)
			// The median: a run may be interrupted by the collector's own work.
			return float64(took[len(took)/2]) / stretch
		}
	}
	panic(fmt.Sprintf("barrier: in %d collections there was no time for %d stores", attempts, stretch))
}

// duringCollection calls f over and over while a collection runs, and returns when the
// collection was requested and when it had marked everything, by the clock that f is
// given.
func duringCollection(f func(clock func() time.Duration)) (from, to time.Duration) {
	// The runtime reports times of day, so all times here are: a jump of the clock
	// costs a sample.
	origin := time.Now()
	clock := func() time.Duration { return time.Duration(time.Now().UnixNano() - origin.UnixNano()) }
	var over atomic.Bool
	var began time.Duration
	go func() {
		began = clock()
		runtime.GC()
		over.Store(true)
	}()
	for !over.Load() {
		f(clock)
		// With one processor the other goroutine waits for ours.
		runtime.Gosched()
	}
	var stats debug.GCStats
	debug.ReadGCStats(&stats)
	return began, time.Duration(stats.LastGC.UnixNano() - origin.UnixNano())
}
