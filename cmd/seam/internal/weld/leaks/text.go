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

// WriteText writes the leaks for people.
func (f *File) WriteText(w io.Writer, o TextOptions) error {
	t := &report{text.New(w, o.Options), o.All, o.Dir}
	sites := fold(f.Leaks)
	shown := sites[:min(len(sites), mostLeaks)]
	if o.All {
		sites = nil
		for _, l := range f.Leaks {
			sites = append(sites, &site{l, 1})
		}
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
	return t.Flush()
}

// A report is a report that is being written.
type report struct {
	*text.Writer
	all bool
	dir string
}

// briefRun is how long a program must run before it can be seen whether its leaks grow:
// starting and ending it count too.
const briefRun = 200 * time.Millisecond

// longest is the time of the process that ran longest.
func longest(list []Process) (d time.Duration) {
	for i := range list {
		d = max(d, time.Duration(list[i].WallNS))
	}
	return d
}

func (t *report) summary(f *File, sites []*site) {
	lost, lostWrong, running, growing := uint64(0), uint64(0), 0, 0
	for _, p := range f.Processes {
		lost = plus(lost, p.LostBlocks)
		lostWrong = plus(lostWrong, p.LostWrong)
		if p.Running {
			running++
		}
	}
	for _, s := range sites {
		if s.Class == Growing {
			growing++
		}
	}
	unsearched := f.Unsearched()
	tracked := fmt.Sprintf("%s of C memory allocated by Go in %s", quantity.Plural(f.Made, "block"), quantity.Plural(uint64(len(f.Processes)-unsearched), "process"))
	switch {
	case unsearched == len(f.Processes):
		t.Line(text.Bold, "It is not known whether there are leaks.")
	case len(f.Leaks) == 0 && lost == 0:
		t.Line(text.Bold, fmt.Sprintf("No leak: %s, and all were freed.", tracked))
	case len(f.Leaks) == 0:
		t.Line(text.Bold, fmt.Sprintf("No leak was found among the blocks that could be tracked: %s.", tracked))
	default:
		growth := ""
		switch {
		case growing == 0 && longest(f.Processes) < briefRun:
			growth = fmt.Sprintf("; the run was too short (%s) to tell whether they grow", longest(f.Processes).Round(time.Millisecond/10))
		case growing == 0:
			growth = "; none of them grows"
		case growing == 1:
			growth = "; 1 of them grows"
		default:
			growth = fmt.Sprintf("; %d of them grow", growing)
		}
		t.Line(text.Bold, fmt.Sprintf("%s, %s, never freed, from %s%s. In all %s, %s.",
			quantity.Plural(f.Blocks, "block"), size(f.Bytes), quantity.Plural(len(sites), "place"), growth, tracked, size(f.MadeBytes)))
	}
	if len(f.Wrong) > 0 {
		n := uint64(0)
		for i := range f.Wrong {
			n = plus(n, f.Wrong[i].Count)
		}
		t.Line(text.Caution, fmt.Sprintf("! %s wrong; see below. None of them was carried out.", quantity.Plural(n, "free is", "frees are")))
	}
	if unsearched > 0 {
		t.Line(text.Caution, fmt.Sprintf("! %s could not be searched, and said why.", quantity.Plural(unsearched, "process")))
	}
	if lost > 0 {
		t.Line(text.Caution, fmt.Sprintf("! %s did not fit into the table of blocks and are missing here.", quantity.Plural(lost, "block")))
	}
	if lostWrong > 0 {
		t.Line(text.Caution, fmt.Sprintf("! %s did not fit into the recording and are missing here.", quantity.Plural(lostWrong, "wrong free")))
	}
	if running > 0 {
		t.Line(text.Caution, fmt.Sprintf("! %d of the processes had not ended; what they still hold counts as never freed.", running))
	}
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
	case Once:
		about = "once"
	case Init:
		about = "while a package was initialised"
	}
	if l.stacks > 1 {
		about += fmt.Sprintf("; %d stacks", l.stacks)
	}
	if l.Made > l.Blocks {
		about += fmt.Sprintf("; %d made", l.Made)
	}
	style := text.Faint
	if l.Class == Growing {
		style = text.Caution
	}
	fmt.Fprintf(t, "%s  %s", t.Paint(text.Bold, t.Say(head)), t.Paint(style, t.Say(about)))
	if t.Colour && l.Class != Once {
		fmt.Fprintf(t, "  %s", t.Paint(text.Faint, spark(l.History)))
	}
	t.WriteByte('\n')
	t.stack(l.Stack, l.stacks)
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
func (t *report) stack(frames []recording.Frame, stacks int) {
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
		place := ""
		if f.File != "" {
			place = fmt.Sprintf("%s:%d", t.file(f.File), f.Line)
		}
		text.Add([]*text.Column{name, where}, f.Func, place)
	}
	t.Table(text.Table{Columns: []*text.Column{name, where}, Indent: 4})
	switch {
	case stacks > 1 && rest > 0:
		fmt.Fprintln(t, "    "+t.Paint(text.Faint, fmt.Sprintf("continues in %d ways; --all shows them", stacks)))
	case rest > 0:
		fmt.Fprintln(t, "    "+t.Paint(text.Faint, fmt.Sprintf("and %d more; --all shows them", rest)))
	}
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
	t.stack(w.Made, 1)
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
		t.stack(p.Stack, 1)
	}
}

func size(n uint64) string { return quantity.Tick(float64(n), "B") }
