package calltrace

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path"
	"regexp"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// TextOptions say what WriteText writes, and for what width.
type TextOptions struct {
	text.Options
	All bool // all functions that were called, not only those that matter
}

// The table has as many functions as it takes for this share of the time,
// within these bounds.
const (
	topShare = 0.98
	leastTop = 5
	mostTop  = 20
)

// Cost is what the calls of a function took: in C and for the crossing, in
// nanoseconds.
func (f *Function) Cost() float64 { return float64(f.TotalNS) + f.Crossings() }

// Crossings is the time that the crossings of a function took, in nanoseconds.
func (f *Function) Crossings() float64 { return f.CrossingNS * float64(f.Calls) }

// WriteText writes the trace as a table for people.
func (f *File) WriteText(w io.Writer, o TextOptions) error {
	t := text.New(w, o.Options)
	f.text(t, o.All)
	return t.Flush()
}

func (f *File) text(t *text.Writer, all bool) {
	called := make([]*Function, 0, len(f.Functions))
	calls, cost, crossings, wall, cpu, running := uint64(0), 0.0, 0.0, 0.0, 0.0, 0
	for i := range f.Functions {
		if x := &f.Functions[i]; x.Calls > 0 {
			called = append(called, x)
			calls += x.Calls
			cost += x.Cost()
			crossings += x.Crossings()
		}
	}
	for _, p := range f.Processes {
		wall += float64(p.WallNS)
		cpu += float64(p.CPUNS)
		if p.Running {
			running++
		}
	}
	for i, gap := range f.Gaps() {
		if i == 0 {
			gap = "Incomplete, so there may be calls that are not shown: " + gap
		}
		t.Line(text.Caution, gap+".")
	}
	processes := quantity.Plural(len(f.Processes), "process")
	if len(called) == 0 {
		t.Line(text.Bold, fmt.Sprintf("No C call in %s; %d C functions could have been called.", processes, len(f.Functions)))
		return
	}
	what := "none of them returned"
	if cost > 0 {
		what = fmt.Sprintf("%s, of which the crossing takes %s (%s)", quantity.Time(cost), quantity.Time(crossings), percent(crossings, cost))
	}
	t.Line(text.Bold, fmt.Sprintf("%s of %s in %s: %s.",
		count(calls)+" "+quantity.Noun(calls, "C call"), quantity.Plural(len(called), "function"), processes, what))
	if cpu > 0 && crossings > 0 {
		t.Line(text.Plain, fmt.Sprintf("The processes took %s of processor time, tracing included; what share of it could be saved says seam plan.", quantity.Time(cpu)))
	}
	if heap := f.Heap.String(); heap != "" {
		t.Line(text.Plain, heap)
	}
	if running > 0 {
		t.Line(text.Caution, fmt.Sprintf("! %d of the processes had not ended; what they do from now on is missing.", running))
	}
	if f.Failed != "" {
		t.Line(text.Caution, "! The command failed ("+f.Failed+"): this is a part of what was to be traced.")
	}
	if f.NoSwitches {
		t.Line(text.Caution, "! This kernel doesn't count how often a thread waits: a call that only lost the processor counts as blocked.")
	}
	if cost > 0 && !slices.ContainsFunc(called, func(x *Function) bool { return len(x.Callers) > 0 }) {
		t.Line(text.Caution, "! No callers are known: the build did not find package runtime for the tracer.")
	}
	t.WriteByte('\n')

	slices.SortFunc(called, func(a, b *Function) int {
		return cmp.Or(cmp.Compare(b.Cost(), a.Cost()), cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Package+"."+a.Name, b.Package+"."+b.Name))
	})
	top := len(called)
	if !all {
		top = topCount(called, cost)
	}
	t.Table(text.Table{Columns: columns(called[:top], cost, wall)})
	if rest := called[top:]; len(rest) > 0 {
		n, c := uint64(0), 0.0
		for _, x := range rest {
			n += x.Calls
			c += x.Cost()
		}
		t.Line(text.Faint, fmt.Sprintf("and %d more: %s calls, %s (%s); --all shows them", len(rest), count(n), quantity.Time(c), percent(c, cost)))
	}
	t.WriteByte('\n')
	t.Line(text.Faint, fmt.Sprintf("Times are for C with its callbacks into Go, whose part is in Go; share is C and crossing together. Overhead: tracing adds about %s to a call, which the figures exclude.",
		quantity.Time(math.Round(f.OverheadNS))))
}

// topCount is how many functions, most expensive first, are shown.
func topCount(list []*Function, cost float64) int {
	sum := 0.0
	for i, x := range list {
		if i >= mostTop || i >= leastTop && sum >= topShare*cost {
			return i
		}
		sum += x.Cost()
	}
	return len(list)
}

