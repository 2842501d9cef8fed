package stats

import (
	"math/rand/v2"
	"slices"
	"sort"
)

// resamples is how often a bootstrap draws. The ends of a 95 % interval then
// rest on 25 draws each, which moves them by a few per cent of its width.
const resamples = 1000

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x57a75)) }

// percentiles returns the percentile interval (Efron and Tibshirani, "An
// Introduction to the Bootstrap", chapter 13) of draws in ascending order.
func percentiles(sorted []float64, level float64) interval {
	return interval{quantile(sorted, (1-level)/2), quantile(sorted, (1+level)/2)}
}

// bootstrapPooled returns the interval of the median of all values, drawing
// processes and then values inside each. sorted holds all values in order.
func bootstrapPooled(groups [][]float64, sorted []float64, seed uint64) interval {
	// A draw is a count of how often each rank was taken: finding the median of
	// counts is one walk, where a copy of the values would have to be sorted.
	ranks := make([][]int, len(groups))
	for i, g := range groups {
		for _, v := range g {
			ranks[i] = append(ranks[i], sort.SearchFloat64s(sorted, v))
		}
	}
	rnd := newRand(seed)
	counts := make([]int, len(sorted))
	draws := make([]float64, resamples)
	for d := range draws {
		clear(counts)
		total := 0
		for range ranks {
			r := ranks[rnd.IntN(len(ranks))]
			for range r {
				counts[r[rnd.IntN(len(r))]]++
			}
			total += len(r)
		}
		draws[d] = countedMedian(sorted, counts, total)
	}
	slices.Sort(draws)
	return percentiles(draws, Confidence)
}

// countedMedian is the median of total values of which sorted[i] occurs
// counts[i] times.
func countedMedian(sorted []float64, counts []int, total int) float64 {
	lower, upper := (total-1)/2, total/2 // equal where total is odd
	seen, first := 0, 0
	for i, c := range counts {
		if seen <= lower && lower < seen+c {
			first = i
		}
		if upper < seen+c {
			return sorted[first]/2 + sorted[i]/2
		}
		seen += c
	}
	return sorted[len(sorted)-1]
}

// A resampler draws bootstrap means of process medians.
type resampler struct {
	groups [][]float64 // one sorted slice a process
	counts []int
	rnd    *rand.Rand
}

func newResampler(groups [][]float64, rnd *rand.Rand) *resampler {
	longest := 0
	for _, g := range groups {
		longest = max(longest, len(g))
	}
	return &resampler{groups, make([]int, longest), rnd}
}

// draw takes as many processes as there are, resamples the values of each, and
// returns the mean of their medians.
func (r *resampler) draw() float64 {
	mean := 0.0
	for range r.groups {
		g := r.groups[r.rnd.IntN(len(r.groups))]
		counts := r.counts[:len(g)]
		clear(counts)
		for range g {
			counts[r.rnd.IntN(len(g))]++
		}
		mean += countedMedian(g, counts, len(g)) / float64(len(r.groups))
	}
	return mean
}
