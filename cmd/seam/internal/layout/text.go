package layout

import (
	"bufio"
	"fmt"
	"io"
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
	red, green, faint, bold = "31", "32", "2", "1"
)

type textWriter struct {
	*bufio.Writer
	TextOptions
	line int64
}

func (t *textWriter) paint(colour, s string) string {
	if !t.Colour || s == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer, o TextOptions) error {
	t := &textWriter{bufio.NewWriter(w), o, r.Line}
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
	verdict := t.paint(green, "agree")
	if !r.Agrees {
		verdict = t.paint(red, "differ in "+places(len(r.Mismatches)+r.More))
	}
	where := r.Package
	if r.Where != "" {
		where += ", " + r.Where
	}
	name := clean(r.GoName)
	if r.Go.Type != r.GoName {
		name += " (" + clean(r.Go.Type) + ")"
	}
	fmt.Fprintf(t, "%s and %s %s  %s\n", t.paint(bold, name), t.paint(bold, clean(r.C.Type)), verdict, t.paint(faint, "("+where+")"))
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
		t.item(t.paint(red, "*"), what)
		t.wrapped("    ", m.Mend)
	}
	if r.More > 0 {
		fmt.Fprintf(t, "  and %d more\n", r.More)
	}
	for _, n := range r.Notes {
		t.item(t.paint(faint, "-"), n)
	}
	if r.Suggestion != nil {
		t.suggestion(r.Suggestion)
	}
}

func places(n int) string {
	if n == 1 {
		return "1 place"
	}
	return fmt.Sprintf("%d places", n)
}

func (t *textWriter) figures(name string, s *Side) {
	text := fmt.Sprintf("%s, aligned to %d", bytesOf(s.Size), s.Align)
	if s.Packed {
		text += ", packed"
	}
	if s.Kind == Struct {
		text += fmt.Sprintf(", %d of padding, %s", s.Padding, t.lines(s))
	}
	t.wrapped(fmt.Sprintf("  %-2s  ", name), text)
}

func (t *textWriter) lines(s *Side) string {
	text := fmt.Sprintf("%d cache line", s.Lines)
	if s.Lines != 1 {
		text += "s"
	}
	if n := len(s.Straddling); n > 0 {
		shown := s.Straddling
		if n > 5 {
			shown = append(shown[:5:5], fmt.Sprintf("%d more", n-5))
		}
		text += " (straddled by " + clean(strings.Join(shown, ", ")) + ")"
	}
	return text
}

// item writes a text with a mark in front.
func (t *textWriter) item(mark, text string) {
	lines := wrap(text, max(20, t.Width-4))
	for i, line := range lines {
		if i == 0 {
			fmt.Fprintf(t, "  %s %s\n", mark, line)
			continue
		}
		fmt.Fprintf(t, "    %s\n", line)
	}
}

// wrapped writes a text with as much space in front of its other lines.
func (t *textWriter) wrapped(first, text string) {
	for i, line := range wrap(text, max(20, t.Width-len(first))) {
		if i > 0 {
			first = strings.Repeat(" ", len(first))
		}
		t.WriteString(first + line + "\n")
	}
}

func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// pictureWidth is that of one picture.
const pictureWidth = 8 + 2*rowBytes

