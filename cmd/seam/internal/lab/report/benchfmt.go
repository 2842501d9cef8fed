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
)

// benchfmtPkg is the pkg of all benchmarks of the lab. It is fixed, so that
// results of different builds compare.
const benchfmtPkg = "github.com/seamgo/seam/cmd/seam/lab"

// WriteBenchfmt writes every sample of a run in the Go benchmark format, which
// benchstat and golang.org/x/perf/benchfmt read. Samples are grouped by round;
// the round, and what else may differ between runs, stands in comments (see
// [result.FactPrefix]). A case that was not measured is a comment. A series that lost its samples
// gives its median once.
func WriteBenchfmt(w io.Writer, run *result.Run) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "# Written by seam lab. To compare runs: seam lab compare OLD NEW, or benchstat OLD NEW")
	for _, c := range []fact{
		{"goos", run.Machine.GOOS},
		{"goarch", run.Machine.GOARCH},
		{"cpu", run.Machine.CPU},
		{"pkg", benchfmtPkg},
		{result.FactPrefix + result.KeyGo, run.Machine.Go},
		{result.FactPrefix + result.KeyCommit, run.Commit},
		{result.FactPrefix + result.KeySeam, run.Seam},
		{result.FactPrefix + result.KeyLeaf, run.Leaf},
	} {
		if v := clean(c.Value); v != "" {
			fmt.Fprintf(b, "%s: %s\n", c.Name, v)
		}
	}

	rounds := map[int][]line{}
	for i := range run.Experiments {
		for _, s := range run.Experiments[i].Series {
			name, unit := token(s.Name), token(s.Unit)
			if s.NotMeasured != "" {
				fmt.Fprintf(b, "# Benchmark%s not measured: %s\n", name, clean(s.NotMeasured))
				continue
			}
			samples := s.Samples
			if len(samples) == 0 {
				samples = []result.Sample{{N: 1, Value: s.Median}}
			}
			for _, x := range samples {
				if quantity.Usable(x.Value) {
					rounds[x.Round] = append(rounds[x.Round], line{name, max(1, x.N), x.Value, unit})
				}
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

// A line is one sample.
type line struct {
	name  string
	n     int
	value float64
	unit  string
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
