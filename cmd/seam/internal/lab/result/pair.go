package result

import (
	"cmp"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// A Block is where samples were taken within milliseconds of each other: one block of one
// process.
type Block struct{ Round, Number int }

// Compare puts blocks in their order.
func (b Block) Compare(other Block) int {
	return cmp.Or(cmp.Compare(b.Round, other.Round), cmp.Compare(b.Number, other.Number))
}

// Blocks is the mean of the two samples that a case gives in a block. A block that was cut
// short has none.
func Blocks(samples []Sample) map[Block]float64 {
	means, count := map[Block]float64{}, map[Block]int{}
	for _, s := range samples {
		b := Block{s.Round, s.Block}
		means[b] += s.Value / 2
		count[b]++
	}
	for b, n := range count {
		if n != 2 {
			delete(means, b)
		}
	}
	return means
}

// Paired returns the ratio of a over b for each block that both have, in their order.
func Paired(a, b map[Block]float64) []stats.Block {
	var list []Block
	for at, v := range a {
		if v > 0 && b[at] > 0 {
			list = append(list, at)
		}
	}
	slices.SortFunc(list, Block.Compare)
	blocks := make([]stats.Block, len(list))
	for i, at := range list {
		blocks[i] = stats.Block{Cluster: at.Round, Ratio: a[at] / b[at]}
	}
	return blocks
}

// SideBySide returns the ratios of two series of the same unit: for each block in which
// both were measured, or for each process where they were measured by probes, which
// know no blocks.
func SideBySide(a, b *Series) []stats.Block {
	if list := Paired(Blocks(a.Samples), Blocks(b.Samples)); len(list) > 0 {
		return list
	}
	return Paired(byRound(a.Samples), byRound(b.Samples))
}

// byRound is the median of what each process measured.
func byRound(samples []Sample) map[Block]float64 {
	values := map[Block][]float64{}
	for _, s := range samples {
		at := Block{Round: s.Round}
		values[at] = append(values[at], s.Value)
	}
	medians := map[Block]float64{}
	for at, v := range values {
		medians[at] = stats.Median(v)
	}
	return medians
}
