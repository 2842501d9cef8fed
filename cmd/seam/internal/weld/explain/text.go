package explain

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// TextOptions say how text is written.
type TextOptions struct {
	Width  int // columns; below 80 counts as 80, above 120 as 120
	Colour bool
}

var (
	bold  = lipgloss.NewStyle().Bold(true)
	faint = lipgloss.NewStyle().Faint(true)
	mark  = lipgloss.NewStyle().Foreground(lipgloss.Cyan)
	alarm = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	plain = lipgloss.NewStyle()
)

// WriteText writes what is explained for a terminal or a log.
func (d *Doc) WriteText(w io.Writer, o TextOptions) error {
	t := &writer{out: bufio.NewWriter(w), width: min(max(o.Width, 80), 120), colour: o.Colour}
	t.paragraph(bold, "", d.Title)
	t.paragraph(faint, "", d.Kicker)
	if d.Lead != "" {
		t.paragraph(plain, "", d.Lead)
	}
	if len(d.Facts) > 0 {
		fmt.Fprintln(t.out)
	}
	names := 0
	for _, f := range d.Facts {
		names = max(names, lipgloss.Width(f.Name))
	}
	for _, f := range d.Facts {
		t.paragraph(plain, f.Name+strings.Repeat(" ", names-lipgloss.Width(f.Name)+2), f.Value)
	}
	for _, s := range d.Warnings {
		t.paragraph(alarm, "! ", s)
	}
	for i, s := range d.Sections {
		fmt.Fprintln(t.out)
		t.paragraph(bold, fmt.Sprintf("%d  ", i+1), s.Title)
		for _, b := range s.Blocks {
			fmt.Fprintln(t.out)
			t.block(b)
		}
	}
	return t.out.Flush()
}

// writer writes the parts of a Doc.
type writer struct {
	out    *bufio.Writer
	width  int
	colour bool
}

func (t *writer) block(b Block) {
	switch {
	case b.Text != "":
		t.paragraph(plain, "", b.Text)
	case b.Note != "":
		t.paragraph(faint, "", b.Note)
	case b.Code != nil:
		t.code(b.Code)
	case b.Table != nil:
		t.table(b.Table)
	case b.Bytes != nil:
		t.bytes(b.Bytes)
	}
}

func (t *writer) style(s lipgloss.Style, text string) string {
	if !t.colour || text == "" {
		return text
	}
	return s.Render(text)
}

// say is text as it may be shown.
func (t *writer) say(s string) string {
	s = printable(s)
	if !t.colour {
		s = quantity.ASCII(s)
	}
	return s
}

// printable is s without what would upset a terminal; a tab or a new line is a
// space.
func printable(s string) string {
	return quantity.Printable(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, s))
}

// paragraph writes s in lines, the first after lead and the others as far in.
func (t *writer) paragraph(style lipgloss.Style, lead, s string) {
	indent := strings.Repeat(" ", lipgloss.Width(lead))
	for i, l := range breakLines(t.say(s), min(t.width, 100)-len(indent)) {
		if i > 0 {
			lead = indent
		}
		fmt.Fprintf(t.out, "%s%s\n", lead, t.style(style, l))
	}
}

// breakLines breaks s at its spaces.
func breakLines(s string, width int) []string {
	var lines []string
	line, used := "", 0
	for i, word := range strings.Split(s, " ") {
		w := lipgloss.Width(word)
		switch {
		case i == 0:
			line, used = word, w
		case used > 0 && used+1+w > width:
			lines = append(lines, line)
			line, used = word, w
		default:
			line, used = line+" "+word, used+1+w
		}
	}
	return append(lines, line)
}

