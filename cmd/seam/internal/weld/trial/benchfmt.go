package trial

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// goUnits are the units as Go's benchmarks write them, and how many of them make one of
// benchfmt's tidy units.
var goUnits = map[string]struct {
	name string
	per  float64
}{
	Time:  {"ns/op", 1e9},
	CPU:   {"cpu-ns/op", 1e9},
	"B/s": {"MB/s", 1e-6},
}

// WriteBenchfmt writes a line for each process, in the Go benchmark format.
func (r *Result) WriteBenchfmt(w io.Writer, m Made) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "# Written by seam weld --compare. To compare the two sides: benchstat -col /via FILE")
	fmt.Fprintln(b, "# A line is the median of one process.")
	fmt.Fprintf(b, "goos: %s\ngoarch: %s\n", m.OS, m.Arch)
	if m.CPU != "" {
		fmt.Fprintf(b, "cpu: %s\n", m.CPU)
	}
	last := ""
	for _, row := range r.Rows {
		if row.Package != last {
			last = row.Package
			fmt.Fprintf(b, "pkg: %s\n", last)
		}
		for side := range sides {
			for _, s := range row.Pairs[side] {
				s.write(b, via(row.Name, side))
			}
		}
	}
	return b.Flush()
}

// write writes a sample as a line of the Go benchmark format.
func (s Sample) write(w io.Writer, name string) {
	fmt.Fprintf(w, "Benchmark%s %d", name, s.N)
	for _, v := range s.Values {
		unit, value := v.Unit, v.Value
		if u, ok := goUnits[unit]; ok {
			unit, value = u.name, value*u.per
		}
		fmt.Fprintf(w, " %s %s", strconv.FormatFloat(value, 'g', 6, 64), strings.ReplaceAll(unit, " ", "_"))
	}
	fmt.Fprintln(w)
}

// via puts the side into a benchmark's name: before its number of processors, if it ends in one.
func via(name string, side Side) string {
	procs := ""
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		if _, err := strconv.Atoi(name[i+1:]); err == nil {
			name, procs = name[:i], name[i:]
		}
	}
	return name + "/via=" + side.String() + procs
}
