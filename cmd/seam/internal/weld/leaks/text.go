package leaks

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// TextOptions say what WriteText writes, and for what width.
type TextOptions struct {
	text.Options
	All bool   // all leaks with whole stacks, not only what matters
	Dir string // files below it are shown relative to it; "" for none
}

// mostLeaks is how many places are shown without All.
const mostLeaks = 20

// notWatched ends each report: who finds that RSS grows and reads "no leak" has to know.
const notWatched = "Not watched: what C allocates by itself, also what it gives to Go, and mmap (seam heap says which stacks hold that), " +
	"and Go's own heap (go tool pprof)."

// WriteText writes the leaks for people.
func (f *File) WriteText(w io.Writer, o TextOptions) error {
	t := &report{text.New(w, o.Options), o.All, o.Dir}
	sites := sitesOf(f.Leaks)
	shown := sites[:min(len(sites), mostLeaks)]
	if o.All {
		shown = sites
	}
	t.summary(f, sites)
	for _, s := range shown {
		t.leak(s)
	}
	if rest := sites[len(shown):]; len(rest) > 0 {
		blocks, bytes := uint64(0), uint64(0)
		for _, s := range rest {
			blocks, bytes = plus(blocks, s.Blocks), plus(bytes, s.Bytes)
		}
		t.WriteByte('\n')
		t.Line(text.Faint, fmt.Sprintf("and %d more places: %s, %s; --all shows them", len(rest), quantity.Plural(blocks, "block"), size(bytes)))
	}
	for i := range f.Wrong {
		t.wrong(&f.Wrong[i])
	}
	t.WriteByte('\n')
	for _, l := range f.account() {
		style := text.Plain
		if f.Unexplained() > 0 {
			style = text.Caution
		}
		t.Line(style, l)
	}
	t.Line(text.Faint, notWatched)
	return t.Flush()
}

// A report is a report that is being written.
type report struct {
	*text.Writer
	all bool
	dir string
}

// longest is the time of the process that ran longest.
func longest(list []Process) (d time.Duration) {
	for i := range list {
		d = max(d, time.Duration(list[i].WallNS))
	}
	return d
}

// summary writes what was found, in a sentence, and before it what is not known.
func (t *report) summary(f *File, sites []*site) {
	gaps := f.Gaps()
	for i, gap := range gaps {
		if i == 0 {
			gap = "Incomplete, so this is no proof that nothing leaks: " + gap
		}
		t.Line(text.Caution, gap+".")
	}
	searched := len(f.Processes) - f.Unsearched()
	tracked := fmt.Sprintf("%s of C memory allocated by Go in %s", quantity.Plural(f.Made, "block"), quantity.Plural(uint64(searched), "process"))
	none := "no package outside the standard library called C.CString, C.CBytes, C.malloc or the like"
	switch {
	case f.Made > 0:
		none = tracked + ", and all were freed"
	case len(f.Processes) > 0:
		none = "Go allocated no C memory in " + quantity.Plural(uint64(searched), "process")
	}
	switch {
	case searched == 0 && (len(f.Processes) > 0 || len(gaps) > 0):
		t.Line(text.Bold, "It is not known whether there are leaks.")
	case f.Blocks > 0:
		t.Line(text.Bold, fmt.Sprintf("%s, %s, never freed, from %s; %s. In all %s, %s.",
			quantity.Plural(f.Blocks, "block"), size(f.Bytes), quantity.Plural(len(sites)+f.Omitted, "place"), grew(f, sites), tracked, size(f.MadeBytes)))
	case len(gaps) > 0:
		t.Line(text.Bold, fmt.Sprintf("Of what is known all was freed: %s.", tracked))
	case f.Unexplained() > 0:
		t.Line(text.Bold, fmt.Sprintf("Memory grew by %s, and not by what Go allocates in C: %s.", size(f.Unexplained()), none))
	default:
		t.Line(text.Bold, fmt.Sprintf("No leak of what Go allocates in C: %s.", none))
	}
	if len(f.Wrong) > 0 {
		n := uint64(0)
		for i := range f.Wrong {
			n = plus(n, f.Wrong[i].Count)
		}
		t.Line(text.Caution, fmt.Sprintf("! %s wrong; see below. None of them was carried out.", quantity.Plural(n, "free is", "frees are")))
	}
	running := 0
	for _, p := range f.Processes {
		if p.Running {
			running++
		}
	}
	if running > 0 {
		t.Line(text.Caution, fmt.Sprintf("! %d of the processes had not ended; what they still hold counts as never freed.", running))
	}
}

// grew tells how many sites grow and of how many it is not known.
func grew(f *File, sites []*site) string {
	growing, unclear := count(sites, Growing), count(sites, Unclear)
	if unclear == len(sites) && f.Omitted == 0 && longest(f.Processes) < leastRun {
		return fmt.Sprintf("the run was too short (%s of %s) to tell whether they grow", longest(f.Processes).Round(time.Millisecond/10), leastRun)
	}
	known := "none of them is seen to grow"
	switch {
	case growing == 1:
		known = "1 of them grows"
	case growing > 1:
		known = fmt.Sprintf("%d of them grow", growing)
	case unclear == 0:
		known = fmt.Sprintf("none of them grew in %s", longest(f.Processes).Round(time.Second/10))
	}
	if unclear > 0 {
		known += fmt.Sprintf("; of %d it can't be told", unclear)
	}
	return known
}

