package chart

import (
	"math"
	"testing"
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
