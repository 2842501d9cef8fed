package chart

import (
	"slices"
	"testing"
)

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []float64
		want []float64
	}{
		{"none", nil, []float64{}},
		{"far apart stay", []float64{10, 50}, []float64{10, 50}},
		{"a pair parts around its middle", []float64{50, 52}, []float64{46, 56}},
		{"order is kept", []float64{52, 50}, []float64{56, 46}},
		{"equal", []float64{50, 50, 50}, []float64{40, 50, 60}},
		{"pushed in at the low end", []float64{1, 2}, []float64{0, 10}},
		{"pushed in at the high end", []float64{99, 100}, []float64{90, 100}},
		{"a cluster meets its neighbour", []float64{50, 52, 60}, []float64{44, 54, 64}},
	} {
		got := spread(c.in, 10, 0, 100)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: spread(%v) = %v, want %v", c.name, c.in, got, c.want)
		}
	}
}