// code writes lines of a program, with the numbers of their notes before them.
func (t *writer) code(c *Code) {
	if c.Caption != "" {
		t.paragraph(faint, "    ", c.Caption)
	}
	for _, l := range c.Lines {
		gutter := "    "
		if l.Mark > 0 {
			gutter = fmt.Sprintf("%-4s", fmt.Sprintf("(%d)", l.Mark))
		}
		text := printable(l.Text)
		inner := strings.TrimLeft(text, " ")
		indent := strings.Repeat(" ", len(text)-len(inner))
		for i, part := range breakLines(inner, t.width-4-len(indent)-4) {
			if i > 0 {
				gutter, part = "    ", "    "+part
			}
			fmt.Fprintln(t.out, strings.TrimRight(t.style(mark, gutter)+indent+part, " "))
		}
	}
	if len(c.Notes) > 0 {
		fmt.Fprintln(t.out)
	}
	for i, n := range c.Notes {
		t.paragraph(plain, fmt.Sprintf("%-4s", fmt.Sprintf("(%d)", i+1)), n)
	}
}

// gap is the room between columns.
const gap = 2

// table writes columns side by side. The wide one takes what room the others
// leave.
func (t *writer) table(x *Table) {
	widths := make([]int, len(x.Head))
	rows := make([][]string, len(x.Rows))
	heads := make([]string, len(x.Head))
	for c, h := range x.Head {
		heads[c] = t.say(h)
		widths[c] = lipgloss.Width(heads[c])
	}
	for r, row := range x.Rows {
		for c, cell := range row {
			cell = t.say(cell)
			widths[c] = max(widths[c], lipgloss.Width(cell))
			rows[r] = append(rows[r], cell)
		}
	}
	total := gap * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	widths[x.Wide] = max(20, widths[x.Wide]-max(0, total-t.width))
	for _, row := range rows {
		if x.Code[x.Wide] { // code on one line
			row[x.Wide] = cut(row[x.Wide], widths[x.Wide])
		}
	}
	tb := table.New().
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).
		Border(lipgloss.ASCIIBorder()).
		Headers(heads...).
		Rows(rows...).
		StyleFunc(func(r, c int) lipgloss.Style {
			s := plain
			switch {
			case !t.colour:
			case r == table.HeaderRow:
				s = faint
			case x.Last && r == len(rows)-1:
				s = bold
			}
			w := widths[c]
			if c < len(widths)-1 {
				w += gap
				s = s.PaddingRight(gap)
			}
			if x.Right[c] {
				s = s.Align(lipgloss.Right)
			}
			return s.Width(w)
		})
	if t.colour {
		tb = tb.Border(lipgloss.NormalBorder()).BorderStyle(faint)
	}
	for line := range strings.Lines(tb.String() + "\n") {
		fmt.Fprintln(t.out, strings.TrimRight(line, " \n"))
	}
}

// cut shortens s to a width.
func cut(s string, width int) string {
	if lipgloss.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 && lipgloss.Width(string(runes))+3 > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "..."
}

// byteWidth is how many columns a byte takes in a picture, with its border.
const byteWidth = 4

// bytes draws memory.
func (t *writer) bytes(b *Bytes) {
	border := "       +" + strings.Repeat("-", 8*byteWidth-1) + "+"
	fmt.Fprintln(t.out, border)
	for _, row := range b.Rows {
		if row.Gap > 0 {
			fmt.Fprintf(t.out, "       :%s:\n", centre(t.say(fmt.Sprintf("… %d more bytes …", row.GapBytes())), 8*byteWidth-1))
			continue
		}
		line := fmt.Sprintf("%6d |", row.Offset)
		used := 0
		for _, c := range row.Cells {
			w := c.Span*byteWidth - 1
			text := " " + t.say(c.Label)
			if c.Kind == Padding {
				text = strings.Repeat(" .  ", c.Span)
			}
			line += fmt.Sprintf("%-*s", w, text)[:w] + "|"
			used += c.Span
		}
		fmt.Fprintln(t.out, line)
		end := min(8, used)
		fmt.Fprintln(t.out, "       +"+strings.Repeat("-", end*byteWidth-1)+"+")
	}
}

func centre(s string, width int) string {
	left := max(0, (width-len(s))/2)
	return fmt.Sprintf("%-*s", width, strings.Repeat(" ", left)+s)
}
