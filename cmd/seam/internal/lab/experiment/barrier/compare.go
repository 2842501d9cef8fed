package barrier

import (
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// compare sets each collection with references against the one beside it without. What
// the numbers make no difference is the control.
func compare(e *result.Experiment) {
	for _, n := range sizes {
		for _, unit := range []string{unitWall, unitCPU, unitMark, unitPause} {
			margin := lab.Margin
			for _, k := range kinds { // none comes first
				s, beside := e.Find(costName(k.name, n, unit), unit), e.Find(besideName(k.name, n, unit), unit)
				if s == nil || beside == nil {
					continue
				}
				c := stats.CompareMedians(blocks(s, beside), s.Median/beside.Median, margin, 1)
				if c.Blocks == 0 {
					continue
				}
				if c.Verdict == stats.Same && (c.Lo < 1/(1+lab.Margin) || c.Hi > 1+lab.Margin) {
					c.Verdict = stats.Unproven // noise proves nothing
				}
				r := result.Comparison{Name: s.Name, Base: beside.Name, Unit: unit,
					Ratio: c.Ratio, Lo: c.Lo, Hi: c.Hi, Blocks: c.Blocks, Verdict: string(c.Verdict), Finds: c.Finds}
				if k.name == kindNone {
					e.Controls = append(e.Controls, r)
					margin = max(margin, c.Ratio-1, 1/c.Ratio-1)
				} else {
					e.Comparisons = append(e.Comparisons, r)
				}
			}
		}
	}
	// Otherwise lab compare would estimate the machine's drift from the collections.
	for _, n := range sizes {
		if e.Find(restName(kindNone, n), "ns/op") != nil {
			e.Yardsticks = append(e.Yardsticks, restName(kindNone, n))
		}
	}
}

// A pair was measured next to each other.
type pair struct{ with, beside float64 }

// paired finds the pairs of two series, and for each the process that it is from.
func paired(s, beside *result.Series) (pairs []pair, rounds []int) {
	type place struct{ round, block int }
	at := map[place]float64{}
	for _, b := range beside.Samples {
		at[place{b.Round, b.Block}] = b.Value
	}
	for _, a := range s.Samples {
		if v, ok := at[place{a.Round, a.Block}]; ok {
			pairs, rounds = append(pairs, pair{a.Value, v}), append(rounds, a.Round)
		}
	}
	return pairs, rounds
}

func blocks(s, beside *result.Series) []stats.Block {
	var list []stats.Block
	pairs, rounds := paired(s, beside)
	for i, p := range pairs {
		if p.beside > 0 {
			list = append(list, stats.Block{Cluster: rounds[i], Ratio: p.with / p.beside})
		}
	}
	return list
}
