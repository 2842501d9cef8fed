package report

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// benchfmtPkg is the pkg of all benchmarks of the lab. It is fixed, so that
// results of different builds compare.
const benchfmtPkg = "github.com/seamgo/seam/cmd/seam/lab"

// WriteBenchfmt writes a run in the Go benchmark format, which benchstat and
// golang.org/x/perf/benchfmt read: one line for each process and series, with
// the median of the process's samples and the sum of their operations. benchstat
// takes every line for independent, and the samples of one process are not; as
// lines of their own they make it call a program different from itself. All of
// them are in the JSON.
//
// The round, and what else may differ between runs, stands in comments (see
// [result.FactPrefix]). A case that was not measured is a comment. A series that
// lost its samples gives its median once.
func WriteBenchfmt(w io.Writer, run *result.Run) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "# Written by seam lab. To compare runs: seam lab compare OLD NEW, or benchstat OLD NEW")
	fmt.Fprintln(b, "# A line is the median of one process.")
	for _, c := range benchfmtFacts(run) {
		if v := clean(c.Value); v != "" {
			fmt.Fprintf(b, "%s: %s\n", c.Name, v)
		}
	}
	rounds := map[int][]line{}
	for i := range run.Experiments {
		for j := range run.Experiments[i].Series {
			s := &run.Experiments[i].Series[j]
			if s.NotMeasured != "" {
				fmt.Fprintf(b, "# Benchmark%s not measured: %s\n", token(s.Name), clean(s.NotMeasured))
				continue
			}
			for round, l := range processLines(s) {
				rounds[round] = append(rounds[round], l)
			}
		}
	}
	for _, round := range slices.Sorted(maps.Keys(rounds)) {
		fmt.Fprintf(b, "\n%s%s: %d\n", result.FactPrefix, result.KeyRound, round)
		for _, l := range rounds[round] {
			fmt.Fprintf(b, "Benchmark%s %d %s %s\n", l.name, l.n, strconv.FormatFloat(l.value, 'g', -1, 64), l.unit)
		}
	}
	return b.Flush()
}

// benchfmtFacts are the lines above the results. Those by which benchstat is to
// make tables are plain lines; all others are comments.
func benchfmtFacts(run *result.Run) []fact {
	facts := []fact{{"pkg", benchfmtPkg}}
	for _, f := range run.Facts() {
		switch f.Name {
		case "goos", "goarch", "cpu":
			facts = slices.Insert(facts, len(facts)-1, fact(f))
		default:
			facts = append(facts, fact{result.FactPrefix + f.Name, f.Value})
		}
	}
	var bases []string
	for _, name := range run.Bases() {
		bases = append(bases, token(name))
	}
	return append(facts, fact{result.FactPrefix + result.KeyBases, strings.Join(bases, " ")})
}

// A line is what one process measured for a series.
type line struct {
	name  string
	n     int
	value float64
	unit  string
}

// processLines returns the line of each process that has values.
func processLines(s *result.Series) map[int]line {
	samples := s.Samples
	if len(samples) == 0 {
		samples = []result.Sample{{N: 1, Value: s.Median}}
	}
	values := map[int][]float64{}
	operations := map[int]int{}
	for _, x := range samples {
		if quantity.Usable(x.Value) {
			values[x.Round] = append(values[x.Round], x.Value)
			operations[x.Round] += max(1, x.N)
		}
	}
	lines := map[int]line{}
	for round, v := range values {
		lines[round] = line{token(s.Name), max(1, operations[round]), stats.Summarize(v, nil, 0).Median, token(s.Unit)}
	}
	return lines
}

// token makes a field of the format of s: it ends at white space.
func token(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, clean(s))
	if s == "" {
		return "_"
	}
	return s
}
