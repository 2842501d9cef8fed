package limits

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// TextOptions say how the report is shown on a screen.
type TextOptions struct {
	Width  int
	Colour bool
}

// Colours of a terminal.
const (
	faint = "2"
	bold  = "1"
)

// A column of the table.
type column struct {
	head   string
	cells  []string
	colour string
	left   bool
}

func (c *column) width() int {
	n := utf8.RuneCountInString(c.head)
	for _, s := range c.cells {
		n = max(n, utf8.RuneCountInString(s))
	}
	return n
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer, o TextOptions) error {
	t := &textWriter{bufio.NewWriter(w), o}
	fmt.Fprintf(t, "What stays on the stack on %s/%s, in bytes\n\n", r.GOOS, r.GOARCH)
	if r.main() != nil { // else there are only labels
		t.table(r.columns())
		t.WriteString("\n")
	}
	t.notes(r)
	return t.Flush()
}

// columns are the table: a row a limit, a column a toolchain that was measured.
func (r *Report) columns() []column {
	labels := column{left: true}
	article := column{head: "article 4", colour: faint}
	since := column{head: "since", left: true, colour: faint}
	for _, l := range r.Limits {
		labels.cells = append(labels.cells, l.Label)
		article.cells = append(article.cells, l.Article)
	}
	list := []column{labels}
	main := r.main()
	for i := range r.Toolchains {
		m := &r.Toolchains[i]
		if m.Missing != "" {
			continue
		}
		c := column{head: strings.TrimPrefix(m.Version, "go")}
		if m.InUse {
			c.head, c.colour = c.head+"*", bold
		}
		for _, l := range r.Limits {
			v := m.Values[l.Key]
			c.cells = append(c.cells, v.text(l.Unit))
			if m == main {
				since.cells = append(since.cells, v.Since.short())
			}
		}
		list = append(list, c)
	}
	return append(list, since, article)
}

// main is the toolchain whose values have a past that is told: the one in use, or the
// newest that was measured.
func (r *Report) main() (main *Measured) {
	for i := range r.Toolchains {
		if m := &r.Toolchains[i]; m.Missing == "" && (main == nil || !main.InUse) {
			main = m
		}
	}
	return main
}

func (s *Since) short() string {
	switch {
	case s == nil:
		return ""
	case s.Oldest:
		return "<=" + strings.TrimPrefix(s.Version, "go")
	}
	return strings.TrimPrefix(s.Version, "go")
}

// text is the value in a cell: exact, since a limit is known to the byte.
func (v Value) text(unit string) string {
	switch {
	case v.Missing != "":
		return "-"
	case unit != unitBytes:
		return grouped(v.N)
	case v.AtLeast:
		return ">" + exact(v.N)
	case v.N == 0:
		return "none"
	}
	return exact(v.N)
}

// exact writes a number of bytes without rounding: in units of 1024 where it has a whole
// number of them or one byte less, else in digits.
func exact(n int64) string {
	// The limits of stacks, which have powers of ten.
	for _, u := range []struct {
		size int64
		name string
	}{{1e9, "e9"}, {1e6, "e6"}} {
		if n > 0 && n%u.size == 0 && n%(1<<10) != 0 {
			return fmt.Sprint(n/u.size) + u.name
		}
	}
	for _, u := range []struct {
		size int64
		name string
	}{{1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "KB"}} {
		if n >= u.size && n%u.size == 0 {
			return fmt.Sprintf("%d %s", n/u.size, u.name)
		}
		if n+1 >= u.size && (n+1)%u.size == 0 {
			return fmt.Sprintf("%d %s - 1", (n+1)/u.size, u.name)
		}
	}
	return grouped(n)
}

func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

type textWriter struct {
	*bufio.Writer
	TextOptions
}