// pictures draws both sides, beside each other where there is room, or one
// where they are the same.
func (t *textWriter) pictures(r *Result) {
	g, c := t.picture(&r.Go, "Go"), t.picture(&r.C, "C")
	if r.Agrees && samePicture(&r.Go, &r.C) {
		t.WriteString("\n")
		for _, line := range t.picture(&r.Go, "Go and C") {
			t.WriteString("  " + strings.TrimRight(line.text, " ") + "\n")
		}
		return
	}
	if t.Width < 2*pictureWidth+6 {
		for _, p := range [][]pictureLine{g, c} {
			t.WriteString("\n")
			for _, line := range p {
				t.WriteString("  " + strings.TrimRight(line.text, " ") + "\n")
			}
		}
		return
	}
	t.WriteString("\n")
	for i := range max(len(g), len(c)) {
		var a, b pictureLine
		if i < len(g) {
			a = g[i]
		}
		if i < len(c) {
			b = c[i]
		}
		space := strings.Repeat(" ", max(0, pictureWidth+2-a.width))
		t.WriteString(strings.TrimRight("  "+a.text+space+b.text, " ") + "\n")
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

// A pictureLine is a line of a picture, and its width without colours.
type pictureLine struct {
	text  string
	width int
}

// picture draws the bytes: a letter for each byte of a field, a dot for padding.
func (t *textWriter) picture(s *Side, title string) []pictureLine {
	var list []pictureLine
	add := func(text, plain string) {
		list = append(list, pictureLine{text, utf8.RuneCountInString(plain)})
	}
	head := fmt.Sprintf("%-6s 0 1 2 3 4 5 6 7", title)
	if len(title) > 6 {
		add(t.paint(bold, title), title)
		head = "       0 1 2 3 4 5 6 7"
	}
	add(t.paint(bold, head), head)
	for _, r := range s.rows(t.line) {
		switch {
		case r.Gap > 0:
			text := fmt.Sprintf("       … %d more", r.Gap)
			add(t.paint(faint, text), text)
			continue
		case r.Line > 0:
			text := fmt.Sprintf("------ line %d ---", r.Line)
			add(t.paint(faint, text), text)
		}
		plain := fmt.Sprintf("%6d", r.Offset)
		text := t.paint(faint, plain)
		for _, c := range r.Cells {
			part := ""
			for range c.Span {
				if c.Field < 0 {
					part += " ."
				} else {
					part += " " + s.letter(c.Field)
				}
			}
			plain += part
			if c.Field < 0 {
				part = t.paint(faint, part)
			}
			text += part
		}
		add(text, plain)
	}
	return list
}

// maxListed bounds the list of fields.
const maxListed = 200

// fields lists what the letters stand for.
func (t *textWriter) fields(r *Result) {
	if r.Agrees && samePicture(&r.Go, &r.C) && len(r.Go.Fields) > 0 && r.Go.Kind == Struct {
		rows := [][]string{{"", "Go", "", "C", "", "at", "size"}}
		for i := range r.Go.Fields[:min(maxListed, len(r.Go.Fields))] {
			g, c := &r.Go.Fields[i], &r.C.Fields[i]
			rows = append(rows, []string{r.Go.letter(i), clean(g.Name), clean(g.Type), clean(c.Name), clean(c.Type), fmt.Sprint(g.Offset), fmt.Sprint(g.Size)})
		}
		t.table(rows)
		return
	}
	for _, side := range []struct {
		name string
		*Side
	}{{"Go", &r.Go}, {"C", &r.C}} {
		if len(side.Fields) == 0 {
			continue
		}
		rows := [][]string{{"", side.name, "", "at", "size"}}
		for i := range side.Fields[:min(maxListed, len(side.Fields))] {
			f := &side.Fields[i]
			rows = append(rows, []string{side.letter(i), clean(f.Name), clean(f.Type), fmt.Sprint(f.Offset), fmt.Sprint(f.Size)})
		}
		t.table(rows)
	}
}

// table writes rows in columns; the last two are numbers.
func (t *textWriter) table(rows [][]string) {
	t.WriteString("\n")
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, s := range row {
			width[i] = max(width[i], utf8.RuneCountInString(s))
		}
	}
	// A narrow screen cuts types, which are the longest.
	total := 2
	for _, w := range width {
		total += w + 2
	}
	for i := 2; i < len(width)-2 && total > t.Width; i += 2 {
		cut := min(width[i]-8, total-t.Width)
		if cut > 0 {
			width[i] -= cut
			total -= cut
		}
	}
	for n, row := range rows {
		line := "  "
		for i, s := range row {
			if r := []rune(s); len(r) > width[i] {
				s = string(r[:width[i]-1]) + "…"
			}
			space := strings.Repeat(" ", width[i]-utf8.RuneCountInString(s))
			if i >= len(row)-2 {
				line += space + s + "  "
			} else {
				line += s + space + "  "
			}
		}
		line = strings.TrimRight(line, " ")
		if n == 0 {
			line = t.paint(faint, line)
		}
		t.WriteString(line + "\n")
	}
}

func (t *textWriter) suggestion(s *Suggestion) {
	t.WriteString("\n")
	for _, line := range wrap(s.Words(), max(20, t.Width-2)) {
		t.WriteString("  " + line + "\n")
	}
	t.WriteString("\n")
	for i, text := range []string{s.Go, s.C} {
		if i > 0 {
			t.WriteString("\n")
		}
		for line := range strings.Lines(text) {
			t.WriteString("    " + strings.ReplaceAll(line, "\t", "    "))
		}
	}
}

// Words say what the order is worth.
func (s *Suggestion) Words() string {
	how := "Of all orders of the fields this is the best"
	if !s.Exhaustive {
		how = "This is the best order of the fields that was found (by alignment, then by moving one at a time)"
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
		what = append(what, fmt.Sprintf("%d instead of %d fields %s cache lines where the struct begins with one", s.After.Straddling, s.Before.Straddling, verb))
	}
	return how + ": " + strings.Join(what, ", ") + ". Where others rely on the order (a library's ABI, a file, the network), it must stay."
}
