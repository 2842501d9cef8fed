// Package paired compares two programs that were run in turns.
//
// A round runs them in the order old, new, new, old, each time in a fresh
// process: what drifts evenly over the round cancels out, and where the linker
// and the kernel put code and stacks is drawn anew. A round is therefore one
// observation, however often a benchmark was repeated in it, and the interval is
// Student's over the rounds, on logarithms, where a/b and b/a are opposites. (The tool's
// package stats judges runs of the lab; it is internal to another module.)
package paired

import (
	"fmt"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// Confidence is the level of every interval.
const Confidence = 0.95

// A Round is the times of one round in any unit, each above zero.
type Round struct{ Old, New [2]float64 }

// Log is the logarithm of how many times as fast the new program is.
func (r Round) Log() float64 {
	return (math.Log(r.Old[0]) + math.Log(r.Old[1]) - math.Log(r.New[0]) - math.Log(r.New[1])) / 2
}

// A Speedup says how many times as fast the new program is: 2 is half the time.
// Lo and Hi are the ends of its interval; of a single round, which has none, 0
// and infinity.
type Speedup struct{ Ratio, Lo, Hi float64 }

// String is how many times as fast: "4.12×".
func (s Speedup) String() string { return fmt.Sprintf("%.2f×", s.Ratio) }

// Interval is that of the speedup: "3.90–4.30×".
func (s Speedup) Interval() string {
	if math.IsInf(s.Hi, 1) {
		return "one round"
	}
	return fmt.Sprintf("%.2f–%.2f×", s.Lo, s.Hi)
}

// Of returns the speedup that the logarithms of rounds show (see [Round.Log]).
// Of none it is 1, and nothing is known about it.
func Of(logs []float64) Speedup {
	if len(logs) == 0 {
		return Speedup{1, 0, math.Inf(1)}
	}
	mean := stats.Mean(logs)
	s := Speedup{math.Exp(mean), 0, math.Inf(1)}
	if n := float64(len(logs)); n > 1 {
		t := stats.InvCDF(stats.TDist{V: n - 1})((1 + Confidence) / 2)
		half := t * stats.StdDev(logs) / math.Sqrt(n)
		s.Lo, s.Hi = math.Exp(mean-half), math.Exp(mean+half)
	}
	return s
}

// GeometricMean returns the speedup over all benchmarks. logs holds, for each of
// them, the logarithms of the same rounds: what a round did to all benchmarks
// together counts once.
func GeometricMean(logs [][]float64) Speedup {
	var rounds []float64
	for r := 0; ; r++ {
		var round []float64
		for _, l := range logs {
			if r >= len(l) {
				return Of(rounds)
			}
			round = append(round, l[r])
		}
		if len(round) == 0 {
			return Of(nil)
		}
		rounds = append(rounds, stats.Mean(round))
	}
}

// Median returns the middle of values, 0 of none. The order of values is kept.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	v := slices.Sorted(slices.Values(values))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