// leak writes one leak: its figures, and its stack below.
func (t *report) leak(l *site) {
	t.WriteByte('\n')
	head := fmt.Sprintf("%s in %s by %s", size(l.Bytes), quantity.Plural(l.Blocks, "block"), l.What)
	about := ""
	switch l.Class {
	case Growing:
		about = fmt.Sprintf("growing: %d at half time", half(l.History))
	case Steady:
		about = "steady"
	case Unclear:
		about = "can't tell whether it grows: " + l.Why
	case Once:
		about = "once"
	case Init:
		about = "while a package was initialised"
	}
	if l.Made > l.Blocks {
		about += fmt.Sprintf("; %d made", l.Made)
	}
	style := text.Faint
	if l.Class == Growing {
		style = text.Caution
	}
	fmt.Fprintf(t, "%s  %s", t.Paint(text.Bold, t.Say(head)), t.Paint(style, t.Say(about)))
	if t.Colour && l.Made > 1 {
		fmt.Fprintf(t, "  %s", t.Paint(text.Faint, spark(l.History)))
	}
	t.WriteByte('\n')
	if t.all {
		for _, one := range l.all {
			if len(l.all) > 1 {
				fmt.Fprintf(t, "  %s in %s by\n", size(one.Bytes), quantity.Plural(one.Blocks, "block"))
			}
			t.stack(one.Stack)
		}
		return
	}
	t.stack(l.Stack)
	t.callers(l)
}

// mostCallers is how many callers of a site are shown without All.
const mostCallers = 5

// callers writes where the stacks of a site part.
func (t *report) callers(l *site) {
	if len(l.callers) == 0 {
		return
	}
	fmt.Fprintf(t, "    %s\n", t.Paint(text.Faint, fmt.Sprintf("called in %d ways, from", l.stacks)))
	name := &text.Column{Left: true, Least: 24}
	where := &text.Column{Left: true, Least: t.Width/3 - 4, Start: true, Style: text.Faint}
	held := &text.Column{Left: true, Style: text.Faint}
	for _, c := range l.callers[:min(len(l.callers), mostCallers)] {
		what := c.Func
		if what == "" {
			what = "(the end of the stack)"
		}
		text.Add([]*text.Column{name, where, held}, what, t.line(c.Frame), fmt.Sprintf("%s in %s", size(c.bytes), quantity.Plural(c.blocks, "block")))
	}
	t.Table(text.Table{Columns: []*text.Column{name, where, held}, Indent: 6})
	if rest := len(l.callers) - mostCallers; rest > 0 {
		fmt.Fprintln(t, "      "+t.Paint(text.Faint, fmt.Sprintf("and %d more; --all shows them", rest)))
	}
}

// half is the middle of a history.
func half(history []uint64) uint64 {
	if len(history) < 2 {
		return 0
	}
	return history[len(history)/2-1]
}

// spark is a history as a line of blocks.
func spark(history []uint64) string {
	most := slices.Max(append([]uint64{1}, history...))
	var b strings.Builder
	for _, n := range history {
		b.WriteRune([]rune("▁▂▃▄▅▆▇█")[int(float64(n)/float64(most)*7)])
	}
	return b.String()
}

// stack writes the frames of one stack, or those that several stacks begin with.
func (t *report) stack(frames []recording.Frame) {
	if len(frames) == 0 {
		fmt.Fprintln(t, "    "+t.Paint(text.Faint, "(the stack is not known)"))
		return
	}
	rest := 0
	if !t.all {
		frames, rest = visible(frames)
	}
	name := &text.Column{Left: true, Least: 24}
	where := &text.Column{Left: true, Least: t.Width/2 - 4, Start: true, Style: text.Faint}
	for _, f := range frames {
		text.Add([]*text.Column{name, where}, f.Func, t.line(f))
	}
	t.Table(text.Table{Columns: []*text.Column{name, where}, Indent: 4})
	if rest > 0 {
		fmt.Fprintln(t, "    "+t.Paint(text.Faint, fmt.Sprintf("and %d more; --all shows them", rest)))
	}
}

// line is where a frame is: "a/a.go:7".
func (t *report) line(f recording.Frame) string {
	if f.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", t.file(f.File), f.Line)
}

func (t *report) file(name string) string {
	if t.dir == "" {
		return name
	}
	return strings.TrimPrefix(name, strings.TrimSuffix(t.dir, string(filepath.Separator))+string(filepath.Separator))
}

// wrong writes one way in which memory was freed wrongly.
func (t *report) wrong(w *Wrong) {
	t.WriteByte('\n')
	head := string(w.Kind)
	switch w.Kind {
	case Twice:
		head += fmt.Sprintf(" of a block of %s by %s", size(w.Size), w.What)
	case Middle:
		head += fmt.Sprintf(": %d bytes into a block of %s by %s", w.Offset, size(w.Size), w.What)
	}
	fmt.Fprintf(t, "%s  %s\n", t.Paint(text.Bold, t.Say(head)), t.Paint(text.Caution, quantity.Plural(w.Count, "time")))
	fmt.Fprintln(t, "  made by")
	t.stack(w.Made)
	if w.Kind == Twice {
		t.place("freed first by", w.First)
		t.place("and again by", w.Again)
		return
	}
	t.place("freed by", w.Again)
}

func (t *report) place(what string, p *Place) {
	fmt.Fprintln(t, "  "+what)
	switch {
	case p == nil:
		fmt.Fprintln(t, "    "+t.Paint(text.Faint, "(not known)"))
	case p.C != "":
		fmt.Fprintln(t, "    "+t.KeepEnd(t.Say("C: "+p.C), t.Width-4))
	default:
		t.stack(p.Stack)
	}
}

func size(n uint64) string { return quantity.Tick(float64(n), "B") }
