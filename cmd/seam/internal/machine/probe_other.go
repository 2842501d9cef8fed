//go:build !linux

package machine

import "runtime"

// cores is the number of processors that this process may run on.
func cores() int { return runtime.NumCPU() }

func probe() []Limit {
	return []Limit{{
		What: "hardware counters (instructions, cache misses)",
		Why:  "Seam reads them through perf_event_open, which only Linux has",
		Fix:  "measure on Linux",
	}, {
		What: "threads pinned to a core",
		Why:  "Seam sets affinity only on Linux",
		Fix:  "measure on Linux",
	}}
}
