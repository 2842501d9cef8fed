package buffers

import (
	"math"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// line makes points at 4, 8, 16, … KB from ratios, each with an interval of that
// many per cent.
func line(percent float64, ratios ...float64) (list []point) {
	for i, r := range ratios {
		p := point{size: 4096 << i, ratio: r, lo: r / (1 + percent/100), hi: r * (1 + percent/100), verdict: stats.Unproven}
		switch {
		case p.lo > 1:
			p.verdict = stats.Slower
		case p.hi < 1:
			p.verdict = stats.Faster
		}
		list = append(list, p)
	}
	return list
}

func TestCross(t *testing.T) {
	tests := []struct {
		name       string
		points     []point
		want       outcome
		poolAbove  bool
		at, lo, hi float64 // KB
	}{
		{"nothing is measured", nil, unmeasured, false, 0, 0, 0},
		{"one size", line(5, 1.5), stackOnly, false, 0, 0, 0},
		{"noise", line(50, 1.2, 0.9, 1.1, 0.8), unproven, false, 0, 0, 0},
		{"the stack is always faster", line(5, 1.5, 1.4, 1.3), stackOnly, false, 0, 0, 0},
		{"the stack at first, then nobody knows", line(5, 1.5, 1.02, 0.98), stackOnly, false, 0, 0, 0},
		{"the pool is always faster", line(5, 0.9, 0.8, 0.7), poolOnly, false, 0, 0, 0},
		{"at a size that was measured", line(1, 2, 1, 0.5), crosses, true, 8, 7.92, 8.08},
		{"half way", line(10, 2, 0.5), crosses, true, 5.66, 5.39, 5.93},
		{"wide intervals reach over the sizes between", line(20, 1.5, 1.05, 0.98, 0.7), crosses, true, 13.1, 6.17, 22.3},
		{"a crossing that noise makes three of", line(10, 1.5, 0.97, 1.03, 0.7), crosses, true, 11.4, 6.55, 20.0},
		{"the stack overtakes the pool", line(10, 0.5, 2), crosses, false, 5.66, 5.39, 5.93},
		{"there and back", line(5, 1.5, 0.7, 1.5), tangled, false, 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, got := cross(tt.points)
			if got != tt.want || c.poolAbove != tt.poolAbove {
				t.Fatalf("outcome %v, pool above %v; want %v, %v", got, c.poolAbove, tt.want, tt.poolAbove)
			}
			for _, v := range []struct{ got, want float64 }{{c.at, tt.at}, {c.lo, tt.lo}, {c.hi, tt.hi}} {
				if math.Abs(v.got/1024-v.want) > 0.005*v.want {
					t.Errorf("crosses at %.4v KB (%.4v to %.4v), want %v (%v to %v)", c.at/1024, c.lo/1024, c.hi/1024, tt.at, tt.lo, tt.hi)
					break
				}
			}
		})
	}
}

func TestRangesNameNeighboursTogether(t *testing.T) {
	points := line(5, 1, 1, 1, 1, 1, 1)
	for want, which := range map[string][]int{
		"":                            nil,
		"4 KB":                        {4 << 10},
		"4 to 16 KB":                  {4 << 10, 8 << 10, 16 << 10},
		"8 KB and 32 to 128 KB":       {8 << 10, 32 << 10, 64 << 10, 128 << 10},
		"4 to 8 KB, 32 KB and 128 KB": {4 << 10, 8 << 10, 32 << 10, 128 << 10},
	} {
		if got := ranges(points, which); got != want {
			t.Errorf("ranges of %v: %q, want %q", which, got, want)
		}
	}
}

// Of what lies beyond a crossing is told where nothing is proven.
func TestBeyond(t *testing.T) {
	points := line(5, 1.5, 1.4, 1, 0.7, 1, 0.99)
	points[4].verdict, points[5].verdict = stats.Unproven, stats.Same
	c, w := cross(points)
	if got, want := beyond(points, c), ", equally fast at 128 KB, not clear at 64 KB"; w != crosses || got != want {
		t.Errorf("outcome %d, got %q, want %q", w, got, want)
	}
	points[4].verdict, points[5].verdict = stats.Faster, stats.Faster
	if got := beyond(points, c); got != "" {
		t.Errorf("got %q of sizes that are all proven", got)
	}
}

func TestWhere(t *testing.T) {
	points := line(5, 1.5, 1.4, 1.02, 1, 0.99, 1.3)
	points[2].verdict, points[3].verdict = stats.Same, stats.Same
	if got, want := where(points, at(points, stats.Slower)), "at 4 to 8 KB and 128 KB, equally fast at 16 to 32 KB, not clear at 64 KB"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := where(points[:2], at(points[:2], stats.Slower)), "from 4 to 8 KB"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
