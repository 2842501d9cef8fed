// Package trial runs a program as cgo has it and as it is welded, in turns, and says what
// welding has brought: how much faster each benchmark is, with an interval, and what it
// costs in allocations, threads and memory.
//
// This package is opinionated:
//
//   - Every figure of a process is one observation, however long it ran: where code and
//     stacks lie is drawn once a process. So there are many short processes.
//   - The two programs are run in the order cgo, weld, weld, cgo, so that a machine that
//     becomes slower meanwhile slows both.
//   - A difference is told from noise as in the lab (package stats), and the plain program is
//     compared with itself too: what that shows is the machine's doing.
package trial

import (
	"math"
	"slices"

	"golang.org/x/perf/benchfmt"

	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// A Side is one of the two programs.
type Side int

// The sides.
const (
	Cgo  Side = iota // built as always
	Weld             // built by the plan
	sides
)

func (s Side) String() string { return [...]string{"cgo", "weld"}[s] }

// Units, as package benchfmt tidies them.
const (
	Time    = "sec/op"
	CPU     = "cpu-sec/op" // of a whole process
	Allocs  = "allocs/op"
	Bytes   = "B/op"
	Threads = "threads" // of the process, at most
	Memory  = "peak-B"  // of the process, resident
)

// A Row is a benchmark, or the whole program.
type Row struct {
	Package string // import path; "" for a program
	Name    string
	Pairs   [sides][]Sample // the processes, in order: those with one index ran side by side
	stats.Comparison
	Memory, Threads stats.Comparison // of what the processes took at most, where that is known
}

// A Sample is what one process measured: medians of its runs of a benchmark.
type Sample struct {
	N      int // iterations of all runs
	Values []benchfmt.Value
}

// Value is the sample's figure in a unit.
func (s Sample) Value(unit string) (float64, bool) {
	for _, v := range s.Values {
		if v.Unit == unit {
			return v.Value, true
		}
	}
	return 0, false
}

// A Result is what a trial has shown.
type Result struct {
	Command []string
	Plan    string
	Leaves  int // functions that are welded
	Rounds  int
	Rows    []*Row
	Mean    stats.Comparison // of all rows, if there are several
	Noise   stats.Comparison // of the plain program with itself
	Said    []string         // what welded programs said about themselves, each line once
}

// Median is that of one side's processes; false if none has a figure.
func (r *Row) Median(side Side, unit string) (float64, bool) {
	var all []float64
	for _, s := range r.Pairs[side] {
		if v, ok := s.Value(unit); ok {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return 0, false
	}
	return stats.Median(all), true
}

// Margin is the difference that doesn't matter.
const Margin = 0.02

// seed is fixed: the same measurement gives the same table.
const seed = 1

// Judge works out the comparisons of the rows.
func (r *Result) Judge() {
	var all, noise [][]float64 // logarithms, by row and pair
	for _, row := range r.Rows {
		var logs, same []float64
		before := row.Pairs[Cgo]
		for i := range before {
			plain, _ := before[i].Value(Time)
			if i < len(row.Pairs[Weld]) {
				welded, _ := row.Pairs[Weld][i].Value(Time)
				logs = append(logs, math.Log(welded/plain))
			}
			if i%2 == 1 { // the last of a round, with its first
				first, _ := before[i-1].Value(Time)
				same = append(same, math.Log(plain/first))
			}
		}
		noise = append(noise, same)
		if logs == nil {
			continue // it ran by itself
		}
		row.Comparison = compare([][]float64{logs}, row.quotient(Time))
		row.Memory, row.Threads = row.judge(Memory), row.judge(Threads)
		all = append(all, logs)
	}
	r.Mean, r.Noise = compare(all, 0), compare(noise, 0)
}

// judge compares a figure of the processes.
func (r *Row) judge(unit string) stats.Comparison {
	var logs []float64
	for i := range r.Pairs[Cgo] {
		before, _ := r.Pairs[Cgo][i].Value(unit)
		after, ok := r.Pairs[Weld][i].Value(unit)
		if !ok || before <= 0 || after <= 0 {
			return stats.Comparison{}
		}
		logs = append(logs, math.Log(after/before))
	}
	return compare([][]float64{logs}, r.quotient(unit))
}

// quotient is that of the medians of both sides, which stand beside the ratio.
func (r *Row) quotient(unit string) float64 {
	before, _ := r.Median(Cgo, unit)
	after, _ := r.Median(Weld, unit)
	return after / before
}

// compare judges the geometric mean of rows, or the quotient of a row's medians: what a pair of processes did to all rows
// together counts once.
func compare(rows [][]float64, quotient float64) stats.Comparison {
	var blocks []stats.Block
	for i := 0; len(rows) > 0; i++ {
		var pair []float64
		for _, logs := range rows {
			if i < len(logs) {
				pair = append(pair, logs[i])
			}
		}
		if len(pair) < len(rows) {
			break
		}
		sum := 0.0
		for _, l := range pair {
			sum += l
		}
		blocks = append(blocks, stats.Block{Cluster: i, Ratio: math.Exp(sum / float64(len(pair)))})
	}
	return stats.CompareMedians(blocks, quotient, Margin, seed)
}

// Slower are the rows that are proven to have become slower by more than threshold.
func (r *Result) Slower(threshold float64) []*Row {
	return slices.DeleteFunc(slices.Clone(r.Rows), func(row *Row) bool {
		return row.Verdict != stats.Slower || row.Lo <= 1+threshold
	})
}
