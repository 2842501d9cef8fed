package paired

import (
	"math"
	"testing"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name   string
		rounds []Round
		want   Speedup
	}{
		{"none", nil, Speedup{1, 0, math.Inf(1)}},
		{"one round", []Round{{[2]float64{30, 30}, [2]float64{10, 10}}}, Speedup{3, 0, math.Inf(1)}},
		{"no spread", []Round{
			{[2]float64{20, 20}, [2]float64{10, 10}},
			{[2]float64{40, 40}, [2]float64{20, 20}},
		}, Speedup{2, 2, 2}},
		{"even drift cancels out", []Round{
			{[2]float64{20, 20 * 8}, [2]float64{10 * 2, 10 * 4}},
			{[2]float64{20, 20}, [2]float64{10, 10}},
		}, Speedup{2, 2, 2}},
		// Logarithms -1, 0, 1: deviation 1, and t(2, 97.5 %) is 4.30265.
		{"spread", []Round{
			{[2]float64{1, 1}, [2]float64{math.E, math.E}},
			{[2]float64{1, 1}, [2]float64{1, 1}},
			{[2]float64{math.E, math.E}, [2]float64{1, 1}},
		}, Speedup{1, math.Exp(-4.30265 / math.Sqrt(3)), math.Exp(4.30265 / math.Sqrt(3))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var logs []float64
			for _, r := range c.rounds {
				logs = append(logs, r.Log())
			}
			if got := Of(logs); !near(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestGeometricMean(t *testing.T) {
	log := math.Log
	for _, c := range []struct {
		name string
		logs [][]float64
		want Speedup
	}{
		{"none", nil, Speedup{1, 0, math.Inf(1)}},
		{"two benchmarks", [][]float64{{log(2), log(2)}, {log(8), log(8)}}, Speedup{4, 4, 4}},
		{"opposite noise cancels out", [][]float64{{log(1), log(4)}, {log(4), log(1)}}, Speedup{2, 2, 2}},
		{"rounds that not all have don't count", [][]float64{{log(3), log(3)}, {log(3)}}, Speedup{3, 0, math.Inf(1)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := GeometricMean(c.logs); !near(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := Median(c.values); got != c.want {
			t.Errorf("the median of %v is %v, want %v", c.values, got, c.want)
		}
	}
}

func near(a, b Speedup) bool {
	close := func(x, y float64) bool { return x == y || math.Abs(x-y) < 1e-4*y }
	return close(a.Ratio, b.Ratio) && close(a.Lo, b.Lo) && close(a.Hi, b.Hi)
}

func TestSpeedupInWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Speedup{Ratio: 1.5}.String(), "1.50×"},
		{Speedup{Ratio: 2, Lo: 1.5, Hi: 2.5}.Interval(), "1.50–2.50×"},
		{Of([]float64{0}).Interval(), "one round"}, {Of([]float64{0, 0}).Interval(), "1.00–1.00×"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
