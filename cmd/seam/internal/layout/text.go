package layout

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

type textWriter struct {
	*text.Writer
	line int64
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer, o text.Options) error {
	t := &textWriter{text.New(w, o), r.Line}
	for i := range r.Pairs {
		if i > 0 {
			t.WriteString("\n")
		}
		t.pair(&r.Pairs[i])
	}
	if n := len(r.Pairs); n > 1 {
		fmt.Fprintf(t, "\n%d pairs: %d agree, %d differ\n", n, n-r.Differing(), r.Differing())
	}
	return t.Flush()
}

func (t *textWriter) pair(r *Result) {
	verdict := t.Paint(text.Good, "agree")
	if !r.Agrees {
		verdict = t.Paint(text.Bad, "differ in "+quantity.Plural(r.Places(), "place"))
	}
	where := r.Package
	if r.Where != "" {
		where += ", " + r.Where
	}
	name := clean(r.GoName)
	if r.Go.Type != r.GoName {
		name += " (" + clean(r.Go.Type) + ")"
	}
	fmt.Fprintf(t, "%s and %s %s  %s\n", t.said(text.Bold, name), t.said(text.Bold, clean(r.C.Type)), verdict, t.said(text.Faint, "("+where+")"))
	t.figures("Go", &r.Go)
	t.figures("C", &r.C)
	t.pictures(r)
	t.fields(r)
	if len(r.Mismatches)+len(r.Notes) > 0 {
		t.WriteString("\n")
	}
	for _, m := range r.Mismatches {
		what := m.What
		if m.Path != "" {
			what = clean(m.Path) + ": " + what
		}
		t.Paragraph(text.Plain, "  "+t.Paint(text.Bad, "*")+" ", what)
		t.Paragraph(text.Plain, "    ", m.Fix)
	}
	if r.More > 0 {
		fmt.Fprintf(t, "  and %d more\n", r.More)
	}
	for _, n := range r.Notes {
		t.Paragraph(text.Plain, "  "+t.Paint(text.Faint, "-")+" ", n)
	}
	if r.Suggestion != nil {
		t.suggestion(r.Suggestion)
	}
}

func (t *textWriter) said(style lipgloss.Style, s string) string { return t.Paint(style, t.Say(s)) }

func (t *textWriter) figures(name string, s *Side) {
	words := fmt.Sprintf("%s, aligned to %d", bytesOf(s.Size), s.Align)
	if s.Packed {
		words += ", packed"
	}
	if s.Kind == Struct {
		words += fmt.Sprintf(", %d of padding, %s", s.Padding, s.cacheLines())
	}
	t.Paragraph(text.Plain, fmt.Sprintf("  %-2s  ", name), words)
}

func (s *Side) cacheLines() string {
	words := quantity.Plural(s.Lines, "cache line")
	if n := len(s.Straddling); n > 0 {
		shown := s.Straddling
		if n > 5 {
			shown = append(shown[:5:5], fmt.Sprintf("%d more", n-5))
		}
		words += " (straddled by " + clean(strings.Join(shown, ", ")) + ")"
	}
	return words
}

// pictures draws both sides beside each other, or below where the screen is too narrow;
// one of them where they are the same.
func (t *textWriter) pictures(r *Result) {
	g, c := t.picture(&r.Go, "Go"), t.picture(&r.C, "C")
	drawn := lipgloss.JoinHorizontal(lipgloss.Top, g, "    ", c)
	switch {
	case r.Agrees && samePicture(&r.Go, &r.C):
		drawn = t.picture(&r.Go, "Go and C")
	case 2+lipgloss.Width(drawn) > t.Width:
		drawn = g + "\n\n" + c
	}
	t.WriteString("\n")
	for line := range strings.SplitSeq(drawn, "\n") {
		t.WriteString(strings.TrimRight("  "+line, " ") + "\n")
	}
}

func samePicture(a, b *Side) bool {
	if len(a.Fields) != len(b.Fields) || a.Size != b.Size || a.Kind != b.Kind {
		return false
	}
	for i := range a.Fields {
		if a.Fields[i].Offset != b.Fields[i].Offset || a.Fields[i].Size != b.Fields[i].Size || a.Fields[i].mark != b.Fields[i].mark {
			return false
		}
	}
	return true
}

