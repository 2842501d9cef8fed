package chart

import (
	"math"
	"slices"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

func TestAxisAt(t *testing.T) {
	for _, c := range []struct {
		name string
		x    axis
		v    float64
		want float64
	}{
		{"linear middle", axis{0, 10, 100, 200, false}, 5, 150},
		{"linear end", axis{0, 10, 100, 200, false}, 10, 200},
		{"clamped", axis{0, 10, 100, 200, false}, 11, 200},
		{"upwards", axis{0, 10, 200, 100, false}, 2.5, 175},
		{"log middle", axis{1, 100, 0, 100, true}, 10, 50},
		{"log, zero clamped", axis{1, 100, 0, 100, true}, 0, 0},
		{"the largest span", axis{-math.MaxFloat64, math.MaxFloat64, 0, 100, false}, 0, 50},
		{"log, the largest span", axis{tiny, math.MaxFloat64, 0, 100, true}, math.MaxFloat64, 100},
	} {
		if got := c.x.at(c.v); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: at(%v) = %v, want %v", c.name, c.v, got, c.want)
		}
	}
}

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
		{"50× is linear still", []float64{1, 50}, 0, 50, false},
		{"more is logarithmic", []float64{2, 110}, 1, 121, true},
		{"a bar at a power of ten is seen", []float64{1, 100}, 0.1, 110, true},
		{"zero among a large span", []float64{0, 2, 110}, 1, 121, true},
		{"negative keeps it linear", []float64{-1, 2, 110}, -1, 110, false},
		{"all negative", []float64{-3}, -3, 0, false},
	} {
		x := barAxis(c.values, 0, 1)
		if math.Abs(x.lo-c.lo) > 1e-9 || math.Abs(x.hi-c.hi) > 1e-9 || x.log != c.log {
			t.Errorf("%s: got %v..%v log %v, want %v..%v log %v", c.name, x.lo, x.hi, x.log, c.lo, c.hi, c.log)
		}
	}
}

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
