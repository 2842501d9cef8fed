package load

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// bar is how many columns the largest throughput has.
const bar = 30

// Chart draws the seconds: throughput, the median and the 99th percentile of the time that
// calls took, errors, and what has happened.
func Chart(w io.Writer, seconds []*Second) {
	most := 1
	for _, s := range seconds {
		most = max(most, len(s.Took))
	}
	fmt.Fprintf(w, "%3s  %8s  %-*s  %8s %8s %7s\n", "s", "calls/s", bar, "", "p50", "p99", "errors")
	for i, s := range seconds {
		took := slices.Sorted(slices.Values(s.Took))
		line := fmt.Sprintf("%3d  %8d  %-*s  %8s %8s %7d  %s", i, len(took), bar, strings.Repeat("█", len(took)*bar/most),
			percentile(took, 50), percentile(took, 99), s.Failed, strings.Join(s.Notes, ", "))
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

func percentile(sorted []time.Duration, p int) string {
	if len(sorted) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2fms", float64(sorted[(len(sorted)-1)*p/100])/float64(time.Millisecond))
}
