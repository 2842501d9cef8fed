package barrier

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// turns is how often the references come and go, in a process. A quick run has time for
// only one process with many of them, so three is the least that can prove anything.
func turns(mode lab.Mode) int {
	return lab.InQuick(mode, 3, 6)
}

// A collection is what one full collection cost.
type collection struct {
	wall, cpu, mark, pause, long float64 // ns; below 0: not known on this system
}

// probeCollection measures collections with n references and without them, in turn.
func probeCollection(k kind, n int) func(context.Context, *lab.Bench) ([]lab.Metric, error) {
	return func(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) {
		return probeTurns(ctx, k, n, turns(b.Mode))
	}
}

func probeTurns(ctx context.Context, k kind, n, turns int) ([]lab.Metric, error) {
	// No collection but ours.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.GC() // the cases that left garbage pay for its collection
	live, release := populate(n)
	defer release()
	// No more is allocated here than what is measured.
	type turn struct {
		with, beside collection
		memory       float64
	}
	all := make([]turn, 0, turns)
	before, empty := collect(), heap()
	for range turns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h, err := k.hold(live, n)
		if err != nil {
			return nil, err
		}
		with, full := collect(), heap()
		h.close()
		after := collect()
		all = append(all, turn{with, mean(before, after), max(0, (full-empty)/float64(n))})
		before, empty = after, heap()
	}
	runtime.KeepAlive(live)
	var list []lab.Metric
	for _, t := range all {
		list = append(list, metricsOf(k, n, costName, "", t.with)...)
		list = append(list, lab.Metric{Unit: unitMemory, Value: t.memory, Label: label(k, n) + ": Go heap of a reference"})
		list = append(list, metricsOf(k, n, besideName, "beside ", t.beside)...)
	}
	return list, nil
}

func metricsOf(k kind, n int, named func(string, int, string) string, which string, c collection) []lab.Metric {
	var list []lab.Metric
	for _, m := range []struct {
		unit, what string
		value      float64
	}{
		{unitWall, "collection", c.wall},
		{unitCPU, "CPU of a collection", c.cpu},
		{unitMark, "mark time", c.mark},
		{unitPause, "pauses of a collection", c.pause},
		{unitLong, "longest pause, at most", c.long},
	} {
		if m.value >= 0 {
			list = append(list, lab.Metric{Name: named(k.name, n, m.unit), Unit: m.unit, Value: m.value, Label: which + label(k, n) + ": " + m.what})
		}
	}
	return list
}

func mean(a, b collection) collection {
	return collection{(a.wall + b.wall) / 2, (a.cpu + b.cpu) / 2, (a.mark + b.mark) / 2, (a.pause + b.pause) / 2, max(a.long, b.long)}
}

// repeats is how often the same collection is measured. Whatever disturbs one makes it
// longer.
const repeats = 2

// collect measures what a collection costs: the least of several, and the longest
// pause of all. The first is not measured, because it also frees what died before.
func collect() collection {
	runtime.GC()
	least := collectOnce()
	for range repeats - 1 {
		c := collectOnce()
		least = collection{min(least.wall, c.wall), min(least.cpu, c.cpu), min(least.mark, c.mark), min(least.pause, c.pause), max(least.long, c.long)}
	}
	return least
}

func collectOnce() collection {
	var a, b debug.GCStats
	debug.ReadGCStats(&a)
	totals, cpu, start := readTotals(), cpuTime(), time.Now()
	runtime.GC()
	c := collection{wall: float64(time.Since(start)), cpu: cpuTime() - cpu}
	if cpu < 0 {
		c.cpu = -1
	}
	debug.ReadGCStats(&b)
	c.pause = float64(b.PauseTotal - a.PauseTotal)
	c.mark, c.long = readTotals().since(totals)
	return c
}

// heap is the bytes of the objects in Go's heap.
func heap() float64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return float64(s[0].Value.Uint64())
}

// gcTotals are what the runtime has counted since the process started.
type gcTotals struct {
	mark   float64 // seconds
	pauses *metrics.Float64Histogram
}

func readTotals() gcTotals {
	s := []metrics.Sample{
		{Name: "/sched/pauses/total/gc:seconds"},
		{Name: "/cpu/classes/gc/mark/assist:cpu-seconds"},
		{Name: "/cpu/classes/gc/mark/dedicated:cpu-seconds"},
		{Name: "/cpu/classes/gc/mark/idle:cpu-seconds"},
	}
	metrics.Read(s)
	a := gcTotals{pauses: s[0].Value.Float64Histogram()}
	for _, m := range s[1:] {
		a.mark += m.Value.Float64()
	}
	// The runtime will reuse the histogram.
	a.pauses = &metrics.Float64Histogram{Counts: append([]uint64(nil), a.pauses.Counts...), Buckets: a.pauses.Buckets}
	return a
}

// since returns the mark time and the longest pause between two readings, in ns. The
// runtime keeps only the class of a pause: the figure is an upper bound.
func (a gcTotals) since(old gcTotals) (mark, long float64) {
	for i, n := range a.pauses.Counts {
		if n > old.pauses.Counts[i] {
			long = a.pauses.Buckets[i+1]
			if math.IsInf(long, 1) {
				long = a.pauses.Buckets[i]
			}
		}
	}
	return 1e9 * max(0, a.mark-old.mark), 1e9 * long
}
