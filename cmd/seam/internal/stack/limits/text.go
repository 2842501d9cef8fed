package limits

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer, o text.Options) error {
	t := text.New(w, o)
	fmt.Fprintf(t, "What stays on the stack on %s/%s, in bytes\n\n", r.GOOS, r.GOARCH)
	if r.main() != nil { // else there are only labels
		t.Table(text.Table{Columns: r.columns(), Repeat: true, Apart: true})
		t.WriteString("\n")
	}
	for _, note := range r.notes() {
		for i, l := range text.Break(t.Say(note), t.Width-2) {
			if i > 0 {
				l = "  " + l
			}
			t.WriteString(l + "\n")
		}
	}
	return t.Flush()
}

// columns are the table: a row a limit, a column a toolchain that was measured.
func (r *Report) columns() []*text.Column {
	labels := &text.Column{Left: true}
	published := &text.Column{Head: "published", Style: text.Faint}
	since := &text.Column{Head: "since", Left: true, Style: text.Faint}
	for _, l := range r.Limits {
		labels.Cells = append(labels.Cells, l.Label)
		published.Cells = append(published.Cells, l.Published)
	}
	list := []*text.Column{labels}
	main := r.main()
	for i := range r.Toolchains {
		m := &r.Toolchains[i]
		if m.Missing != "" {
			continue
		}
		c := &text.Column{Head: strings.TrimPrefix(m.Version, "go")}
		if m.InUse {
			c.Head, c.Style = c.Head+"*", text.Bold
		}
		for _, l := range r.Limits {
			v := m.Values[l.Key]
			c.Cells = append(c.Cells, v.text(l.Unit))
			if m == main {
				since.Cells = append(since.Cells, v.Since.short())
			}
		}
		list = append(list, c)
	}
	return append(list, since, published)
}

// main is the toolchain whose history is told: the one in use, or the
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

// notes say what the table has no room for.
func (r *Report) notes() (notes []string) {
	main := r.main()
	if main != nil {
		notes = append(notes, r.past(main)...)
		if f := main.Values["overflow_frames"]; f.N > 0 {
			notes = append(notes, fmt.Sprintf("Stacks double, so the largest under a limit of %s bytes has %s: it overflowed after %s calls with frames of %s bytes, %s bytes in all.",
				main.Values["max"].text(unitBytes), main.Values["overflow_stack"].text(unitBytes), grouped(f.N), grouped(f.Frame), grouped(f.N*f.Frame)))
		}
		for _, l := range r.Limits {
			if v := main.Values[l.Key]; v.AtLeast {
				notes = append(notes, fmt.Sprintf("%s: no limit was found up to %s; if the stack has no room for it, the program ends.", l.Label, exact(v.N)))
			}
		}
	}
	for _, l := range r.Limits {
		for _, m := range r.Toolchains {
			if k := m.Values[l.Key].Known; k != nil {
				notes = append(notes, fmt.Sprintf("%s: %s has %s here and had %s when Seam was made. Was it built or set up differently (GOEXPERIMENT, a modified compiler)?",
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
			notes = append(notes, "* is the go command in use, "+m.Root+". The published figures (2020, https://habr.com/ru/post/490618) are of Go 1.13.8, with frames of 10 MB.")
		}
	}
	return notes
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
