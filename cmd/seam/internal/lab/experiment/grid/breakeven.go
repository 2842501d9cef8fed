package grid

import (
	"context"
	"errors"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// searchHigh is where the search gives up: about half a millisecond of Go for
// fold and some milliseconds for nofold, thousands of calls' worth.
const searchHigh = 1_000_000

// searchBlocks is how many paired blocks make one ratio of the search; their
// median is taken. From searchLong on a single call is a long sample, and fewer
// blocks must do.
const (
	searchBlocks     = 7
	searchLong       = 100_000
	searchLongBlocks = 3
)

var breakEvenSearch = search{low: 1, high: searchHigh, tight: 0.03, margin: 0.03}

// breakEvenProbe finds the count from which on v is faster than Go, and how
// long Go takes for that count. Each process gives one value, so the interval
// comes from the processes.
func breakEvenProbe(k kind, v via) func(context.Context, *lab.Bench) ([]lab.Metric, error) {
	return func(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) {
		// Many short samples: a search needs a sound median at many counts more
		// than a precise one at a few, and a short sample is less often
		// interrupted.
		short := *b
		short.Stretch = b.Stretch / 8

		found, err := breakEvenSearch.find(func(count int64) (float64, error) {
			return pairedRatio(ctx, &short, k, v, count)
		})
		switch {
		case errors.Is(err, errNone):
			return nil, lab.Skip("none found up to count %d, where C would have to be faster by %.0f %%", searchHigh, 100*breakEvenSearch.margin)
		case errors.Is(err, errAlways):
			return nil, lab.Skip("none: the call through %s costs no more than Go even at count %d", v, breakEvenSearch.low)
		case errors.Is(err, errUnsteady):
			return nil, lab.Skip("none found: timings at the same count contradict each other; repeat on a quieter machine")
		case err != nil:
			return nil, err
		}
		ns, err := goTime(ctx, &short, k, found)
		if err != nil {
			return nil, err
		}
		return []lab.Metric{
			{Unit: "count", Value: found.at},
			{Unit: "ns", Value: ns},
		}, nil
	}
}

// pairedRatio returns the time through v over Go's for one count.
func pairedRatio(ctx context.Context, b *lab.Bench, k kind, v via, count int64) (float64, error) {
	there, err := newOp(k, v, count)
	if err != nil {
		return 0, err
	}
	here, err := newOp(k, viaGo, count)
	if err != nil {
		return 0, err
	}
	blocks := searchBlocks
	if count >= searchLong {
		blocks = searchLongBlocks
	}
	ratios := b.Ratio(ctx, there, here, blocks)
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if len(ratios) == 0 {
		return 0, errors.New("grid: the clock did not advance during a sample")
	}
	return stats.Median(ratios), nil
}

// goTime returns Go's nanoseconds at the crossing, interpolated between the
// ends of the bracket.
func goTime(ctx context.Context, b *lab.Bench, k kind, at bracket) (float64, error) {
	var arms []*lab.Op
	for _, count := range []int64{at.lo, at.hi} {
		op, err := newOp(k, viaGo, count)
		if err != nil {
			return 0, err
		}
		arms = append(arms, op)
	}
	var ns [2][]float64
	b.Blocks(ctx, arms, searchBlocks, 0, func(_, arm, _ int, v float64) {
		ns[arm] = append(ns[arm], v)
	})
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	lo, hi := stats.Median(ns[0]), stats.Median(ns[1])
	share := 0.0
	if at.hi > at.lo {
		share = (at.at - float64(at.lo)) / float64(at.hi-at.lo)
	}
	return lo + share*(hi-lo), nil
}
