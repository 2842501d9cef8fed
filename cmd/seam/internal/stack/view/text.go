package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// TextOptions are options of the text. A Width of 0 means 100 columns.
type TextOptions struct {
	text.Options
	All bool   // everything that was found, not only what matters
	Dir string // files below it are shown relative to it; "" for none
}

const defaultWidth = 100

// How much of each part is shown without All.
const (
	mostSites     = 10
	mostShort     = 10
	fewSites      = 3
	mostChains    = 12
	mostNodes     = 40
	mostProcesses = 8
	mostOverflows = 3
)

// A writer is a report being written.
type writer struct {
	*text.Writer
	names
	all bool
	f   *report.File
	sum figures
	fix [][]advice // of each site
}

func newWriter(w io.Writer, f *report.File, o TextOptions) *writer {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	f = ranked(f)
	n := names{dir: o.Dir}
	t := &writer{Writer: text.New(w, o.Options), names: n, all: o.All, f: f, sum: sum(f), fix: advise(f, n)}
	t.Hard = true // names come from the traced program
	return t
}

// Text writes the report for people.
func Text(w io.Writer, f *report.File, o TextOptions) error {
	t := newWriter(w, f, o)
	t.header()
	t.totals()
	t.overflows()
	t.sites()
	t.growthSteps()
	t.chains()
	t.tree()
	t.shrinks()
	t.allocations()
	t.refills()
	t.Line(text.Faint, footer)
	return t.Flush()
}

// heading begins a part.
func (t *writer) heading(s string) {
	fmt.Fprintln(t)
	t.Line(text.Bold, s)
	if !t.Colour {
		fmt.Fprintln(t, strings.Repeat("-", len(s)))
	}
}

func (t *writer) header() {
	f := t.f
	t.Line(text.Bold, "seam stack trace"+titleWords(f))
	fmt.Fprintln(t)
	for _, fact := range facts(f) {
		t.Paragraph(text.Plain, fmt.Sprintf("%-12s", fact.name), fact.value)
	}
	list := f.Processes
	if !t.all && len(list) > mostProcesses {
		list = list[:mostProcesses]
	}
	for i := range list {
		t.Paragraph(text.Plain, fmt.Sprintf("%-12s", "Process"), processWords(&list[i]))
	}
	t.rest(len(f.Processes)-len(list), "process")
	for _, w := range warnings(f) {
		t.Paragraph(text.Caution, "! ", w)
	}
	fmt.Fprintln(t)
}

// rest says how many entries of a list are not shown.
func (t *writer) rest(n int, what string) {
	if n > 0 {
		t.Line(text.Faint, fmt.Sprintf("and %s; --all shows them", plural(int64(n), "more "+what)))
	}
}

func (t *writer) totals() {
	for i, s := range totals(t.f, t.sum) {
		style := text.Plain
		if i == 0 {
			style = text.Bold
		}
		t.Line(style, s)
	}
}

func (t *writer) overflows() {
	list := t.f.Overflows
	if !t.all && len(list) > mostOverflows {
		list = list[:mostOverflows]
	}
	for i := range list {
		t.Paragraph(text.Caution, "! ", overflowWords(&list[i], t.names))
	}
	t.rest(len(t.f.Overflows)-len(list), "overflow")
}

func (t *writer) sites() {
	f := t.f
	if len(f.Sites) == 0 {
		return // it has been said that no stack grew
	}
	t.heading("Where stacks grow")
	whole, short := t.choose()
	for _, i := range whole {
		t.site(i, &f.Sites[i])
	}
	if len(short) == 0 {
		return
	}
	fmt.Fprintln(t)
	if len(whole) > 0 {
		t.Line(text.Plain, "And where it matters less:")
	}
	more := 0
	if len(short) > mostShort {
		short, more = short[:mostShort], len(short)-mostShort
	}
	cols := []*text.Column{{Head: "", Rank: 9}, {Head: "growths", Rank: 9}, {Head: "time", Rank: 8}, {Head: "in use", Rank: 3}, {Head: "largest", Rank: 7}, {Head: "function", Left: true, Rank: 9, Least: 20}, {Head: "called at", Left: true, Rank: 6, Least: 20}}
	for _, i := range short {
		s := &f.Sites[i]
		text.Add(cols, fmt.Sprintf("%d.", i+1), count(s.Count), duration(s.Time), size(s.Used), size(s.Largest), t.function(s.Callee), t.where(s.Caller))
	}
	t.Table(text.Table{Columns: cols})
	t.rest(more, "site")
}

// choose says which sites are shown in full, and which on one line: those with nothing to
// fix, unless there are few.
func (t *writer) choose() (whole, short []int) {
	for i := range t.f.Sites {
		if t.all || len(t.f.Sites) <= fewSites || worth(t.fix[i]) && len(whole) < mostSites {
			whole = append(whole, i)
		} else {
			short = append(short, i)
		}
	}
	return whole, short
}

func (t *writer) site(i int, s *report.Site) {
	fmt.Fprintln(t)
	lead := fmt.Sprintf("%2d. ", i+1)
	head := t.function(s.Callee)
	if s.Frame > 0 {
		head += ", frame of " + size(s.Frame)
	}
	t.Paragraph(text.Bold, lead, head)
	t.Paragraph(text.Plain, "    ", "called by "+t.call(s.Caller))
	t.Paragraph(text.Plain, "    ", siteWords(s, t.f))
	if w := stepWords(s); w != "" {
		t.Paragraph(text.Faint, "    ", w)
	}
	if w := entryWords(s, t.names, t.all); w != "" {
		t.Paragraph(text.Faint, "    ", w)
	}
	for _, a := range t.fix[i] {
		t.Paragraph(text.Plain, " => ", a.words())
	}
}

