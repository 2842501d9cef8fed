package grid

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// timeChart draws the time of a call against the work in it, with the
// break-even marked.
func timeChart(e *result.Experiment, k kind) result.Chart {
	c := result.Chart{
		Kind:   result.Lines,
		Title:  "Time of one call, " + string(k),
		XLabel: "count",
		YLabel: "time of a call",
		Unit:   "ns",
	}
	switch k {
	case fold:
		c.Caption = "Go adds 0..count up, C evaluates the formula: the flat lines are the cost of a call."
	case nofold:
		c.Caption = "The same chain of instructions in both: C can only lose, by the cost of its call."
	}
	for _, v := range vias {
		line := result.Line{Label: string(v), Look: look[v]}
		for _, row := range reference.Grid {
			if s := e.Find(seriesName(row.Count, k, v), "ns/op"); s != nil {
				line.Points = append(line.Points, result.Point{X: float64(row.Count), Y: s.Median, Lo: s.Lo, Hi: s.Hi})
			}
		}
		if len(line.Points) > 0 {
			c.Lines = append(c.Lines, line)
		}
	}
	c.Marks = marks(e, k)
	return c
}

func marks(e *result.Experiment, k kind) []result.Mark {
	var list []result.Mark
	for _, v := range crossings {
		if count, _ := breakEven(e, k, v); count != nil {
			list = append(list, result.Mark{
				X: count.Median, Lo: count.Lo, Hi: count.Hi,
				Label: fmt.Sprintf("%s pays off from %s", v, quantity.Number(count.Median)),
			})
		}
	}
	return list
}

// look is the colour of a way: the first is Seam's.
var look = map[via]int{viaLeaf: 1, viaCgo: 2, viaGo: 7}

// ratioChart draws time over Go's against the work.
func ratioChart(e *result.Experiment) result.Chart {
	c := result.Chart{
		Kind:    result.Lines,
		Title:   "Time over Go's, fold",
		Caption: "Below 1 the call is worth its cost. Dashed: published, " + reference.CgoCost.Setting() + ".",
		XLabel:  "count",
		YLabel:  "time over Go's",
		Marks:   marks(e, fold),
	}
	for _, v := range crossings {
		line := result.Line{Label: string(v) + "/go", Look: look[v]}
		for _, row := range reference.Grid {
			if r := e.Compared(seriesName(row.Count, fold, v)); r != nil {
				line.Points = append(line.Points, result.Point{X: float64(row.Count), Y: r.Ratio, Lo: r.Lo, Hi: r.Hi})
			}
		}
		if len(line.Points) > 0 {
			c.Lines = append(c.Lines, line)
		}
	}
	if len(c.Lines) == 0 {
		return c
	}
	dashed := result.Line{Label: "published: cgo/go", Look: look[viaCgo], Dashed: true}
	for _, row := range reference.Grid {
		dashed.Points = append(dashed.Points, result.Point{X: float64(row.Count), Y: row.Ratio})
	}
	c.Lines = append(c.Lines, dashed)
	return c
}

// A callRun is the time of one call in runs of that many calls.
type callRun struct {
	calls int
	ns    float64
}

// callRuns returns what was timed for a count and way, by number of calls.
func callRuns(e *result.Experiment, count int64, v via) []callRun {
	var list []callRun
	for i := range e.Series {
		s := &e.Series[i]
		if n, ok := callsAt(s.Name, count, v); ok && s.NotMeasured == "" && s.Median > 0 {
			list = append(list, callRun{n, s.Median})
		}
	}
	slices.SortFunc(list, func(a, b callRun) int { return cmp.Compare(a.calls, b.calls) })
	return list
}

// callsChart tabulates the count against the number of calls.
func callsChart(e *result.Experiment) result.Chart {
	t := &result.Table{Head: []string{"count", "calls", "go ns", "cgo ns", "leaf ns"}}
	for _, row := range reference.Grid {
		ns := map[via]map[int]float64{}
		var calls []int
		for _, v := range vias {
			ns[v] = map[int]float64{}
			for _, r := range callRuns(e, row.Count, v) {
				ns[v][r.calls] = r.ns
				calls = append(calls, r.calls)
			}
		}
		slices.Sort(calls)
		for _, n := range slices.Compact(calls) {
			t.Rows = append(t.Rows, []string{
				fmt.Sprint(row.Count),
				fmt.Sprint(n),
				cell(ns[viaGo][n]),
				cell(ns[viaCgo][n]),
				cell(ns[viaLeaf][n]),
			})
		}
	}
	return result.Chart{
		Kind:    result.Grid,
		Title:   "Time of one call by count and number of calls, fold",
		Caption: "Each row is the time of one call, in runs of that many calls.",
		Unit:    "ns",
		Table:   t,
	}
}

// cell writes a figure, or a dash where there is none.
func cell(v float64) string {
	if v <= 0 {
		return "–"
	}
	return quantity.Number(v)
}
