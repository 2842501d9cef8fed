package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// A Table is the comparison of two runs.
type Table struct {
	Old, New    *File
	Differences []Difference // between the runs themselves
	Rows        []Row        // in the order of the new file
	Means       []Mean       // one a unit, of at least two rows
	OnlyOld     []string     // benchmarks, with the reason where the new file gives one
	OnlyNew     []string
	Threshold   float64
	Drift       Drift // what the machine did to all rows
	Compared    int   // rows that there was enough evidence to judge
	// Slowdowns counts the rows that are proven to be slower, and measured to be
	// so by more than Threshold, drift taken off.
	Slowdowns int

	adjust map[*series]string // bases of the new file to their experiment
}

// A Difference is a fact that is not the same for both runs.
type Difference struct {
	Fact     string
	Old, New string
	Machine  bool // of the machine, not of the program
}

// A Row compares one benchmark in one unit. The embedded Comparison's ratio is
// new over old; Faster means better, also where larger values are better.
type Row struct {
	Name, Unit   string // unit in base units: "sec/op"
	Old, New     stats.Summary
	HigherBetter bool
	Note         string  // why it was not compared
	Neither      bool    // it differs, and neither more nor less of it is better
	Slowdown     bool    // it counts in Table.Slowdowns
	Change       Change  // of a row that is slower; its ratio decides on Slowdown
	Measured     float64 // new over old, as it is
	Adjusted     bool    // the Comparison is at an equal speed of the machine, and Measured is not
	stats.Comparison
}

// A Mean is the geometric mean of the ratios of all rows of a unit.
type Mean struct {
	Unit  string
	Ratio float64
	Rows  int
}

// margin is the difference between runs that doesn't matter.
const margin = 0.02

// Compare pairs the benchmarks of two runs by name and unit and judges each.
// threshold is the slowdown to report: 0.05 is 5 %. It is an error if the runs
// have no benchmark in common.
func Compare(old, new *File, threshold float64) (*Table, error) {
	if !(threshold >= 0) || math.IsInf(threshold, 0) {
		return nil, fmt.Errorf("threshold %v: want a number from 0 up, like 0.05 for 5 %%", threshold)
	}
	t := &Table{Old: old, New: new, Threshold: threshold, Differences: differences(old, new)}
	matched := map[*series]bool{}
	var pairs []pair
	for _, n := range new.series {
		o := partner(old, new, n)
		if o == nil {
			t.OnlyNew = addOnce(t.OnlyNew, label(n, new, old))
			continue
		}
		matched[o] = true
		pairs = append(pairs, pair{o, n})
	}
	t.Drift = driftOf(pairs, old, new)
	t.adjust = t.adjusters(pairs)
	judged := 0
	for _, p := range pairs {
		if m := metricOf(p.new.key, new, old); isExact(m, p.old, p.new) || m.notCompared(p.old, p.new) == "" {
			judged++
		}
	}
	for _, p := range pairs {
		row := t.compareSeries(p, pairs, judged)
		row.Name = label(p.new, new, old)
		t.Rows = append(t.Rows, row)
		if row.Slowdown {
			t.Slowdowns++
		}
	}
	for _, o := range old.series {
		if !matched[o] {
			t.OnlyOld = addOnce(t.OnlyOld, label(o, old, new))
		}
	}
	if len(t.Rows) == 0 {
		return nil, fmt.Errorf("no benchmark in common: %s has %s; %s has %s",
			old.Name, sample(old), new.Name, sample(new))
	}
	t.Compared = judged
	t.Means = means(t.Rows)
	return t, nil
}

// addOnce leaves out the further units of a benchmark, which follow its first.
func addOnce(names []string, name string) []string {
	if len(names) > 0 && names[len(names)-1] == name {
		return names
	}
	return append(names, name)
}

// A pair is one benchmark in both files.
type pair struct{ old, new *series }

// partner finds the series of old that n is to be compared with. Where a name
// is unique in both files the package doesn't matter; it may have moved.
func partner(old, new *File, n *series) *series {
	olds := old.index[n.key]
	if len(olds) == 1 && len(new.index[n.key]) == 1 {
		return olds[0]
	}
	for _, o := range olds {
		if o.scope == n.scope {
			return o
		}
	}
	return nil
}

// label names a series for people, with the package where it takes one, and
// with the reason where the other file could not measure it.
func label(s *series, own, other *File) string {
	name := s.name
	if s.scope != "" && (len(own.index[s.key]) > 1 || len(other.index[s.key]) > 1) {
		name = s.scope + ": " + name
	}
	if why := other.notMeasured[s.name]; why != "" && len(other.index[s.key]) == 0 {
		name += " (not measured: " + why + ")"
	}
	return quantity.Printable(name)
}

// sample names a few of a file's benchmarks.
func sample(f *File) string {
	const most = 3
	var names []string
	for _, s := range f.series {
		if name := quantity.Printable(s.name) + " (" + quantity.Printable(s.unit) + ")"; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "nothing that was measured"
	}
	return quantity.First(names, most)
}

