package rings

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// slice is how many round trips one way is timed before the next has its turn, and waking how
// many come before that: the first wake what was idle, and where both sides are to look for each
// other the kernel has to find a processor for each.
func slice(op string) (timed, waking int) {
	if op == spin {
		return 500, 5000
	}
	return 50, 5
}

// latencies times single round trips, the ways in turns.
func latencies(ctx context.Context, mode lab.Mode, peer string) ([]lab.Metric, error) {
	type way struct {
		trip  trip
		via   string
		wire  *wire
		times []float64
	}
	var ways []*way
	defer func() {
		for _, w := range ways {
			w.wire.close()
		}
	}()
	for _, t := range trips {
		if t.mode != xproc || t.peer != peer || t.op == throughput || t.op == spin && twoProcessors() != nil {
			continue
		}
		vias := t.vias
		if t.op == park {
			vias = append(slices.Clip(vias), viaControl)
		}
		for _, via := range vias {
			if via == viaLine || via == viaLines { // which has no message between samples, and so no single trips
				continue
			}
			w, err := toProcess(ctx, t, latencySize, via)
			if err != nil && isShmipc(via) {
				continue // its own case says why
			}
			if err != nil {
				return nil, err
			}
			ways = append(ways, &way{trip: t, via: via, wire: w})
		}
	}
	for range lab.ByMode(mode, 8, 20, 100) {
		rand.Shuffle(len(ways), func(i, j int) { ways[i], ways[j] = ways[j], ways[i] })
		for _, w := range ways {
			timed, waking := slice(w.trip.op)
			times, err := w.wire.trips(waking + timed)
			if err != nil {
				return nil, lab.Skip("the other side: %v", err)
			}
			w.times = append(w.times, times[waking:]...)
		}
	}
	var list []lab.Metric
	for _, w := range ways {
		name, label := w.trip.name(latencySize, w.via), w.trip.label(latencySize, w.via)
		list = append(list,
			lab.Metric{Name: name, Unit: unitMedian, Value: subprocess.Quantile(w.times, 0.5), Label: label + ": median"},
			lab.Metric{Name: name, Unit: unitTail, Value: subprocess.Quantile(w.times, 0.99), Label: label + ": p99"})
	}
	return list, nil
}