// picture draws the bytes: a letter for each byte of a field, a dot for padding.
func (t *textWriter) picture(s *Side, title string) string {
	const numbers = " 0 1 2 3 4 5 6 7"
	var lines []string
	if len(title) > 6 {
		lines = append(lines, t.Paint(text.Bold, title))
		title = ""
	}
	lines = append(lines, t.Paint(text.Bold, fmt.Sprintf("%-6s", title)+numbers))
	for _, r := range s.rows(t.line) {
		switch {
		case r.Gap > 0:
			lines = append(lines, t.said(text.Faint, fmt.Sprintf("       … %d more", r.Gap)))
			continue
		case r.Line > 0:
			lines = append(lines, t.Paint(text.Faint, fmt.Sprintf("------ line %d ---", r.Line)))
		}
		line := t.Paint(text.Faint, fmt.Sprintf("%6d", r.Offset))
		for _, c := range r.Cells {
			if c.Field < 0 {
				line += t.Paint(text.Faint, strings.Repeat(" .", c.Span))
			} else {
				line += strings.Repeat(" "+s.Letter(c.Field), c.Span)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// maxListed bounds the list of fields.
const maxListed = 200

// fields lists what the letters stand for.
func (t *textWriter) fields(r *Result) {
	if r.Agrees && samePicture(&r.Go, &r.C) && len(r.Go.Fields) > 0 && r.Go.Kind == Struct {
		t.table(&r.Go, t.nameAndType("Go", &r.Go), t.nameAndType("C", &r.C))
		return
	}
	t.table(&r.Go, t.nameAndType("Go", &r.Go))
	t.table(&r.C, t.nameAndType("C", &r.C))
}

func (s *Side) listed() []FieldReport { return s.Fields[:min(maxListed, len(s.Fields))] }

// nameAndType are the columns of a language. Those of both have room beside each other.
func (t *textWriter) nameAndType(language string, s *Side) []*text.Column {
	least := max(8, t.Width/8)
	list := []*text.Column{{Head: language, Left: true, Least: least, Rank: 1}, {Left: true, Least: least, End: true}}
	for _, f := range s.listed() {
		text.Add(list, clean(f.Name), clean(f.Type))
	}
	return list
}

// table writes fields, with the letters and places of one side.
func (t *textWriter) table(s *Side, names ...[]*text.Column) {
	letters := &text.Column{Left: true, Rank: 1}
	place := []*text.Column{{Head: "at", Rank: 1}, {Head: "size", Rank: 1}}
	for i, f := range s.listed() {
		letters.Cells = append(letters.Cells, s.Letter(i))
		text.Add(place, fmt.Sprint(f.Offset), fmt.Sprint(f.Size))
	}
	if len(letters.Cells) == 0 {
		return
	}
	t.WriteString("\n")
	t.Table(text.Table{Indent: 2, Columns: slices.Concat([]*text.Column{letters}, slices.Concat(names...), place)})
}

func (t *textWriter) suggestion(s *Suggestion) {
	t.WriteString("\n")
	t.Paragraph(text.Plain, "  ", s.Words())
	t.WriteString("\n")
	for i, decl := range []string{s.Go, s.C} {
		if i > 0 {
			t.WriteString("\n")
		}
		for line := range strings.Lines(decl) {
			t.WriteString("    " + strings.ReplaceAll(line, "\t", "    "))
		}
	}
}

// Words say what the order is worth.
func (s *Suggestion) Words() string {
	how := "Of all orders of the fields, this is the best"
	if !s.Exhaustive {
		how = "This is the best order found (by sorting the fields by alignment, then moving one at a time)"
	}
	var what []string
	if s.After.Size != s.Before.Size {
		what = append(what, fmt.Sprintf("%s instead of %d", bytesOf(s.After.Size), s.Before.Size))
	}
	if s.After.Padding != s.Before.Padding {
		what = append(what, fmt.Sprintf("%d of padding instead of %d", s.After.Padding, s.Before.Padding))
	}
	if s.After.Straddling != s.Before.Straddling {
		verb := "straddle"
		if s.After.Straddling == 1 {
			verb = "straddles"
		}
		what = append(what, fmt.Sprintf("%d instead of %d fields %s cache lines if the struct starts on one", s.After.Straddling, s.Before.Straddling, verb))
	}
	return how + ": " + strings.Join(what, ", ") + ". Keep the order where others rely on it (a library's ABI, a file, the network)."
}
