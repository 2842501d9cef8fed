package trace

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// TextOptions say what WriteText writes for.
type TextOptions struct {
	Width  int  // columns; 0 means 80
	Colour bool // colours and typographic characters; without it the text is ASCII
	All    bool // all functions that were called, not only those that matter
}

// minWidth is the narrowest that a table is squeezed into.
const minWidth = 60

// What is on top of the table: as many functions as it takes for this share of
// the time, within these bounds.
const (
	topShare = 0.98
	leastTop = 5
	mostTop  = 20
)

var (
	bold    = lipgloss.NewStyle().Bold(true)
	faint   = lipgloss.NewStyle().Faint(true)
	caution = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
)

// Cost is what the calls of a function took: in C and for the crossing, in
// nanoseconds.
func (f *Function) Cost() float64 { return float64(f.TotalNS) + f.Crossings() }

// Crossings is the time that the crossings of a function took, in nanoseconds.
func (f *Function) Crossings() float64 { return f.CrossingNS * float64(f.Calls) }

// WriteText writes the trace as a table for people.
func (f *File) WriteText(w io.Writer, o TextOptions) error {
	if o.Width <= 0 {
		o.Width = 80
	}
	t := &text{w: bufio.NewWriter(w), TextOptions: o, width: max(o.Width, minWidth)}
	t.file(f)
	return t.w.Flush()
}

// A text is a table being written. Errors stay in the writer until it is
// flushed.
type text struct {
	TextOptions
	w     *bufio.Writer
	width int
}

func (t *text) style(s lipgloss.Style) lipgloss.Style {
	if t.Colour {
		return s
	}
	return lipgloss.NewStyle()
}

// say is s as this text may show it.
func (t *text) say(s string) string {
	s = quantity.Printable(s)
	if !t.Colour {
		s = quantity.ASCII(s)
	}
	return s
}

func (t *text) line(style lipgloss.Style, s string) {
	for _, l := range strings.Split(lipgloss.Wrap(t.say(s), min(t.width, 100), " "), "\n") {
		fmt.Fprintln(t.w, t.style(style).Render(strings.TrimRight(l, " ")))
	}
}

