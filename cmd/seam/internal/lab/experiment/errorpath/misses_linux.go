package errorpath

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// decodes is how many decodes misses are counted over, at least.
const decodes = 4000

// probeMisses counts with the processor's counter, or else by Cachegrind.
func (v variant) probeMisses(ctx context.Context, b *lab.Bench, types int) ([]lab.Metric, error) {
	count, source := countMisses, byCounter
	if why := tryCounter(misses); why != nil {
		tool, err := findCachegrind()
		if err != nil {
			return nil, lab.Skip("no counter (%v), and no Cachegrind: %v", why, err)
		}
		if all := v.sizesOf(b.Mode); b.Mode == lab.Quick && types != all[len(all)-1] {
			return nil, lab.Skip("left out of --quick: no counter (%v), and Cachegrind is slow", why)
		}
		count, source = tool.misses, byCachegrind
	}
	layouts := v.layouts()
	paths := make([]string, len(layouts))
	for i, layout := range layouts {
		path, err := v.program(ctx, b, layout)
		if err != nil {
			return nil, err
		}
		paths[i] = path
	}
	found, failed := make([]float64, len(layouts)), make([]error, len(layouts))
	atOnce := runtime.GOMAXPROCS(0)
	if source == byCounter {
		atOnce = 1 // they would disturb each other's caches
	}
	turns := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i := range layouts {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			found[i], failed[i] = count(ctx, paths[i], types)
		})
	}
	all.Wait()
	if err := errors.Join(failed...); ctx.Err() == nil && err != nil {
		return nil, lab.Skip("%s does not count: %v", source, err)
	}
	var list []lab.Metric
	for i, layout := range layouts {
		list = append(list, lab.Metric{Name: name(layout, types), Unit: unitMisses, Value: found[i], Label: missLabel(layout, types, source)})
	}
	return list, ctx.Err()
}
