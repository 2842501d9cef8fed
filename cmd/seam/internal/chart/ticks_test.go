package chart

import (
	"math"
	"slices"
	"testing"
)

func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		major  []float64
		minor  int
	}{
		{1, 1000, []float64{1, 10, 100, 1000}, 24},
		{8, 120, []float64{10, 100}, 10},
		{3, 30, []float64{5, 10, 20}, 7}, // one power of ten only
		{21, 49, nil, 2},
		{21, 51, []float64{50}, 2},
		{0, 10, nil, 0}, {-1, 10, nil, 0}, {10, 10, nil, 0},
		{math.NaN(), 10, nil, 0}, {1, math.Inf(1), nil, 0},
	} {
		major, minor := logTicks(c.lo, c.hi)
		if !slices.Equal(major, c.major) || len(minor) != c.minor {
			t.Errorf("logTicks(%v, %v) = %v and %d minor (%v), want %v and %d", c.lo, c.hi, major, len(minor), minor, c.major, c.minor)
		}
	}
}

func TestLinearTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		r      Rounding
		want   []float64
	}{
		{0, 27, Decimal, []float64{0, 5, 10, 15, 20, 25}},
		{0, 1, Decimal, []float64{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}},
		{-4, 4, Decimal, []float64{-4, -2, 0, 2, 4}},
		{0, 3, Whole, []float64{0, 1, 2, 3}},
		{0, 27, Whole, []float64{0, 5, 10, 15, 20, 25}},
		{0, 5000, Binary, []float64{0, 1024, 2048, 3072, 4096}},
		{0, 0, Decimal, nil}, {0, math.Inf(1), Whole, nil}, {1, 0, Binary, nil},
	} {
		if got := linearTicks(c.lo, c.hi, 6, c.r); !slices.Equal(got, c.want) {
			t.Errorf("linearTicks(%v, %v) = %v, want %v", c.lo, c.hi, got, c.want)
		}
	}
}

func TestTicksOfALogAxis(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		r      Rounding
		want   []float64
	}{
		{0.1, 100, Decimal, []float64{0.1, 1, 10, 100}},
		{0.1, 100, Whole, []float64{1, 10, 100}},
		{0.1, 9, Binary, []float64{1, 2, 4, 8}},
		{100, 700, Binary, []float64{128, 256, 512}},
	} {
		if got, _ := (axis{c.lo, c.hi, 0, 100, true}).ticks(3, c.r); !slices.Equal(got, c.want) {
			t.Errorf("ticks from %v to %v: %v, want %v", c.lo, c.hi, got, c.want)
		}
	}
}

func TestThin(t *testing.T) {
	x := axis{1, 1e6, 0, 100, true}
	ticks := []float64{1, 10, 100, 1e3, 1e4, 1e5, 1e6}
	if got := thin(ticks, x, func(float64) float64 { return 20 }); !slices.Equal(got, []float64{1, 100, 1e4, 1e6}) {
		t.Errorf("labels 20 wide at every 16.7: %v", got)
	}
	if got := thin(ticks, x, func(float64) float64 { return 2 }); len(got) != len(ticks) {
		t.Errorf("narrow labels were thinned: %v", got)
	}
}
