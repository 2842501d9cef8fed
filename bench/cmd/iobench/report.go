//go:build cgo && linux && seam_servers

package main

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
	"time"

	"github.com/seamgo/seam/bench/internal/paired"
	"github.com/seamgo/seam/bench/internal/table"
	"github.com/seamgo/seam/internal/results"
)

// A blockedRow is what a mode's process found.
type blockedRow struct {
	mode string
	blockedResult
}

func (m *measurement) reportGets(w io.Writer) error {
	fmt.Fprintf(w, "GET, GOMAXPROCS %d, %d rounds of %v, medians, intervals of %.0f %%\n\n",
		runtime.GOMAXPROCS(0), m.rounds, m.time, paired.Confidence*100)
	columns := []table.Column{{Head: "connections", Right: true}, {Head: "mode"}, {Head: "calls/s", Right: true},
		{Head: "p50", Right: true}, {Head: "p99", Right: true}, {Head: "longest", Right: true}, {Head: "served", Right: true}, {Head: "fairness", Right: true}, {Head: "CPU/call", Right: true},
		{Head: "threads", Right: true}, {Head: "memory", Right: true}, {Head: "calls to " + modes[0] + "'s", Right: true}, {Head: "interval", Right: true}, {Head: "shared evenly", Right: true}, {Head: "interval", Right: true}}
	var rows [][]table.Cell
	for i, s := range m.series {
		row := []table.Cell{{Text: strconv.Itoa(s.n)}, {Text: s.mode},
			{Text: fmt.Sprintf("%.0f", s.median(loadResult.perSecond))},
			{Text: table.Duration(s.median(func(r loadResult) float64 { return float64(r.P50) }))},
			{Text: table.Duration(s.median(func(r loadResult) float64 { return float64(r.P99) }))},
			{Text: table.Duration(s.median(func(r loadResult) float64 { return float64(r.Longest) }))},
			{Text: fmt.Sprintf("%.0f %%", 100*s.median(func(r loadResult) float64 { return float64(r.Served) / float64(s.n) }))},
			{Text: fmt.Sprintf("%.2f", s.median(func(r loadResult) float64 { return r.Fairness }))},
			{Text: table.Duration(s.median(func(r loadResult) float64 { return float64(r.CPU) / float64(r.Ops) }))},
			{Text: fmt.Sprintf("%.0f", s.median(func(r loadResult) float64 { return float64(r.Threads) }))},
			{Text: table.Size(s.median(func(r loadResult) float64 { return float64(r.Resident) }))}, {}, {}, {}, {}}
		if base := m.base(i); base != nil && base != s {
			for i, rate := range []func(loadResult) float64{loadResult.perSecond, loadResult.evenly} {
				v := s.speedup(base, rate)
				row[11+2*i], row[12+2*i] = table.Cell{Text: v.String(), Tone: tone(v)}, table.Cell{Text: v.Interval(), Tone: table.Faint}
			}
		}
		rows = append(rows, row)
	}
	if err := table.Write(w, columns, rows); err != nil {
		return err
	}
	_, err := fmt.Fprint(w, "\nserved: the share of the connections that ended a call while it was measured;\n"+
		"p50 and p99 are of calls that ended, longest of all: where few are served, those few are fast;\n"+
		"fairness: Jain's index, 1 where all connections had as many calls, 0.1 where a tenth of them had all;\n"+
		"shared evenly: calls times fairness, to "+modes[0]+"'s\n")
	return err
}

func tone(v paired.Speedup) table.Tone {
	switch {
	case v.Lo > 1:
		return table.Good
	case v.Hi < 1:
		return table.Bad
	}
	return table.Plain
}

// base is the series that the one at i is compared with: cgo's with as many
// connections. nil: it was not measured.
func (m *measurement) base(i int) *series {
	first := i - i%len(m.modes)
	for _, s := range m.series[first : first+len(m.modes)] {
		if s.mode == modes[0] {
			return s
		}
	}
	return nil
}

func reportBlocked(w io.Writer, n int, cancel bool, found []blockedRow) error {
	fmt.Fprintf(w, "%d calls blocked in BLPOP, GOMAXPROCS %d", n, runtime.GOMAXPROCS(0))
	columns := []table.Column{{Head: "mode"}, {Head: "threads", Right: true}, {Head: "memory of a call", Right: true}}
	if cancel {
		fmt.Fprint(w, ", then cancelled one after another: the time until each has returned")
		columns = append(columns, table.Column{Head: "p50", Right: true}, table.Column{Head: "p99", Right: true}, table.Column{Head: "longest", Right: true})
	}
	fmt.Fprint(w, "\n\n")
	var rows [][]table.Cell
	for _, r := range found {
		row := []table.Cell{{Text: r.mode}, {Text: strconv.Itoa(r.Threads)}, {Text: table.Size(float64(r.Resident) / float64(n))}}
		if cancel {
			for _, d := range []time.Duration{r.P50, r.P99, r.Max} {
				row = append(row, table.Cell{Text: table.Duration(float64(d))})
			}
		}
		rows = append(rows, row)
	}
	return table.Write(w, columns, rows)
}

// blockedResults are what documents say of blocked calls: MODE/threads and MODE/memory, of
// a call.
func blockedResults(n int, found []blockedRow) results.Result {
	r := results.Here(fmt.Sprintf("iobench -blpop %d", n))
	for _, f := range found {
		threads, memory := float64(f.Threads), float64(f.Resident)/float64(n)
		r.Add(f.mode+"/threads", "", threads, threads, threads)
		r.Add(f.mode+"/memory", "B", memory, memory, memory)
	}
	return r
}
