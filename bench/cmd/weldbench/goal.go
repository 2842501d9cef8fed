package main

import (
	"fmt"

	"github.com/seamgo/seam/bench/internal/paired"
)

// A goal is what a benchmark is to reach.
type goal struct {
	ratio    float64 // at least so many times as fast; 0: not asked for
	notWorse bool    // not proven slower
	noAllocs bool    // no allocation when welded
}

// goals are those of the modules' benchmarks, by name.
var goals = map[string]goal{
	"Weld/mod=sqlite/op=scan1000":     {ratio: 1.25},
	"Weld/mod=sqlite/op=point":        {ratio: 1.12},
	"Weld/mod=h3/op=Resolution":       {ratio: 4},
	"Weld/mod=h3/op=CellToParent":     {ratio: 4},
	"Weld/mod=h3/op=LatLngToCell":     {noAllocs: true},
	"Weld/mod=sitter/op=walk":         {ratio: 1.35},
	"Weld/mod=zstd/op=compress256":    {notWorse: true},
	"Weld/mod=zstd/op=decompress256":  {notWorse: true},
	"Weld/mod=zstd/op=compress4096":   {notWorse: true},
	"Weld/mod=zstd/op=decompress4096": {notWorse: true},
}

// goalOfAll is for the geometric mean over all benchmarks of all modules.
var goalOfAll = goal{ratio: 1.5}

func (g goal) String() string {
	switch {
	case g.noAllocs:
		return "0 allocs"
	case g.notWorse:
		return "no slower"
	case g.ratio > 0:
		return fmt.Sprintf("≥%.2f×", g.ratio)
	}
	return ""
}

// reached reports whether a speedup with so many allocations is enough.
func (g goal) reached(s paired.Speedup, allocs float64) bool {
	switch {
	case g.noAllocs:
		return allocs == 0
	case g.notWorse:
		return s.Hi >= 1
	}
	return s.Ratio >= g.ratio
}
