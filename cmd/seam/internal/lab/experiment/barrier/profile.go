package barrier

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/barrier/cpuprofile"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// How many references are profiled, and how many it takes to choose their kind.
const (
	profiled = 100_000
	sounded  = 20_000
)

// profileTime is how long to profile. There are 100 samples per second and processor.
func profileTime(mode lab.Mode) time.Duration {
	return lab.ByMode(mode, 400*time.Millisecond, 1500*time.Millisecond, 4*time.Second)
}

// probeProfile profiles stores during collections, with the references that make a
// collection longest in this process. Only those whose stores have a write barrier are
// considered: with the others one would see nothing but a loop.
func probeProfile(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) {
	k, err := dearest(ctx, sounded)
	if err != nil {
		return nil, err
	}
	tree, found, err := profileStores(ctx, k, profiled, profileTime(b.Mode))
	if err != nil {
		return nil, err
	}
	b.Profile(tree)
	return found, nil
}

// dearest is the kind with a write barrier whose collection takes longest with n references.
func dearest(ctx context.Context, n int) (found kind, err error) {
	live, release := populate(n)
	defer release()
	longest := -1.0
	for _, k := range kinds {
		if !k.barrier {
			continue
		}
		if ctx.Err() != nil {
			return kind{}, ctx.Err()
		}
		h, err := k.hold(live, n)
		if err != nil {
			continue // without C it is another one
		}
		took := collect().wall
		h.close()
		if took > longest {
			longest, found = took, k
		}
	}
	return found, nil
}

func profileStores(ctx context.Context, k kind, n int, length time.Duration) (tree result.Profile, found []lab.Metric, err error) {
	live, release := populate(n)
	defer release()
	defer runtime.GC()
	h, err := k.hold(live, n)
	if err != nil {
		return tree, nil, err
	}
	defer h.close()
	t, ok := h.(table)
	if !ok {
		return tree, nil, fmt.Errorf("references of the kind %s can't be stored where they are held", k.name)
	}
	p, err := cpuprofile.Record(func() error {
		// A goroutine of its own, because the callers up to here are of no interest.
		done := make(chan struct{})
		go func() {
			defer close(done)
			storeFor(ctx, length, t)
		}()
		<-done
		return ctx.Err()
	})
	if err != nil {
		return tree, nil, err
	}
	tree, samples := cpuprofile.Fold(p, name(k.name, n)+"/what=profile", label(k, n), nil)
	if samples == 0 {
		return tree, nil, lab.Skip("no sample in %v of work: the signals behind CPU profiles don't reach this process", length)
	}
	return tree, []lab.Metric{{Unit: "count", Value: float64(samples), Label: "samples of the profile"}}, nil
}

// storeFor stores references during back-to-back collections.
func storeFor(ctx context.Context, length time.Duration, t table) {
	for end := time.Now().Add(length); time.Now().Before(end) && ctx.Err() == nil; {
		duringCollection(func(func() time.Duration) { t.store(stretch) })
	}
}
