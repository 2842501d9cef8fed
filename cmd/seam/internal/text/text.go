// Package text writes what verbs show people on a terminal or in a log: paragraphs
// and tables that keep within a width, in colours and typographic characters or as
// plain ASCII.
package text

import (
	"bufio"
	"io"
	"regexp"
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// Options describe what is written to.
type Options struct {
	Width  int  // columns; 0 means 80
	Colour bool // colours and typographic characters; without it the text is ASCII
}

const (
	usualWidth = 80
	leastWidth = 40  // the narrowest that text is squeezed into
	proseWidth = 100 // longer lines of words are hard to read
)

// The styles that all verbs have in common.
var (
	Plain   = lipgloss.NewStyle()
	Bold    = lipgloss.NewStyle().Bold(true)
	Faint   = lipgloss.NewStyle().Faint(true)
	Good    = lipgloss.NewStyle().Foreground(lipgloss.Green)
	Caution = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	Bad     = lipgloss.NewStyle().Foreground(lipgloss.Red)
	Mark    = lipgloss.NewStyle().Foreground(lipgloss.Cyan)
)

// A Writer writes text. It keeps the first error until it is flushed.
type Writer struct {
	*bufio.Writer
	Width  int
	Colour bool
	Hard   bool // paragraphs keep to the width even where a single word is wider
}

// New returns a writer. Flush it at the end.
func New(w io.Writer, o Options) *Writer {
	if o.Width <= 0 {
		o.Width = usualWidth
	}
	return &Writer{Writer: bufio.NewWriter(w), Width: max(o.Width, leastWidth), Colour: o.Colour}
}

// Say is s as this writer may show it: on one line, without what would upset a
// terminal, and in ASCII where there are no colours.
func (w *Writer) Say(s string) string {
	s = Printable(s)
	if !w.Colour {
		s = quantity.ASCII(s)
	}
	return s
}

// Printable is s on one line, without what would upset a terminal.
func Printable(s string) string {
	return quantity.Printable(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, s))
}

// Paint is words in a style, where there are colours.
func (w *Writer) Paint(style lipgloss.Style, words string) string {
	if !w.Colour || words == "" {
		return words
	}
	return style.Render(words)
}

// Line writes s on as many lines as it needs.
func (w *Writer) Line(style lipgloss.Style, s string) { w.Paragraph(style, "", s) }

// Paragraph writes s after lead, and indents its further lines as far.
func (w *Writer) Paragraph(style lipgloss.Style, lead, s string) {
	indent := strings.Repeat(" ", lipgloss.Width(lead))
	for _, l := range breakLines(w.Say(s), max(20, min(w.Width, proseWidth)-len(indent)), w.Hard) {
		w.WriteString(strings.TrimRight(lead+w.Paint(style, l), " ") + "\n")
		lead = indent
	}
}

var numberUnit = regexp.MustCompile(`(\d) ((?:ns|µs|us|ms|s|B|KB|MB|GB|TB|KiB|MiB|GiB|TiB|times)\b|%)`)

// noBreak is a space at which no line is broken.
const noBreak = "\u00a0"

// Glue keeps numbers and their units on one line.
func Glue(s string) string { return numberUnit.ReplaceAllString(s, "${1}"+noBreak+"${2}") }

// Break breaks s at its spaces into lines of at most width columns, if its words are
// short enough; a number and its unit stay together. (lipgloss.Wrap would break at hyphens
// too, inside versions and dates.)
func Break(s string, width int) []string { return breakLines(s, width, false) }

// breakLines, if hard, also breaks words that are wider than a line.
func breakLines(s string, width int, hard bool) []string {
	var lines []string
	line, used := "", 0
	for i, word := range strings.Split(Glue(s), " ") {
		n := lipgloss.Width(word)
		switch {
		case i == 0:
			line, used = word, n
		case used > 0 && used+1+n > width:
			lines = append(lines, line)
			line, used = word, n
		default:
			line, used = line+" "+word, used+1+n
		}
		for hard && used > width {
			r := []rune(line)
			n := max(1, len(first(r, width)))
			lines = append(lines, string(r[:n]))
			line = string(r[n:])
			used = lipgloss.Width(line)
		}
	}
	lines = append(lines, line)
	for i := range lines {
		lines[i] = strings.ReplaceAll(strings.TrimRight(lines[i], " "), noBreak, " ")
	}
	return lines
}

// Cut shortens s to a width by cutting its end.
func (w *Writer) Cut(s string, width int) string { return w.shorten(s, width, 3) }

// Shorten shortens s to a width by cutting its middle: the end of a name says most, then
// its beginning.
func (w *Writer) Shorten(s string, width int) string { return w.shorten(s, width, 1) }

// KeepEnd shortens s to a width by cutting its beginning, which says least in a path.
func (w *Writer) KeepEnd(s string, width int) string { return w.shorten(s, width, 0) }

// shorten gives the beginning that many thirds of the room, and the end the rest.
func (w *Writer) shorten(s string, width, thirds int) string {
	if lipgloss.Width(s) <= width {
		return s
	}
	dots := w.Say("…")
	room := width - lipgloss.Width(dots)
	if room <= 0 {
		return strings.Repeat(".", max(0, width))
	}
	r := []rune(s)
	head := first(r, room*thirds/3)
	if thirds == 3 {
		return string(head) + dots
	}
	room -= lipgloss.Width(string(head))
	tail := r[max(0, len(r)-room):]
	for lipgloss.Width(string(tail)) > room {
		tail = tail[1:]
	}
	return string(head) + dots + string(tail)
}

// first is as much of the beginning of r as fits a width.
func first(r []rune, width int) []rune {
	// No character is wider than two columns or, but for marks, narrower than one: what
	// is cut below letter by letter is short.
	r = r[:min(len(r), width)]
	for lipgloss.Width(string(r)) > width {
		r = r[:len(r)-1]
	}
	return r
}
