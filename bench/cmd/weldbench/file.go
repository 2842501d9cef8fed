package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/bench/internal/paired"
	"github.com/seamgo/seam/internal/results"
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

// results are what documents say of the measurement: MODULE/BENCHMARK/cgo and welded are
// times, faster is the speedup.
func (m *measurement) results(command string) results.Result {
	r := results.Here(command)
	r.Set("rounds", strconv.Itoa(m.rounds))
	var all [][]float64
	for _, b := range m.benchmarks {
		logs := b.logs()
		all = append(all, logs)
		name := strings.NewReplacer("Weld/", "", "mod=", "", "op=", "").Replace(b.name)
		for side, of := range map[int]string{viaCgo: "/cgo", viaWeld: "/welded"} {
			v, _ := b.median(side, unitTime)
			r.Add(name+of, "ns", v*1e9, v*1e9, v*1e9)
			v, _ = b.median(side, unitAllocs)
			r.Add(name+of+"/allocs", "", v, v, v)
		}
		s := paired.Of(logs)
		r.Add(name+"/faster", "×", s.Ratio, s.Lo, s.Hi)
	}
	s := paired.GeometricMean(all)
	r.Add("mean/faster", "×", s.Ratio, s.Lo, s.Hi)
	slices.SortStableFunc(r.Rows, func(a, b results.Row) int { return strings.Compare(a.Name, b.Name) })
	return r
}
