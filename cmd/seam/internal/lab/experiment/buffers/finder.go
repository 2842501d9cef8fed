package buffers

import (
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

const nsPerOp = "ns/op"

// A finder looks figures up by situation.
type analysis struct{ lab.Analysis }

// A block is where samples were taken within milliseconds of each other.
type block struct{ round, number int }

// sums adds what a series has in each block. One that was cut short is left out.
func (f analysis) sums(name string) map[block]float64 {
	s := f.Find(name, nsPerOp)
	if s == nil {
		return nil
	}
	sums, count := map[block]float64{}, map[block]int{}
	for _, x := range s.Samples {
		b := block{x.Round, x.Block}
		sums[b] += x.Value / 2
		count[b]++
	}
	for b, n := range count {
		if n != 2 {
			delete(sums, b)
		}
	}
	return sums
}

// slower tells whether a was shown to be slower than b, measured in turns. margin
// is the least difference that counts.
func (f analysis) slower(a, b string, margin float64) bool {
	x, y := f.sums(a), f.sums(b)
	var blocks []stats.Block
	for at, v := range x {
		if y[at] > 0 && v > 0 {
			blocks = append(blocks, stats.Block{Cluster: at.round, Ratio: v / y[at]})
		}
	}
	return stats.Compare(blocks, margin, 1).Verdict == stats.Slower
}

// A gap is how much longer one thing takes than another, ns, with an interval.
type gap struct{ ns, lo, hi float64 }

// shown tells whether it is more than nothing.
func (g gap) shown() bool { return g.lo > 0 }

// gap returns what the series of plus take together beyond those of minus. Where
// all shared blocks the differences are those within a block, else between the
// medians of a process.
func (f analysis) gap(plus, minus []string) (gap, bool) {
	var all []map[block]float64
	for _, name := range append(slices.Clone(plus), minus...) {
		all = append(all, f.sums(name))
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
func differences(all []map[block]float64, plus int) (values []float64, rounds []int) {
	for at := range all[0] {
		v, whole := 0.0, true
		for i, o := range all {
			x, ok := o[at]
			if i >= plus {
				x = -x
			}
			v, whole = v+x, whole && ok
		}
		if whole {
			values, rounds = append(values, v), append(rounds, at.round)
		}
	}
	return values, rounds
}

// medians are those of each process, as its only block.
func medians(sums map[block]float64) map[block]float64 {
	of := map[int][]float64{}
	for at, v := range sums {
		of[at.round] = append(of[at.round], v)
	}
	one := map[block]float64{}
	for round, values := range of {
		one[block{round, 0}] = stats.Summarize(values, nil, 1).Median
	}
	return one
}

// margin is the least difference that a group's own control allows to be seen.
func (f analysis) margin(base string) float64 {
	m := lab.Margin
	for _, c := range f.Controls {
		if c.Name == base {
			m = max(m, c.Ratio-1, 1/c.Ratio-1)
		}
	}
	return m
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