func (t *textWriter) paint(colour, s string) string {
	if !t.Colour || colour == "" || s == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

// gap is the room between columns.
const gap = 2

// table writes columns side by side, and those that don't fit below, beside the first
// one again.
func (t *textWriter) table(cols []column) {
	first := cols[0].width()
	for rest := cols[1:]; len(rest) > 0; {
		n, used := 0, first
		for n < len(rest) && (n == 0 || used+gap+rest[n].width() <= t.Width) {
			used += gap + rest[n].width()
			n++
		}
		t.rows(append([]column{cols[0]}, rest[:n]...))
		if rest = rest[n:]; len(rest) > 0 {
			t.WriteString("\n")
		}
	}
}

func (t *textWriter) rows(cols []column) {
	for row := -1; row < len(cols[0].cells); row++ {
		line, space := "", ""
		for _, c := range cols {
			s, colour := c.head, faint
			if row >= 0 {
				s, colour = c.cells[row], c.colour
			} else if c.colour == bold {
				colour = bold
			}
			room := strings.Repeat(" ", c.width()-utf8.RuneCountInString(s))
			before, after := space+room, strings.Repeat(" ", gap)
			if c.left {
				before, after = space, room+after
			}
			line += before + t.paint(colour, s)
			space = after
		}
		t.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// notes say what the table has no room for.
func (t *textWriter) notes(r *Report) {
	var notes []string
	main := r.main()
	if main != nil {
		notes = append(notes, r.past(main)...)
		if f := main.Values["overflow_frames"]; f.N > 0 {
			notes = append(notes, fmt.Sprintf("Stacks double, so the largest under a limit of %s bytes has %s: it overflowed after %s calls with frames of %s bytes, %s bytes in all.",
				main.Values["max"].text(unitBytes), main.Values["overflow_stack"].text(unitBytes), grouped(f.N), grouped(f.Frame), grouped(f.N*f.Frame)))
		}
		for _, l := range r.Limits {
			if v := main.Values[l.Key]; v.AtLeast {
				notes = append(notes, fmt.Sprintf("%s: no limit was found up to %s; where the stack has no room for it, the program ends.", l.Label, exact(v.N)))
			}
		}
	}
	for _, l := range r.Limits {
		for _, m := range r.Toolchains {
			if k := m.Values[l.Key].Known; k != nil {
				notes = append(notes, fmt.Sprintf("%s: %s has %s here and had %s when Seam was made. Is it built or set up otherwise (GOEXPERIMENT, a compiler with changes)?",
					l.Label, m.Version, m.Values[l.Key].text(l.Unit), k.text(l.Unit)))
			}
		}
	}
	notes = append(notes, r.holes()...)
	for _, m := range r.Toolchains {
		if m.Missing != "" {
			notes = append(notes, fmt.Sprintf("%s: not measured: %s.", m.where(), m.Missing))
		}
		if m.InUse && m.Missing == "" {
			notes = append(notes, "* is the go command in use, "+m.Root+". Article 4 had Go 1.13.8 and frames of 10 MB.")
		}
	}
	for _, n := range notes {
		t.wrapped(n)
	}
}

// holes tell why figures are missing, each reason once.
func (r *Report) holes() (notes []string) {
	type hole struct{ labels, versions []string }
	var whys []string
	of := map[string]*hole{}
	for _, l := range r.Limits {
		for _, m := range r.Toolchains {
			why := m.Values[l.Key].Missing
			if why == "" {
				continue
			}
			h := of[why]
			if h == nil {
				h = &hole{}
				of[why], whys = h, append(whys, why)
			}
			if !slices.Contains(h.labels, l.Label) {
				h.labels = append(h.labels, l.Label)
			}
			if v := strings.TrimPrefix(m.Version, "go"); !slices.Contains(h.versions, v) {
				h.versions = append(h.versions, v)
			}
		}
	}
	for _, why := range whys {
		notes = append(notes, fmt.Sprintf("Not measured with %s: %s: %s.", strings.Join(of[why].versions, ", "), strings.Join(of[why].labels, "; "), why))
	}
	return notes
}

// where is the toolchain's name, and its folder where there is one.
func (m *Measured) where() string {
	if m.Root == "" {
		return m.Version
	}
	return m.Version + " in " + m.Root
}

// past tells what a toolchain's values were before.
func (r *Report) past(m *Measured) (notes []string) {
	for _, l := range r.Limits {
		v := m.Values[l.Key]
		if v.Since != nil && v.Since.Before != nil {
			notes = append(notes, fmt.Sprintf("%s: %s since Go %s; before, %s.",
				l.Label, v.text(l.Unit), strings.TrimPrefix(v.Since.Version, "go"), v.Since.Before.text(l.Unit)))
		}
	}
	return notes
}

// wrapped writes a text in lines of the screen's width.
func (t *textWriter) wrapped(text string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > max(t.Width, 20) {
			t.WriteString(line + "\n")
			line = " "
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	t.WriteString(line + "\n")
}
