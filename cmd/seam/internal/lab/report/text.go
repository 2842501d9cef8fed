package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// TextOptions say what WriteText writes for.
type TextOptions struct {
	Width   int  // columns; 0 means 80
	Colour  bool // colours and typographic characters; without it the text is ASCII, as far as the run's own words are
	Verbose bool // say also what each experiment does and where the articles' figures are from
}

// minWidth is the narrowest that a table is squeezed into.
const minWidth = 60

// manyRows is how long a table may be where a grid shows the same figures.
const manyRows = 40

// WriteText writes a run for people at a terminal.
func WriteText(w io.Writer, run *result.Run, o TextOptions) error {
	if o.Width <= 0 {
		o.Width = 80
	}
	t := &text{w: bufio.NewWriter(w), TextOptions: o, width: max(o.Width, minWidth)}
	t.machine(run)
	for _, s := range warnings(run) {
		t.warn(s)
	}
	for i := range run.Experiments {
		t.experiment(run, &run.Experiments[i])
	}
	return t.w.Flush()
}

// A text is a terminal report being written. Errors stay in the writer until
// it is flushed.
type text struct {
	TextOptions
	w     *bufio.Writer
	width int
}

var (
	bold    = lipgloss.NewStyle().Bold(true)
	faint   = lipgloss.NewStyle().Faint(true)
	caution = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	good    = lipgloss.NewStyle().Foreground(lipgloss.Green)
)

// style is s where colours are wanted, else nothing.
func (t *text) style(s lipgloss.Style) lipgloss.Style {
	if t.Colour {
		return s
	}
	return lipgloss.NewStyle()
}

// say is s as this report may show it.
func (t *text) say(s string) string {
	s = clean(s)
	if !t.Colour {
		s = quantity.ASCII(s)
	}
	return s
}

// paragraph writes s in lines of the report's width, the first after lead, the
// others as far in as lead is wide.
func (t *text) paragraph(style lipgloss.Style, lead, s string) {
	indent := strings.Repeat(" ", lipgloss.Width(lead))
	for i, l := range breakLines(glued(t.say(s)), min(t.width, 100)-len(indent)) {
		if i > 0 {
			lead = indent
		}
		fmt.Fprintf(t.w, "%s%s\n", lead, t.style(style).Render(strings.ReplaceAll(l, noBreak, " ")))
	}
}

// breakLines breaks s at its spaces. (lipgloss.Wrap would break at hyphens too,
// inside versions and dates.)
func breakLines(s string, width int) []string {
	var lines []string
	line, used := "", 0
	for _, word := range strings.Split(s, " ") {
		w := lipgloss.Width(word)
		if used > 0 && used+1+w > width {
			lines = append(lines, line)
			line, used = "", 0
		}
		if used > 0 {
			line, used = line+" ", used+1
		}
		line, used = line+word, used+w
	}
	return append(lines, line)
}

func (t *text) warn(s string) { t.paragraph(caution, "! ", s) }

// machine writes what was measured on, and by what.
func (t *text) machine(run *result.Run) {
	for _, facts := range [][]fact{machineFacts(run.Machine), runFacts(run)} {
		var words []string
		for _, f := range facts {
			words = append(words, f.words())
		}
		for i, w := range words {
			if lipgloss.Width(w) < 30 {
				words[i] = strings.ReplaceAll(w, " ", noBreak)
			}
		}
		t.paragraph(faint, "", strings.Join(words, ", "))
	}
}

func (t *text) experiment(run *result.Run, e *result.Experiment) {
	title := clean(e.Title)
	if title == "" {
		title = clean(e.Name)
	} else if n := clean(e.Name); n != "" {
		title = n + ": " + title
	}
	fmt.Fprintln(t.w)
	t.paragraph(bold, "", title)
	if t.Verbose && clean(e.About) != "" {
		t.paragraph(faint, "", e.About)
	}
	if s := unfinished(run, e); s != "" {
		t.warn(s)
	}
	fmt.Fprintln(t.w)

	t.rows(e)
	if line, warning := controls(e); line != "" {
		t.paragraph(faint, "", line)
		if warning != "" {
			t.warn(warning)
		}
	}
	for i := range e.Charts {
		switch c := &e.Charts[i]; c.Kind {
		case result.Grid:
			t.grid(c)
		case result.Flame:
			t.flame(c)
		}
	}
	if f := cleanAll(e.Findings); len(f) > 0 {
		fmt.Fprintln(t.w)
		t.paragraph(bold, "", "What this means for you")
		for _, s := range f {
			t.paragraph(lipgloss.NewStyle(), "  ", s)
		}
	}
	if n := cleanAll(e.Notes); len(n) > 0 {
		fmt.Fprintln(t.w)
		for _, s := range n {
			t.paragraph(faint, "note: ", s)
		}
	}
	if t.Verbose {
		t.references(e)
	}
}

// references says where the articles' figures are from, once each.
func (t *text) references(e *result.Experiment) {
	seen := map[string]bool{}
	for _, r := range rows(e) {
		if r.RefNote == "" {
			continue
		}
		s := fmt.Sprintf("article %d: %s", r.Article, r.RefNote)
		if !seen[s] {
			seen[s] = true
			t.paragraph(faint, "", s)
		}
	}
}
