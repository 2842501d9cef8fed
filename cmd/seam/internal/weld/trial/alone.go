package trial

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// WriteAloneText writes what a program that ran by itself (see Options.Alone) has taken, and
// how much it differs from itself on this machine.
func (r *Result) WriteAloneText(out io.Writer, o text.Options) error {
	w := text.New(out, o)
	w.Line(text.Plain, fmt.Sprintf("%s: %s in %s, a median of each", strings.Join(r.Command, " "),
		quantity.Plural(2*r.Rounds, "process", "processes"), quantity.Plural(r.Rounds, "round")))
	w.WriteString("\n")
	heads := []string{"benchmark", "median", "95 % interval", "processes", "allocs", "CPU", "memory"}
	var rows [][]string
	for _, row := range r.Rows {
		s := row.summary()
		cells := []string{r.label(row), figure(s.Median, Time), figure(s.Lo, Time) + "–" + figure(s.Hi, Time), row.spread()}
		for _, unit := range []string{Allocs, CPU, Memory} {
			cell := ""
			if _, ok := row.own(row.Pairs[Cgo][0]).Value(unit); ok {
				v, _ := row.Median(Cgo, unit)
				cell = figure(v, unit)
			}
			cells = append(cells, cell)
		}
		rows = append(rows, cells)
	}
	var columns []*text.Column
	for i, head := range heads {
		if slices.ContainsFunc(rows, func(cells []string) bool { return cells[i] != "" }) {
			c := &text.Column{Head: head, Rank: len(heads) - i}
			for _, cells := range rows {
				text.Add([]*text.Column{c}, cells[i])
			}
			columns = append(columns, c)
		}
	}
	columns[0].Left, columns[0].Least, columns[0].Wrap = true, 16, true
	w.Table(text.Table{Columns: columns, Rule: true})
	w.WriteString("\n")
	w.Line(text.Plain, r.control())
	return w.Flush()
}

// summary is the median of a row's processes, and its interval.
func (r *Row) summary() stats.Summary {
	values, processes := r.times()
	return stats.Summarize(values, processes, seed)
}

// spread is how far the processes lie from each other: "0.97–1.12×" of their median.
func (r *Row) spread() string {
	values, _ := r.times()
	m := stats.Median(values)
	return fmt.Sprintf("%.2f–%.2f×", slices.Min(values)/m, slices.Max(values)/m)
}

func (r *Row) times() (values []float64, processes []int) {
	for i, s := range r.Pairs[Cgo] {
		if v, ok := s.Value(Time); ok {
			values, processes = append(values, v), append(processes, i)
		}
	}
	return values, processes
}

// control says what the same program, compared with itself, shows of this machine.
func (r *Result) control() string {
	n := r.Noise
	if n.Lo <= 0 {
		return "Of one round nothing can be said about the machine's noise."
	}
	moved := "A run later would have to differ by more than that."
	if n.Verdict == stats.Faster || n.Verdict == stats.Slower {
		moved = "So something else moved: measure again when this machine does less else."
	}
	return fmt.Sprintf("The second process of each round against the first, which is the same program: %s. %s", r.noise(), moved)
}

// own leaves out what a process took that says nothing of its program: how many threads run
// depends on what else the machine does, and the memory of a benchmark on how many of its
// iterations fit into the time.
func (r *Row) own(s Sample) Sample {
	s.Values = slices.DeleteFunc(slices.Clone(s.Values), func(v benchfmt.Value) bool {
		return v.Unit == Threads || v.Unit == Memory && r.Package != ""
	})
	return s
}

// WriteRounds writes a line for each process of a program that ran by itself, in the Go
// benchmark format. prefix begins the comment that tells the processes apart.
func (r *Result) WriteRounds(w io.Writer, head, prefix string) error {
	b := bufio.NewWriter(w)
	b.WriteString(head)
	for i := range 2 * r.Rounds {
		fmt.Fprintf(b, "\n%s%d\n", prefix, i)
		last := ""
		for _, row := range r.Rows {
			if i >= len(row.Pairs[Cgo]) {
				continue // interrupted
			}
			if row.Package != last {
				last = row.Package
				fmt.Fprintf(b, "pkg: %s\n", last)
			}
			row.own(row.Pairs[Cgo][i]).write(b, row.Name)
		}
	}
	return b.Flush()
}
