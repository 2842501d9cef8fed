//go:build cgo && linux && seam_servers

package main

import (
	"bufio"
	"fmt"
	"io"
	"runtime"
)

// writeBenchfmt writes a line for each process, in the Go benchmark format.
func (m *measurement) writeBenchfmt(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "# Written by iobench. To compare the modes: benchstat -col /via FILE")
	fmt.Fprintln(b, "# A line is one process. ns/op is the time between two calls' ends, whatever their number at once.")
	fmt.Fprintf(b, "goos: %s\ngoarch: %s\npkg: github.com/seamgo/seam/bench/cmd/iobench\n", runtime.GOOS, runtime.GOARCH)
	for round := range m.rounds {
		fmt.Fprintf(b, "\n#iobench round: %d\n", round+1)
		for _, s := range m.series {
			r := s.rounds[round]
			fmt.Fprintf(b, "BenchmarkIO/op=get/n=%d/via=%s %d %.6g ns/op %.6g ops/s %d p50-ns %d p99-ns %d longest-ns %d served %.4g fairness %.6g cpu-ns/op %d threads %d resident-B\n",
				s.n, s.mode, r.Ops, float64(r.Elapsed)/float64(r.Ops), r.perSecond(), r.P50, r.P99, r.Longest, r.Served, r.Fairness, float64(r.CPU)/float64(r.Ops), r.Threads, r.Resident)
		}
	}
	return b.Flush()
}
