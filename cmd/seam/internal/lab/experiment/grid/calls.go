package grid

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// The published grid's second dimension is how many calls are timed as one run. It
// is here to show that it doesn't matter: no cost is spread over the calls of a
// run. Only fold is run this way, as in the publication; the largest runs of
// nofold would take minutes each and show the same.

// callsOf returns the numbers of calls: the published ones in full mode, a hundredth
// or a thousandth of them in the others.
func callsOf(mode lab.Mode) []int {
	share := lab.ByMode(mode, 1000, 100, 1)
	list := make([]int, len(reference.GridCalls))
	for i, n := range reference.GridCalls {
		list[i] = n / share
	}
	return list
}

func callsName(count int64, v via, calls int) string {
	return fmt.Sprintf("%s/calls=%d", seriesName(count, fold, v), calls)
}

// callsAt returns the number of calls in a name made by callsName for this
// count and way.
func callsAt(name string, count int64, v via) (calls int, ok bool) {
	s, ok := strings.CutPrefix(name, seriesName(count, fold, v)+"/calls=")
	if !ok {
		return 0, false
	}
	calls, err := strconv.Atoi(s)
	return calls, err == nil
}

// callsWarm is how many calls go before a run, so that the shortest runs are
// not those of cold caches and branch predictors.
const callsWarm = 500

// callsShort is the number of steps below which a run is so short that it is
// repeated three times and the median counts.
const callsShort = 1_000_000

// callsProbe times runs of each number of calls, for every count and by every
// way that this build has.
func callsProbe(calls []int) func(context.Context, *lab.Bench) ([]lab.Metric, error) {
	return func(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) {
		var metrics []lab.Metric
		for _, row := range reference.Grid {
			for _, v := range vias {
				op, err := newOp(fold, v, row.Count)
				if skip := new(lab.NotMeasured); errors.As(err, &skip) {
					continue // the timed case of this count and way reports why
				}
				if err != nil {
					return nil, err
				}
				op.Run(callsWarm)
				for _, n := range calls {
					ns, err := timeRun(ctx, b, op, n, row.Count)
					if err != nil {
						return nil, err
					}
					metrics = append(metrics, lab.Metric{
						Name:  callsName(row.Count, v, n),
						Unit:  "ns/op",
						Value: ns,
						Label: fmt.Sprintf("count %d, %s, %d calls a run", row.Count, v, n),
					})
				}
			}
		}
		return metrics, nil
	}
}

// timeRun returns nanoseconds per call in a run of that many calls.
func timeRun(ctx context.Context, b *lab.Bench, op *lab.Op, calls int, count int64) (float64, error) {
	repeat := 1
	if int64(calls)*count < callsShort {
		repeat = 3
	}
	op.N = calls
	var ns []float64
	for range repeat {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		ns = append(ns, b.Time(op))
	}
	return stats.Median(ns), nil
}
