package chart

import (
	"cmp"
	"slices"
)

// spread moves places apart so that neighbours are at least gap away from each
// other, inside [lo, hi] as far as they fit, each as near to where it was as its
// neighbours let it. The order of the result is that of places.
func spread(places []float64, gap, lo, hi float64) []float64 {
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(places[i], places[j]) })
	// Neighbours that touch form a cluster around the middle of what they want.
	type cluster struct{ sum, n float64 }
	start := func(c cluster) float64 { return c.sum/c.n - gap*(c.n-1)/2 }
	var stack []cluster
	for _, i := range order {
		c := cluster{places[i], 1}
		for len(stack) > 0 {
			prev := stack[len(stack)-1]
			if start(prev)+gap*prev.n <= start(c) {
				break
			}
			c = cluster{prev.sum + c.sum, prev.n + c.n}
			stack = stack[:len(stack)-1]
		}
		stack = append(stack, c)
	}
	moved := make([]float64, len(places))
	k := 0
	for _, c := range stack {
		for n := range int(c.n) {
			moved[order[k]] = start(c) + gap*float64(n)
			k++
		}
	}
	// Push back what the ends cut off, the far end first.
	limit := hi
	for k := len(order) - 1; k >= 0; k-- {
		moved[order[k]] = min(moved[order[k]], limit)
		limit = moved[order[k]] - gap
	}
	limit = lo
	for _, i := range order {
		moved[i] = max(moved[i], limit)
		limit = moved[i] + gap
	}
	return moved
}
