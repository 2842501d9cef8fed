package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stack/trace"
)

// TextOptions say what text is written for.
type TextOptions struct {
	Width  int    // columns; 0 means 100
	Colour bool   // colours and typographic characters; without it the text is ASCII
	All    bool   // everything that was found, not only what matters
	Dir    string // files below it are shown relative to it; "" for none
}

const (
	defaultWidth = 100
	minWidth     = 60 // the narrowest that text is squeezed into
	proseWidth   = 100
)

var (
	bold    = lipgloss.NewStyle().Bold(true)
	faint   = lipgloss.NewStyle().Faint(true)
	caution = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	plain   = lipgloss.NewStyle()
)

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

// A text is a report being written. Errors stay in the writer until it is flushed.
type text struct {
	TextOptions
	names
	w     *bufio.Writer
	f     *trace.File
	sum   figures
	mend  [][]advice // of each site
	width int
}

func newText(w io.Writer, f *trace.File, o TextOptions) *text {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	f = ranked(f)
	n := names{dir: o.Dir}
	return &text{TextOptions: o, names: n, w: bufio.NewWriter(w), f: f, sum: sum(f), mend: advise(f, n), width: max(o.Width, minWidth)}
}

// Text writes the report for people.
func Text(w io.Writer, f *trace.File, o TextOptions) error {
	t := newText(w, f, o)
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
	t.paragraph(faint, "", footer)
	return t.w.Flush()
}

// say is s as this text may show it.
func (t *text) say(s string) string {
	if !t.Colour {
		s = quantity.ASCII(s)
	}
	return s
}

func (t *text) style(s lipgloss.Style, words string) string {
	if !t.Colour || words == "" {
		return words
	}
	return s.Render(words)
}

// paragraph writes s after lead, and its further lines as far to the right.
func (t *text) paragraph(style lipgloss.Style, lead, s string) {
	room := max(20, min(t.width, proseWidth)-lipgloss.Width(lead))
	for _, l := range strings.Split(lipgloss.Wrap(t.say(s), room, " "), "\n") {
		fmt.Fprintln(t.w, lead+t.style(style, strings.TrimRight(l, " ")))
		lead = strings.Repeat(" ", lipgloss.Width(lead))
	}
}

// heading begins a part.
func (t *text) heading(s string) {
	fmt.Fprintln(t.w)
	fmt.Fprintln(t.w, t.style(bold, t.say(s)))
	if !t.Colour {
		fmt.Fprintln(t.w, strings.Repeat("-", lipgloss.Width(t.say(s))))
	}
}

func (t *text) header() {
	f := t.f
	t.paragraph(bold, "", "seam stack trace"+titleWords(f))
	fmt.Fprintln(t.w)
	for _, fact := range facts(f) {
		t.paragraph(plain, fmt.Sprintf("%-12s", fact.name), fact.value)
	}
	list := f.Processes
	if !t.All && len(list) > mostProcesses {
		list = list[:mostProcesses]
	}
	for i := range list {
		t.paragraph(plain, fmt.Sprintf("%-12s", "Process"), processWords(&list[i]))
	}
	t.rest(len(f.Processes)-len(list), "process")
	for _, w := range warnings(f) {
		t.paragraph(caution, "! ", w)
	}
	fmt.Fprintln(t.w)
}

// rest tells how many of a list are not shown.
func (t *text) rest(n int, what string) {
	if n > 0 {
		fmt.Fprintln(t.w, t.style(faint, fmt.Sprintf("and %s; --all shows them", plural(int64(n), "more "+what))))
	}
}

func (t *text) totals() {
	for i, s := range totals(t.f, t.sum) {
		style := plain
		if i == 0 {
			style = bold
		}
		t.paragraph(style, "", s)
	}
}

func (t *text) overflows() {
	list := t.f.Overflows
	if !t.All && len(list) > mostOverflows {
		list = list[:mostOverflows]
	}
	for i := range list {
		t.paragraph(caution, "! ", overflowWords(&list[i], t.names))
	}
	t.rest(len(t.f.Overflows)-len(list), "overflow")
}

func (t *text) sites() {
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
	fmt.Fprintln(t.w)
	if len(whole) > 0 {
		t.paragraph(plain, "", "And where it matters less:")
	}
	more := 0
	if len(short) > mostShort {
		short, more = short[:mostShort], len(short)-mostShort
	}
	cols := []column{{head: "", rank: 9}, {head: "growths", rank: 9}, {head: "time", rank: 8}, {head: "in use", rank: 3}, {head: "largest", rank: 7}, {head: "function", left: true, rank: 9, least: 20}, {head: "called at", left: true, rank: 6, least: 20}}
	for _, i := range short {
		s := &f.Sites[i]
		addRow(cols, fmt.Sprintf("%d.", i+1), count(s.Count), duration(s.Time), size(s.Used), size(s.Largest), t.function(s.Callee), t.where(s.Caller))
	}
	t.table(cols)
	t.rest(more, "site")
}

// choose says which sites are shown with all that is known of them, and which on a line:
// where there is nothing to mend, unless there are few.
func (t *text) choose() (whole, short []int) {
	for i := range t.f.Sites {
		if t.All || len(t.f.Sites) <= fewSites || worth(t.mend[i]) && len(whole) < mostSites {
			whole = append(whole, i)
		} else {
			short = append(short, i)
		}
	}
	return whole, short
}

