package explain

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// WriteText writes what is explained for a terminal or a log, in 80 to 120 columns.
func (d *Doc) WriteText(w io.Writer, o text.Options) error {
	o.Width = min(max(o.Width, 80), 120)
	t := writer{text.New(w, o)}
	t.Paragraph(text.Bold, "", d.Title)
	t.Paragraph(text.Faint, "", d.Kicker)
	if d.Lead != "" {
		t.Paragraph(text.Plain, "", d.Lead)
	}
	if len(d.Facts) > 0 {
		fmt.Fprintln(t)
	}
	names := 0
	for _, f := range d.Facts {
		names = max(names, lipgloss.Width(f.Name))
	}
	for _, f := range d.Facts {
		t.Paragraph(text.Plain, f.Name+strings.Repeat(" ", names-lipgloss.Width(f.Name)+2), f.Value)
	}
	for _, s := range d.Warnings {
		t.Paragraph(text.Caution, "! ", s)
	}
	for i, s := range d.Sections {
		fmt.Fprintln(t)
		t.Paragraph(text.Bold, fmt.Sprintf("%d  ", i+1), s.Title)
		for _, b := range s.Blocks {
			fmt.Fprintln(t)
			t.block(b)
		}
	}
	return t.Flush()
}

// A writer writes the parts of a Doc.
type writer struct{ *text.Writer }

func (t writer) block(b Block) {
	switch {
	case b.Text != "":
		t.Paragraph(text.Plain, "", b.Text)
	case b.Note != "":
		t.Paragraph(text.Faint, "", b.Note)
	case b.Code != nil:
		t.code(b.Code)
	case b.Table != nil:
		t.table(b.Table)
	case b.Bytes != nil:
		t.bytes(b.Bytes)
	}
}

// code writes lines of a program, with the numbers of their notes before them.
func (t writer) code(c *Code) {
	if c.Caption != "" {
		t.Paragraph(text.Faint, "    ", c.Caption)
	}
	for _, l := range c.Lines {
		gutter := "    "
		if l.Mark > 0 {
			gutter = fmt.Sprintf("%-4s", fmt.Sprintf("(%d)", l.Mark))
		}
		code := text.Printable(l.Text)
		inner := strings.TrimLeft(code, " ")
		indent := strings.Repeat(" ", len(code)-len(inner))
		for i, part := range text.Break(inner, t.Width-4-len(indent)-4) {
			if i > 0 {
				gutter, part = "    ", "    "+part
			}
			fmt.Fprintln(t, strings.TrimRight(t.Paint(text.Mark, gutter)+indent+part, " "))
		}
	}
	if len(c.Notes) > 0 {
		fmt.Fprintln(t)
	}
	for i, n := range c.Notes {
		t.Paragraph(text.Plain, fmt.Sprintf("%-4s", fmt.Sprintf("(%d)", i+1)), n)
	}
}

// leastWide is the least width of a wide column.
const leastWide = 20

// table writes columns side by side. The wide one takes the room that the
// others leave; code in it stays on one line.
func (t writer) table(x *Table) {
	columns := make([]*text.Column, len(x.Head))
	for c, head := range x.Head {
		columns[c] = &text.Column{Head: head, Left: !x.Right[c], StyleOf: func(row int) lipgloss.Style {
			if x.Last && row == len(x.Rows)-1 {
				return text.Bold
			}
			return text.Plain
		}}
	}
	wide := columns[x.Wide]
	wide.Least, wide.End, wide.Wrap = leastWide, true, !x.Code[x.Wide]
	for _, row := range x.Rows {
		text.Add(columns, row...)
	}
	t.Table(text.Table{Columns: columns, Rule: true})
}

// byteWidth is how many columns a byte takes in a picture, with its border.
const byteWidth = 4

func (t writer) bytes(b *chart.Bytes) {
	border := "       +" + strings.Repeat("-", 8*byteWidth-1) + "+"
	fmt.Fprintln(t, border)
	for _, row := range b.Rows {
		if row.Gap > 0 {
			fmt.Fprintf(t, "       :%s:\n", centre(t.Say(fmt.Sprintf("… %d more bytes …", row.Gap)), 8*byteWidth-1))
			continue
		}
		line := fmt.Sprintf("%6d |", row.Offset)
		used := 0
		for _, c := range row.Cells {
			w := c.Span*byteWidth - 1
			label := " " + t.Say(c.Label)
			if c.Class == string(Padding) {
				label = strings.Repeat(" .  ", c.Span)
			}
			line += fmt.Sprintf("%-*s", w, label)[:w] + "|"
			used += c.Span
		}
		fmt.Fprintln(t, line)
		end := min(8, used)
		fmt.Fprintln(t, "       +"+strings.Repeat("-", end*byteWidth-1)+"+")
	}
}

func centre(s string, width int) string {
	left := max(0, (width-len(s))/2)
	return fmt.Sprintf("%-*s", width, strings.Repeat(" ", left)+s)
}
