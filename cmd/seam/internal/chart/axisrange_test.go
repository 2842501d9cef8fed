package chart

import (
	"math"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

func TestBarAxis(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		lo, hi float64
		log    bool
	}{
		{"none", nil, 0, 1, false},
		{"only zero", []float64{0}, 0, 1, false},
		{"not numbers", []float64{math.NaN(), math.Inf(1)}, 0, 1, false},
		{"one", []float64{5}, 0, 5, false},
		{"500× is linear still", []float64{1, 500}, 0, 500, false},
		{"more is logarithmic", []float64{2, 1100}, 1, 1210, true},
		{"a bar at a power of ten is seen", []float64{1, 1000}, 0.1, 1100, true},
		{"zero among a large span", []float64{0, 2, 1100}, 1, 1210, true},
		{"negative keeps it linear", []float64{-1, 2, 110}, -1, 110, false},
		{"all negative", []float64{-3}, -3, 0, false},
	} {
		x := barAxis(c.values, 0, 1)
		if math.Abs(x.lo-c.lo) > 1e-9 || math.Abs(x.hi-c.hi) > 1e-9 || x.log != c.log {
			t.Errorf("%s: got %v..%v log %v, want %v..%v log %v", c.name, x.lo, x.hi, x.log, c.lo, c.hi, c.log)
		}
	}
}

func TestLogAxisOfCloseValues(t *testing.T) {
	for _, values := range [][]float64{{5}, {5, 5.1}, {math.MaxFloat64}, {math.SmallestNonzeroFloat64}} {
		x, ok := logAxis(values, 0, 100)
		if !ok || !quantity.Usable(x.lo) || !quantity.Usable(x.hi) || x.lo <= 0 || x.hi <= x.lo || !quantity.Usable(x.at(values[0])) {
			t.Errorf("logAxis(%v) = %+v, %v", values, x, ok)
		}
	}
	if _, ok := logAxis([]float64{0, -1, math.NaN()}, 0, 1); ok {
		t.Error("an axis of nothing")
	}
}
