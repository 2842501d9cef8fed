package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// goUnits are the units as Go's benchmarks write them, and how many of them make
// one of benchfmt's tidy units.
var goUnits = map[string]struct {
	name string
	per  float64
}{
	"sec/op": {"ns/op", 1e9},
	"B/s":    {"MB/s", 1e-6},
}

// writeBenchfmt writes a line for each process, in the Go benchmark format.
func (m *measurement) writeBenchfmt(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "# Written by weldbench. To compare the two sides: benchstat -col /via FILE")
	fmt.Fprintln(b, "# A line is the median of one process.")
	for _, f := range m.facts {
		fmt.Fprintln(b, f)
	}
	for round := range m.rounds {
		fmt.Fprintf(b, "\n#weldbench round: %d\n", round+1)
		for _, bench := range m.benchmarks {
			for side, samples := range bench.rounds[round] {
				for _, s := range samples {
					fmt.Fprintf(b, "Benchmark%s/via=%s %d", bench.name, via[side], s.n)
					for _, v := range s.values {
						unit, value := v.Unit, v.Value
						if u, ok := goUnits[unit]; ok {
							unit, value = u.name, value*u.per
						}
						fmt.Fprintf(b, " %s %s", strconv.FormatFloat(value, 'g', 6, 64), strings.ReplaceAll(unit, " ", "_"))
					}
					fmt.Fprintln(b)
				}
			}
		}
	}
	return b.Flush()
}