func (t *writer) growthSteps() {
	if len(t.sum.steps) == 0 {
		return
	}
	t.heading("Growths by size")
	cols := append(stepColumns("growths"), &text.Column{Head: "bytes/ns", Rank: 3}, &text.Column{Head: "share", Rank: 4})
	weight := weigh(t.f)
	add := func(name string, g report.Totals) {
		text.Add(cols, append(stepCells(name, g), per(g.Copied, g.Time), percent(weight(g), weight(t.f.Growth)))...)
	}
	for _, s := range t.sum.steps {
		add(step(s.From, s.To), s.Totals)
	}
	if o := t.sum.others; o.Count > 0 {
		o.Longest = 0 // it is that of all
		add("others", o)
	}
	t.Table(text.Table{Columns: cols})
}

// stepColumns are those that tables of steps have in common.
func stepColumns(what string) []*text.Column {
	return []*text.Column{{Head: "step", Left: true, Rank: 9}, {Head: what, Rank: 9}, {Head: "copied", Rank: 9}, {Head: "time", Rank: 9}, {Head: "mean", Rank: 8}, {Head: "longest", Rank: 2}}
}

func stepCells(name string, t report.Totals) []string {
	return []string{name, count(t.Count), size(t.Copied), duration(t.Time), mean(t), duration(t.Longest)}
}

func (t *writer) chains() {
	f := t.f
	if len(f.Chains) == 0 {
		return
	}
	t.heading("Chains of growths, from a goroutine's start")
	list := f.Chains
	if !t.all && len(list) > mostChains {
		list = list[:mostChains]
	}
	cols := []*text.Column{{Head: "goroutines", Rank: 9}, {Head: "growths", Rank: 6}, {Head: "time", Rank: 8}, {Head: "copied", Rank: 7}, {Head: "", Left: true, Rank: 9, Least: 40, End: true}}
	for _, g := range groupChains(list) {
		text.Add(cols, "", "", "", "", t.entry(g[0].Entry))
		for _, c := range g {
			text.Add(cols, count(c.Goroutines), count(c.Count), duration(c.Time), size(c.Copied), "  "+chain(c.Sizes, t.Width-numbersWidth))
		}
	}
	t.Table(text.Table{Columns: cols})
	t.rest(len(f.Chains)-len(list), "chain")
}

// numbersWidth is about the width of the numbers in front of a chain.
const numbersWidth = 46

func (t *writer) tree() {
	if len(t.f.Tree) == 0 {
		return
	}
	t.heading("Tree of doublings")
	most := mostNodes
	if t.all {
		most = len(t.f.Tree) + maxNodes
	}
	shown := largest(t.f, most)
	cols := []*text.Column{{Head: "growths", Rank: 9}, {Head: "time", Rank: 8}, {Head: "copied", Rank: 7}, {Head: "", Left: true, Rank: 9, Least: 40, End: true}}
	walk(shown, 0, func(b, parent *branch, depth int) {
		lead := strings.Repeat("  ", min(depth, 20))
		if b.node == nil {
			text.Add(cols, count(b.hidden), "", "", lead+"in smaller branches")
			return
		}
		text.Add(cols, count(b.node.Count), duration(b.node.Time), size(b.node.Copied), lead+branchWords(b.node, parent.node, t.names))
	})
	t.Table(text.Table{Columns: cols})
}

func (t *writer) shrinks() {
	f := t.f
	if len(f.Shrinks) == 0 {
		return
	}
	t.heading("Shrinks by the garbage collector")
	cols := stepColumns("shrinks")
	for _, s := range f.Shrinks {
		text.Add(cols, stepCells(step(s.From, s.To), s.Totals)...)
	}
	t.Table(text.Table{Columns: cols})
}

func (t *writer) allocations() {
	f := t.f
	if len(f.Sizes) == 0 {
		return
	}
	t.heading("Stacks allocated, by size")
	cols := []*text.Column{{Head: "size", Rank: 9}, {Head: "allocated", Rank: 9}, {Head: "new", Rank: 8}, {Head: "grown to", Rank: 8}, {Head: "shrunk to", Rank: 7}, {Head: "freed", Rank: 9}, {Head: "most at once", Rank: 6}}
	for _, row := range sizeRows(f) {
		text.Add(cols, row...)
	}
	t.Table(text.Table{Columns: cols})
}

func sizeRows(f *report.File) (rows [][]string) {
	for _, s := range f.Sizes {
		rows = append(rows, []string{size(s.Bytes), count(s.Allocs), count(s.New), count(s.Grown), count(s.Shrunk), count(s.Frees), count(s.Peak)})
	}
	return rows
}

func (t *writer) refills() {
	f := t.f
	if len(f.Refills) > 0 {
		t.heading("Refills of each P's stack cache from the shared pool")
		cols := []*text.Column{{Head: "size", Rank: 9}, {Head: "refills", Rank: 9}, {Head: "releases", Rank: 9}}
		for _, row := range refillRows(f) {
			text.Add(cols, row...)
		}
		t.Table(text.Table{Columns: cols})
	}
	fmt.Fprintln(t)
}

func refillRows(f *report.File) (rows [][]string) {
	for _, r := range f.Refills {
		rows = append(rows, []string{size(r.Bytes), count(r.Refills), count(r.Releases)})
	}
	return rows
}