// columns makes the columns; cost and wall are totals.
func columns(list []*Function, cost, wall float64) []*text.Column {
	short := shortNames(list)
	cols := []*text.Column{
		{Head: "function", Left: true, Rank: 100, Least: 24, Wrap: true, Style: text.Bold},
		{Head: "calls", Rank: 99},
		{Head: "calls/s", Rank: 4},
		{Head: "p50", Rank: 90},
		{Head: "p99", Rank: 5},
		{Head: "p99.9", Rank: 20},
		{Head: "max", Rank: 21},
		{Head: "share", Rank: 98, Style: text.Bold},
		{Head: "crossing", Rank: 97},
		{Head: "callbacks", Rank: 11},
		{Head: "in Go", Rank: 10},
		{Head: "blocked", Rank: 12},
		{Head: "waits in", Left: true, Rank: 9, Least: 8},
		{Head: "threads", Rank: 3, Style: text.Faint},
		{Head: "main caller", Left: true, Rank: 6, Least: 20, Style: text.Faint},
	}
	for i, f := range list {
		perSecond := ""
		if wall > 0 {
			perSecond = rate(float64(f.Calls) / wall * 1e9)
		}
		text.Add(cols,
			short[i], count(f.Calls), perSecond,
			duration(f.P50NS), duration(f.P99NS), duration(f.P999NS), duration(f.MaxNS),
			percent(f.Cost(), cost), percent(f.Crossings(), f.Cost()),
			some(f.goCalls()), inGo(f), some(f.Blocked), waitsIn(f), count(uint64(max(f.MaxThreads, 0))), mainCaller(f))
	}
	return cols
}

// goCalls is how often C called Go. A trace of an older version knows only in how many calls
// it did.
func (f *Function) goCalls() uint64 {
	if f.Between != nil {
		return f.Between.Callbacks
	}
	return f.Callbacks
}

// inGo is the share of a function's time that passed in callbacks, the way there and back
// included.
func inGo(f *Function) string {
	if f.CallbackNS == 0 {
		return ""
	}
	return percent(float64(f.CallbackNS), float64(f.TotalNS))
}

// waitsIn is where a function waits most, with the share of its time in which it is seen there.
func waitsIn(f *Function) string {
	if len(f.Waits) == 0 {
		return ""
	}
	list, total := f.Waited(), 0.0
	for _, w := range list {
		total += float64(w.NS)
	}
	name := list[0].Name()
	if part := float64(list[0].NS) / max(1, total); part < 0.995 {
		name += " " + percent(float64(list[0].NS), total)
	}
	return name
}

// shortNames are the functions' names, each with as much of its package's path
// as it takes to tell packages apart.
func shortNames(list []*Function) []string {
	paths := map[string]string{} // by last element
	several := false
	for _, f := range list {
		base := lastName(f.Package)
		if p, ok := paths[base]; ok && p != f.Package {
			several = true
		}
		paths[base] = f.Package
	}
	names := make([]string, len(list))
	for i, f := range list {
		prefix := lastName(f.Package)
		if several {
			prefix = f.Package
		}
		name := f.Name
		if name == "_CMalloc" {
			name = "malloc"
		}
		names[i] = prefix + "." + name
	}
	return names
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// lastName is the last element of an import path that is not a major version.
func lastName(importPath string) string {
	base := path.Base(importPath)
	if dir := path.Dir(importPath); majorVersion.MatchString(base) && dir != "." {
		base = path.Base(dir)
	}
	return base
}

// mainCaller is the innermost Go function of the most expensive stack.
func mainCaller(f *Function) string {
	if len(f.Callers) == 0 || len(f.Callers[0].Stack) == 0 {
		return ""
	}
	// Several stacks may end in the same function.
	byFunc := map[string]uint64{}
	best := f.Callers[0].Stack[0].Func
	for _, c := range f.Callers {
		if len(c.Stack) == 0 {
			continue
		}
		name := c.Stack[0].Func
		byFunc[name] += c.NS
		if byFunc[name] > byFunc[best] {
			best = name
		}
	}
	return path.Base(best)
}

// count is a number of things in at most five characters: 950, 12.3k, 4.56M.
func count(n uint64) string {
	v := float64(n)
	for _, unit := range []string{"", "k", "M", "G", "T"} {
		switch {
		case unit == "" && n < 10000:
			return fmt.Sprint(n)
		case v < 9.995:
			return fmt.Sprintf("%.2f%s", v, unit)
		case v < 99.95:
			return fmt.Sprintf("%.1f%s", v, unit)
		case v < 999.5:
			return fmt.Sprintf("%.0f%s", v, unit)
		}
		v /= 1000
	}
	return fmt.Sprintf("%.3gP", v)
}

// some is count, or nothing for 0.
func some(n uint64) string {
	if n == 0 {
		return ""
	}
	return count(n)
}

func rate(perSecond float64) string {
	if perSecond < 99.95 {
		return fmt.Sprintf("%.3g", perSecond)
	}
	return count(uint64(math.Round(perSecond)))
}

func duration(ns uint64) string { return quantity.Time(float64(ns)) }

func percent(part, whole float64) string {
	if whole <= 0 {
		return ""
	}
	p := 100 * part / whole
	if p < 9.95 {
		return fmt.Sprintf("%.1f%%", p)
	}
	return fmt.Sprintf("%.0f%%", p)
}