func (t *text) file(f *File) {
	called := make([]*Function, 0, len(f.Functions))
	calls, cost, crossings, wall, lost, running := uint64(0), 0.0, 0.0, 0.0, uint64(0), 0
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
		lost += p.LostCalls
		if p.Running {
			running++
		}
	}
	processes := fmt.Sprintf("%d processes", len(f.Processes))
	if len(f.Processes) == 1 {
		processes = "1 process"
	}
	if len(called) == 0 {
		t.line(bold, fmt.Sprintf("No C call in %s; %d C functions could have been called.", processes, len(f.Functions)))
		return
	}
	t.line(bold, fmt.Sprintf("%s of %s in %s: %s, of which the crossing takes %s (%s).",
		plural(count(calls), "C call"), plural(fmt.Sprint(len(called)), "function"), processes, quantity.Time(cost), quantity.Time(crossings), percent(crossings, cost)))
	if lost > 0 {
		t.line(caution, fmt.Sprintf("! %s calls did not fit into the record and are missing here.", count(lost)))
	}
	if running > 0 {
		t.line(caution, fmt.Sprintf("! %d of the processes had not ended; what they do from now on is missing.", running))
	}
	if f.NoSwitches {
		t.line(caution, "! This kernel doesn't count how often a thread waits: a call that only lost the processor counts as blocked.")
	}
	if !slices.ContainsFunc(called, func(x *Function) bool { return len(x.Callers) > 0 }) {
		t.line(caution, "! No callers are known: the build did not find package runtime for the tracer.")
	}
	fmt.Fprintln(t.w)

	slices.SortFunc(called, func(a, b *Function) int {
		return cmp.Or(cmp.Compare(b.Cost(), a.Cost()), cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Package+"."+a.Name, b.Package+"."+b.Name))
	})
	top := len(called)
	if !t.All {
		top = topCount(called, cost)
	}
	t.table(columns(called[:top], cost, wall))
	if rest := called[top:]; len(rest) > 0 {
		n, c := uint64(0), 0.0
		for _, x := range rest {
			n += x.Calls
			c += x.Cost()
		}
		t.line(faint, fmt.Sprintf("and %d more: %s calls, %s (%s); --all shows them", len(rest), count(n), quantity.Time(c), percent(c, cost)))
	}
	fmt.Fprintln(t.w)
	t.line(faint, fmt.Sprintf("Times are of C alone, callbacks into Go included; share is C and crossing together. Overhead: tracing adds about %s to a call, which the figures don't contain.",
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

// A column of the table. Those with the lowest rank are left out first where
// the table would be too wide.
type column struct {
	head  string
	left  bool
	rank  int
	cells []string
	style lipgloss.Style
}

// columns makes the columns; cost and wall are totals.
func columns(list []*Function, cost, wall float64) []column {
	short := shortNames(list)
	cols := []column{
		{head: "function", left: true, rank: 100, style: bold},
		{head: "calls", rank: 99},
		{head: "calls/s", rank: 4},
		{head: "p50", rank: 90},
		{head: "p99", rank: 5},
		{head: "p99.9", rank: 20},
		{head: "max", rank: 21},
		{head: "share", rank: 98, style: bold},
		{head: "crossing", rank: 97},
		{head: "callbacks", rank: 11},
		{head: "blocked", rank: 12},
		{head: "threads", rank: 3, style: faint},
		{head: "main caller", left: true, rank: 6, style: faint},
	}
	for i, f := range list {
		perSecond := ""
		if wall > 0 {
			perSecond = rate(float64(f.Calls) / wall * 1e9)
		}
		for k, cell := range []string{
			short[i], count(f.Calls), perSecond,
			duration(f.P50NS), duration(f.P99NS), duration(f.P999NS), duration(f.MaxNS),
			percent(f.Cost(), cost), percent(f.Crossings(), f.Cost()),
			some(f.Callbacks), some(f.Blocked), count(uint64(max(f.MaxThreads, 0))), mainCaller(f),
		} {
			cols[k].cells = append(cols[k].cells, cell)
		}
	}
	// What is empty for all is left out.
	return slices.DeleteFunc(cols, func(c column) bool { return strings.Join(c.cells, "") == "" })
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
	// Several stacks may end in one function.
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

// table writes as many columns as fit.
func (t *text) table(cols []column) {
	const gap = 2
	widths := make([]int, len(cols))
	for i := range cols {
		c := &cols[i]
		widths[i] = lipgloss.Width(c.head)
		for k := range c.cells {
			c.cells[k] = t.say(c.cells[k])
			widths[i] = max(widths[i], lipgloss.Width(c.cells[k]))
		}
	}
	const leastName, leastCaller = 24, 20
	needed := func() int {
		sum := -gap
		for i, c := range cols {
			sum += gap
			switch c.head {
			case "function":
				sum += min(widths[i], leastName)
			case "main caller":
				sum += min(widths[i], leastCaller)
			default:
				sum += widths[i]
			}
		}
		return sum
	}
	for needed() > t.width && len(cols) > 2 {
		least := 0
		for i, c := range cols {
			if c.rank < cols[least].rank {
				least = i
			}
		}
		cols = slices.Delete(cols, least, least+1)
		widths = slices.Delete(widths, least, least+1)
	}
	// The names get what room is left, the function's first.
	room := t.width - needed()
	for i, c := range cols {
		least := map[string]int{"function": leastName, "main caller": leastCaller}[c.head]
		if least == 0 || widths[i] <= least {
			continue
		}
		more := max(0, min(room, widths[i]-least))
		room -= more
		widths[i] = least + more
		for k, cell := range c.cells {
			c.cells[k] = t.shorten(cell, widths[i])
		}
	}
	heads := make([]string, len(cols))
	for i, c := range cols {
		heads[i] = c.head
	}
	tb := table.New().
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).BorderHeader(false).
		Headers(heads...).
		StyleFunc(func(r, c int) lipgloss.Style {
			s := t.style(cols[c].style)
			if r == table.HeaderRow {
				s = t.style(faint)
			}
			if !cols[c].left {
				s = s.Align(lipgloss.Right)
			}
			w := widths[c]
			if c > 0 {
				s, w = s.PaddingLeft(gap), w+gap
			}
			return s.Width(w)
		})
	for k := range cols[0].cells {
		row := make([]string, len(cols))
		for i, c := range cols {
			row[i] = c.cells[k]
		}
		tb.Row(row...)
	}
	for l := range strings.Lines(tb.Render() + "\n") {
		fmt.Fprintln(t.w, strings.TrimRight(l, " \n"))
	}
}

// shorten cuts the middle out of a name: its end says most, then its beginning.
func (t *text) shorten(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	dots := "..."
	if t.Colour {
		dots = "…"
	}
	keep := width - len([]rune(dots))
	head := keep / 3
	return string(r[:head]) + dots + string(r[len(r)-(keep-head):])
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

// plural is "1 call", and "12.3k calls".
func plural(n, what string) string {
	if n != "1" {
		what += "s"
	}
	return n + " " + what
}

// some is count, and nothing for none.
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