// compareSeries judges one benchmark.
func (t *Table) compareSeries(p pair, pairs []pair, rows int) Row {
	o, n := p.old, p.new
	m := metricOf(n.key, t.New, t.Old)
	r := Row{
		Unit:         n.unit,
		Old:          stats.Summarize(o.Values, o.Cluster, seed),
		New:          stats.Summarize(n.Values, n.Cluster, seed),
		HigherBetter: m.better == moreIsBetter,
	}
	r.Blocks = min(len(o.Values), len(n.Values))
	// A threshold below the margin asks for a finer judgement.
	margin := margin
	if t.Threshold > 0 {
		margin = min(margin, t.Threshold)
	}
	d := in(t.Drift.trusted(), n.unit)
	if isExact(m, o, n) {
		r.Comparison = compareExact(o.Values[0], n.Values[0], margin)
	} else if r.Note = m.notCompared(o, n); r.Note != "" {
		r.Verdict = stats.Unproven
		return r
	} else {
		judge := stats.Judge{Margin: margin, Drift: d, Rows: rows, Seed: seed}
		r.Comparison, d, r.Adjusted = judge.Beside(o.Sample, n.Sample, m.nature, t.basesFor(p, pairs, m))
	}
	judged := r.Comparison
	r.showMedians()
	if m.better == neither && r.Verdict != stats.Same {
		r.Verdict, r.Neither = stats.Unproven, r.Verdict != stats.Unproven
		return r
	}
	if r.HigherBetter {
		switch r.Verdict {
		case stats.Faster:
			r.Verdict = stats.Slower
		case stats.Slower:
			r.Verdict = stats.Faster
		}
	}
	if r.Verdict == stats.Slower {
		r.Change = changeOf(judged, d, r.HigherBetter)
		r.Slowdown = r.Change.Ratio > 1+t.Threshold
	}
	return r
}

// showMedians makes the ratio that of the medians beside it, so that a reader who divides
// finds it there. The comparison's own is of the processes' means, which one disturbed
// process moves: both must show a difference. An adjusted ratio stands beside that of the
// medians.
func (r *Row) showMedians() {
	q := r.New.Median / r.Old.Median
	r.Measured = r.Ratio
	if !(q > 0) || math.IsInf(q, 0) || r.Lo == r.Hi {
		return
	}
	r.Measured = q
	if r.Adjusted {
		return
	}
	if r.Verdict == stats.Slower && q <= 1 || r.Verdict == stats.Faster && q >= 1 {
		r.Verdict = stats.Unproven
	}
	r.Ratio, r.Lo, r.Hi = q, min(r.Lo, q), max(r.Hi, q)
}

// seed is fixed: the same two files give the same table.
const seed = 1

// notCompared is why there is no verdict on two series, "" if there can be one.
func (m metric) notCompared(o, n *series) string {
	if m.why != "" {
		return m.why
	}
	fewest := stats.Fewest
	if m.nature == stats.Tail {
		fewest = stats.FewestTails
	}
	switch p := min(o.Processes(), n.Processes()); {
	case p == 1:
		return "one process: not compared"
	case p < fewest && m.nature == stats.Tail:
		return fmt.Sprintf("a tail of %d processes: not compared", p)
	case p < fewest:
		return fmt.Sprintf("%d processes: not compared", p)
	case slices.Min(o.Values) <= 0 || slices.Min(n.Values) <= 0:
		return "0 has no ratio: not compared"
	}
	return ""
}

// compareExact judges values without noise, such as a count of allocations, of
// which one is as good as many. A step up from 0 has an infinite ratio.
func compareExact(o, n, margin float64) stats.Comparison {
	ratio := n / o
	if o == n {
		ratio = 1
	}
	c := stats.Comparison{Ratio: ratio, Lo: ratio, Hi: ratio, Verdict: stats.Same}
	switch {
	case o < 0 || n < 0:
		c = stats.Comparison{Verdict: stats.Unproven}
		if o == n {
			c = stats.Comparison{Ratio: 1, Lo: 1, Hi: 1, Verdict: stats.Same}
		}
	case ratio > 1+margin:
		c.Verdict = stats.Slower
	case ratio < 1/(1+margin):
		c.Verdict = stats.Faster
	}
	return c
}

func constant(values []float64) bool {
	return slices.Min(values) == slices.Max(values)
}

// isExact reports whether two series have no noise that a verdict must allow for.
func isExact(m metric, o, n *series) bool {
	return m.exact && constant(o.Values) && constant(n.Values)
}

func means(rows []Row) []Mean {
	var list []Mean
	logs := map[string]float64{}
	count := map[string]int{}
	var units []string
	for _, r := range rows {
		if r.Note != "" || !(r.Measured > 0) || math.IsInf(r.Measured, 0) {
			continue
		}
		if count[r.Unit] == 0 {
			units = append(units, r.Unit)
		}
		count[r.Unit]++
		logs[r.Unit] += math.Log(r.Measured)
	}
	for _, u := range units {
		if n := count[u]; n > 1 {
			list = append(list, Mean{u, math.Exp(logs[u] / float64(n)), n})
		}
	}
	return list
}
