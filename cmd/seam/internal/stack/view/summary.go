package view

import (
	"fmt"
	"io"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// fixesShown is how many sites a summary names.
const fixesShown = 3

// Summary writes what matters most in at most eight lines.
func Summary(w io.Writer, f *report.File, o TextOptions) error {
	t := newWriter(w, f, o)
	f = t.f // with its sites ranked
	s := t.sum
	line := func(style lipgloss.Style, l string) {
		fmt.Fprintln(t, t.Paint(style, t.Cut(t.Say(l), t.Width)))
	}
	first := fmt.Sprintf("%s made", are(s.stacks, "stack"))
	switch g := f.Growth; {
	case g.Count == 0:
		first += "; none grew"
	default:
		first += fmt.Sprintf(", %s, %s copied", plural(g.Count, "growth"), size(g.Copied))
		if g.Time > 0 {
			first += " in " + duration(g.Time)
			if p := percent(g.Time, s.cpu); p != "" {
				first += fmt.Sprintf(" (%s of CPU time)", p)
			}
		}
		if s.largest > 0 {
			first += ", largest " + size(s.largest)
		}
	}
	line(text.Bold, first)
	most := fixesShown
	if len(f.Overflows) > 0 {
		most = fixesShown - 1 // for room on the screen
		o := &f.Overflows[0]
		line(text.Caution, t.callLine("! stack overflow at "+size(o.Size)+": ", o.Callee, o.Caller))
	}
	if little(f, s) {
		most = fixesShown - 1
	}
	shown := 0
	for i := range f.Sites {
		site := &f.Sites[i]
		advice := t.fix[i]
		if !worth(advice) || repeats(advice) {
			continue
		}
		if shown == most {
			break
		}
		shown++
		head := fmt.Sprintf("%d. ", shown)
		if site.Time > 0 {
			head += duration(site.Time) + ", "
		}
		head += fmt.Sprintf("%s to %s: ", plural(site.Count, "growth"), size(site.Largest))
		line(text.Plain, t.callLine(head, site.Callee, site.Caller))
		line(text.Faint, "   "+advice[0].short())
	}
	if shown == 0 && len(f.Sites) > 0 {
		line(text.Plain, "nothing worth fixing: stacks grew only once each, or in the runtime itself")
	} else if shown > 0 && little(f, s) {
		line(text.Plain, "less than 1% of CPU time went into growing stacks: little to gain")
	}
	line(text.Faint, "stacks "+startBrief(f.Settings))
	return t.Flush()
}

// leastPath is how much of a file's path is always kept, so that the line can be seen.
const leastPath = 14

// callLine is a line that ends with a call. If it is too wide, the path loses its beginning,
// and then the function's name its middle: the line number matters most.
func (t *writer) callLine(head string, callee, caller report.Place) string {
	head = t.Say(head)
	name, at, where := t.Say(t.function(callee)), ", called at ", t.Say(t.where(caller))
	if where == "" {
		return head + name
	}
	room := t.Width - lipgloss.Width(head) - lipgloss.Width(at)
	if room < lipgloss.Width(name)+lipgloss.Width(where) {
		room += lipgloss.Width(at)
		at = " at "
		room -= lipgloss.Width(at)
	}
	where = t.KeepEnd(where, max(leastPath, room/2, room-lipgloss.Width(name)))
	return head + t.Shorten(name, max(0, room-lipgloss.Width(where))) + at + where
}
