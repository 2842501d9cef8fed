package payload

import (
	"context"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// partsBudget is how long the pieces of one library and size are timed in a process.
func partsBudget(mode lab.Mode) time.Duration {
	return lab.InQuick(mode, 120*time.Millisecond, 400*time.Millisecond)
}

// probeParts times the pieces of a library's calls in the same blocks as the whole.
func probeParts(ctx context.Context, b *lab.Bench, bytes int, lib string) ([]lab.Metric, error) {
	var ops []*lab.Op
	defer func() {
		for _, op := range ops {
			op.Close()
		}
	}()
	add := func(o order) (int, error) {
		o.Do, o.Bytes = "time", bytes
		op, err := piece(ctx, b, lib, o, b.Stretch)
		if err != nil {
			return 0, err
		}
		ops = append(ops, op)
		return len(ops) - 1, nil
	}
	var err error
	whole, crossing, alone := map[string]int{}, map[string]int{}, map[string]int{}
	for _, via := range vias {
		if whole[via], err = add(order{Via: via}); err != nil {
			return nil, err
		}
		if crossing[via], err = add(order{Via: via, Part: "crossing"}); err != nil {
			return nil, err
		}
	}
	for _, s := range shared {
		if alone[s], err = add(order{Via: viaLeaf, Part: s}); err != nil {
			return nil, err
		}
	}
	tight := -1
	if lib == libSimd {
		if tight, err = add(order{Via: viaLeaf, Tight: true}); err != nil {
			return nil, err
		}
	}

	var blocks [][]float64 // by block and arm, the sum of two samples
	b.Blocks(ctx, ops, 2, partsBudget(b.Mode), func(block, arm, _ int, ns float64) {
		for len(blocks) <= block {
			blocks = append(blocks, make([]float64, len(ops)))
		}
		blocks[block][arm] += ns
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var list []lab.Metric
	for _, sums := range blocks {
		ns := func(arm int) float64 { return sums[arm] / 2 }
		piece := map[string]float64{}
		for _, s := range shared {
			piece[s] = ns(alone[s])
		}
		for _, via := range vias {
			p := takeApart(via, ns(whole[via]), ns(crossing[via]), piece)
			for _, part := range parts {
				list = append(list, lab.Metric{Name: partName(bytes, lib, via, part), Unit: unitTime, Value: p[part], Label: label(lib, via) + ": " + part})
			}
		}
		if tight >= 0 {
			list = append(list, lab.Metric{Name: tightName(bytes, lib), Unit: unitTime, Value: ns(tight) - ns(whole[viaLeaf]),
				Label: label(lib, viaLeaf) + ": more without slack behind the message"})
		}
	}
	return list, nil
}
