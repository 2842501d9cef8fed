package buffers

import (
	"maps"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

const nsPerOp = "ns/op"

type analysis struct{ lab.Analysis }

// blocks is what a series has in each block.
func (f analysis) blocks(name string) map[result.Block]float64 {
	if s := f.Find(name, nsPerOp); s != nil {
		return result.Blocks(s.Samples)
	}
	return nil
}

// A gap is how much longer one thing takes than another, ns, with an interval.
type gap struct{ ns, lo, hi float64 }

// shown reports whether it is more than nothing.
func (g gap) shown() bool { return g.lo > 0 }

// gap returns how much longer the series of plus take together than those of
// minus. If all of them share blocks, differences are taken within a block,
// otherwise between the medians of a process.
func (f analysis) gap(plus, minus []string) (gap, bool) {
	var all []map[result.Block]float64
	for _, name := range append(slices.Clone(plus), minus...) {
		all = append(all, f.blocks(name))
	}
	values, rounds := differences(all, len(plus))
	if len(values) == 0 {
		for i := range all {
			all[i] = medians(all[i])
		}
		if values, rounds = differences(all, len(plus)); len(values) == 0 {
			return gap{}, false
		}
	}
	s := stats.Summarize(values, rounds, 1)
	return gap{s.Median, s.Lo, s.Hi}, true
}

// differences adds the first of all and takes off the others, in the blocks that
// they have in common.
func differences(all []map[result.Block]float64, plus int) (values []float64, rounds []int) {
	for _, at := range slices.SortedFunc(maps.Keys(all[0]), result.Block.Compare) { // or the same run could have different reports
		v, whole := 0.0, true
		for i, o := range all {
			x, ok := o[at]
			if i >= plus {
				x = -x
			}
			v, whole = v+x, whole && ok
		}
		if whole {
			values, rounds = append(values, v), append(rounds, at.Round)
		}
	}
	return values, rounds
}

// medians are those of each process, as its only block.
func medians(blocks map[result.Block]float64) map[result.Block]float64 {
	of := map[int][]float64{}
	for at, v := range blocks {
		of[at.Round] = append(of[at.Round], v)
	}
	one := map[result.Block]float64{}
	for round, values := range of {
		one[result.Block{Round: round}] = stats.Summarize(values, nil, 1).Median
	}
	return one
}

// measured are the sizes that a situation has a figure of.
func (f analysis) measured(s situation, from string) (list []int) {
	for _, size := range sizes {
		if f.Find(s.name(from, size), nsPerOp) != nil {
			list = append(list, size)
		}
	}
	return list
}
