package main

import (
	"fmt"

	"github.com/seamgo/seam/bench/internal/paired"
	"github.com/seamgo/seam/bench/internal/table"
	"github.com/seamgo/seam/bench/thrift/codecs"
)

// A goal is a ratio of times that a library of ours is to reach.
type goal struct {
	op, msg, lib string
	base         string // "": the best peer
	most         float64
}

// goals are ours.
var goals = []goal{
	{codecs.Encode, "ex64", "seam", "", 0.75},
	{codecs.Encode, "ex4096", "seam", "", 0.35},
	{codecs.Encode, "ex4096", "seam", "memcpy", 1.3},
	{codecs.Encode, "order", "seam", "", 0.72},
	{codecs.Encode, "log", "seam", "", 0.8},
	{codecs.Encode, "blob", "seam", "", 0.75},
	{codecs.Encode, "points", "seam", "", 0.75},
	{codecs.Encode, "counters", "seam", "", 0.75},
	{codecs.Encode, "history", "seam", "", 0.75},
	{codecs.Encode, "table", "seam", "", 0.75},
	{codecs.Decode, "ex64", "seam", "", 0.65},
	{codecs.Decode, "ex4096", "seam", "", 0.45},
	{codecs.Decode, "order", "seam", "", 0.55},
	{codecs.Decode, "order", "seam-views", "", 0.4},
	{codecs.Decode, "log", "seam", "", 0.65},
	{codecs.Decode, "points", "seam", "", 0.5},
	{codecs.Decode, "history", "seam", "", 0.65},
	{codecs.Decode, "table", "seam", "", 0.65},
	{codecs.DecodeInto, "ex64", "seam", "", 0.5},
	{codecs.Encode, "ex64", "seam-compact", "apache-compact", 0.5},
	{codecs.Encode, "ex4096", "seam-compact", "apache-compact", 0.5},
	{codecs.Encode, "order", "seam-compact", "apache-compact", 0.5},
	{codecs.Decode, "ex64", "seam-compact", "apache-compact", 0.5},
	{codecs.Decode, "ex4096", "seam-compact", "apache-compact", 0.5},
	{codecs.Decode, "order", "seam-compact", "apache-compact", 0.5},
}

// reportGoals prints those whose libraries were measured. A goal has to be reached beside each
// heap.
func (m *measurement) reportGoals() error {
	var rows [][]table.Cell
	for _, g := range goals {
		for _, heap := range m.heaps {
			s, base := m.find(g.op, g.msg, g.lib, heap), m.best(g.op, g.msg, heap)
			if g.base != "" {
				base = m.find(g.op, g.msg, g.base, heap)
			}
			if s == nil || base == nil {
				continue
			}
			r := s.ratio(base)
			said := table.Cell{Text: "reached", Tone: table.Good}
			if r.Ratio > g.most {
				said = table.Cell{Text: "missed", Tone: table.Bad}
				m.missed++
			}
			rows = append(rows, []table.Cell{{Text: fmt.Sprintf("%s %s, %s to %s", g.op, g.msg, g.lib, base.Lib)}, {Text: fmt.Sprintf("%d MB", heap)},
				{Text: fmt.Sprintf("≤%.2f", g.most), Tone: table.Faint}, {Text: ratio(r.Ratio), Tone: table.Bold},
				{Text: interval(r), Tone: table.Faint}, said})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintln(m.stdout)
	return table.Write(m.stdout, []table.Column{{Head: "goal"}, {Head: "heap", Right: true}, {Head: "wanted", Right: true}, {Head: "ratio", Right: true},
		{Head: "interval", Right: true}, {Head: ""}}, rows)
}

func ratio(v float64) string { return fmt.Sprintf("%.3f", v) }

func interval(s paired.Speedup) string {
	if s.Lo == 0 {
		return "one round"
	}
	return ratio(s.Lo) + "–" + ratio(s.Hi)
}