func (t *text) site(i int, s *trace.Site) {
	fmt.Fprintln(t.w)
	lead := fmt.Sprintf("%2d. ", i+1)
	head := t.function(s.Callee)
	if s.Frame > 0 {
		head += ", frame of " + size(s.Frame)
	}
	t.paragraph(bold, lead, head)
	t.paragraph(plain, "    ", "called by "+t.call(s.Caller))
	t.paragraph(plain, "    ", siteWords(s, t.f))
	if w := stepWords(s); w != "" {
		t.paragraph(faint, "    ", w)
	}
	if w := entryWords(s, t.names, t.All); w != "" {
		t.paragraph(faint, "    ", w)
	}
	for _, a := range t.mend[i] {
		t.paragraph(plain, " => ", a.words())
	}
}

func (t *text) growthSteps() {
	if len(t.sum.steps) == 0 {
		return
	}
	t.heading("Growths by size")
	cols := []column{{head: "step", left: true, rank: 9}, {head: "growths", rank: 9}, {head: "copied", rank: 9}, {head: "time", rank: 9},
		{head: "mean", rank: 8}, {head: "longest", rank: 2}, {head: "bytes/ns", rank: 3}, {head: "share", rank: 4}}
	whole := weigh(t.f)(t.f.Growth)
	for _, s := range t.sum.steps {
		addRow(cols, step(s.From, s.To), count(s.Count), size(s.Copied), duration(s.Time), mean(s.Totals), duration(s.Longest), per(s.Copied, s.Time), percent(weigh(t.f)(s.Totals), whole))
	}
	if o := t.sum.others; o.Count > 0 {
		addRow(cols, "others", count(o.Count), size(o.Copied), duration(o.Time), mean(o), "", per(o.Copied, o.Time), percent(weigh(t.f)(o), whole))
	}
	t.table(cols)
}

func (t *text) chains() {
	f := t.f
	if len(f.Chains) == 0 {
		return
	}
	t.heading("Chains of growths, from a goroutine's start")
	list := f.Chains
	if !t.All && len(list) > mostChains {
		list = list[:mostChains]
	}
	cols := []column{{head: "goroutines", rank: 9}, {head: "growths", rank: 6}, {head: "time", rank: 8}, {head: "copied", rank: 7}, {head: "", left: true, rank: 9, least: 40, tail: true}}
	for _, g := range groupChains(list) {
		addRow(cols, "", "", "", "", t.entry(g[0].Entry))
		for _, c := range g {
			addRow(cols, count(c.Goroutines), count(c.Count), duration(c.Time), size(c.Copied), "  "+chain(c.Sizes, t.width-numbersWidth))
		}
	}
	t.table(cols)
	t.rest(len(f.Chains)-len(list), "chain")
}

// numbersWidth is about what the numbers in front of a chain take.
const numbersWidth = 46

func (t *text) tree() {
	if len(t.f.Tree) == 0 {
		return
	}
	t.heading("Tree of doublings")
	most := mostNodes
	if t.All {
		most = len(t.f.Tree) + maxNodes
	}
	shown := largest(t.f, most)
	cols := []column{{head: "growths", rank: 9}, {head: "time", rank: 8}, {head: "copied", rank: 7}, {head: "", left: true, rank: 9, least: 40, tail: true}}
	walk(shown, 0, func(b, parent *branch, depth int) {
		lead := strings.Repeat("  ", min(depth, 20))
		if b.node == nil {
			addRow(cols, count(b.hidden), "", "", lead+"in smaller branches")
			return
		}
		addRow(cols, count(b.node.Count), duration(b.node.Time), size(b.node.Copied), lead+branchWords(b.node, parent.node, t.names))
	})
	t.table(cols)
}

func (t *text) shrinks() {
	f := t.f
	if len(f.Shrinks) == 0 {
		return
	}
	t.heading("Shrinks by the garbage collector")
	cols := []column{{head: "step", left: true, rank: 9}, {head: "shrinks", rank: 9}, {head: "copied", rank: 9}, {head: "time", rank: 9}, {head: "mean", rank: 8}, {head: "longest", rank: 2}}
	for _, s := range f.Shrinks {
		addRow(cols, step(s.From, s.To), count(s.Count), size(s.Copied), duration(s.Time), mean(s.Totals), duration(s.Longest))
	}
	t.table(cols)
}

func (t *text) allocations() {
	f := t.f
	if len(f.Sizes) == 0 {
		return
	}
	t.heading("Stacks allocated, by size")
	cols := []column{{head: "size", rank: 9}, {head: "allocated", rank: 9}, {head: "new", rank: 8}, {head: "grown to", rank: 8}, {head: "shrunk to", rank: 7}, {head: "freed", rank: 9}, {head: "most at once", rank: 6}}
	for _, s := range f.Sizes {
		addRow(cols, size(s.Bytes), count(s.Allocs), count(s.New), count(s.Grown), count(s.Shrunk), count(s.Frees), count(s.Peak))
	}
	t.table(cols)
}

func (t *text) refills() {
	f := t.f
	if len(f.Refills) > 0 {
		t.heading("Trips from a P's cache of stacks to the pool that all share")
		cols := []column{{head: "size", rank: 9}, {head: "refills", rank: 9}, {head: "releases", rank: 9}}
		for _, r := range f.Refills {
			addRow(cols, size(r.Bytes), count(r.Refills), count(r.Releases))
		}
		t.table(cols)
	}
	fmt.Fprintln(t.w)
}
