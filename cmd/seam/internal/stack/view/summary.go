package view

import (
	"fmt"
	"io"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/stack/trace"
)

// mendShown is how many sites a summary names.
const mendShown = 3

// Summary writes what matters most in at most eight lines.
func Summary(w io.Writer, f *trace.File, o TextOptions) error {
	t := newText(w, f, o)
	f = t.f // with its sites ranked
	s := t.sum
	line := func(style lipgloss.Style, l string) {
		fmt.Fprintln(t.w, t.style(style, t.shorten(t.say(l), t.width, true)))
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
	line(bold, first)
	most := mendShown
	if len(f.Overflows) > 0 {
		most = mendShown - 1 // for room on the screen
		o := &f.Overflows[0]
		line(caution, t.callLine("! stack overflow at "+size(o.Size)+": ", o.Callee, o.Caller))
	}
	if little(f, s) {
		most = mendShown - 1
	}
	shown := 0
	for i := range f.Sites {
		site := &f.Sites[i]
		advice := t.mend[i]
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
		line(plain, t.callLine(head, site.Callee, site.Caller))
		line(faint, "   "+advice[0].short())
	}
	if shown == 0 && len(f.Sites) > 0 {
		line(plain, "nothing is worth mending: stacks grew once each, or in the runtime itself")
	} else if shown > 0 && little(f, s) {
		line(plain, "less than 1% of CPU time went into growing: little to gain")
	}
	line(faint, "stacks "+startBrief(f.Settings))
	return t.w.Flush()
}

// leastPath is what is left of a file's path at least, for its line to be seen.
const leastPath = 14

// callLine is a line that ends with a call. Where it is too wide the path loses its
// beginning, then the function's name its middle: the line number is worth most.
func (t *text) callLine(head string, callee, caller trace.Place) string {
	head = t.say(head)
	name, at, where := t.say(t.function(callee)), ", called at ", t.say(t.where(caller))
	if where == "" {
		return head + name
	}
	room := t.width - lipgloss.Width(head) - lipgloss.Width(at)
	if room < lipgloss.Width(name)+lipgloss.Width(where) {
		room += lipgloss.Width(at)
		at = " at "
		room -= lipgloss.Width(at)
	}
	where = t.keepEnd(where, max(leastPath, room/2, room-lipgloss.Width(name)))
	return head + t.shorten(name, max(0, room-lipgloss.Width(where)), false) + at + where
}

// keepEnd cuts off the beginning of a text.
func (t *text) keepEnd(s string, width int) string {
	if lipgloss.Width(s) <= width {
		return s
	}
	dots := t.say("…")
	r := []rune(s)
	r = r[max(0, len(r)-width):]
	for len(r) > 0 && lipgloss.Width(dots+string(r)) > width {
		r = r[1:]
	}
	return dots + string(r)
}
