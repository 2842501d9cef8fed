package report

import (
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// TextOptions are options of WriteText.
type TextOptions struct {
	text.Options
	Verbose bool // say also what each experiment does and how the published figures were measured
}

// manyRows is how long a table may be if a grid shows the same figures.
const manyRows = 40

// WriteText writes a run for people at a terminal.
func WriteText(w io.Writer, run *result.Run, o TextOptions) error {
	t := &report{text.New(w, text.Options{Width: o.Width, Colour: o.Colour}), o.Verbose}
	t.machine(run)
	for _, s := range warnings(run) {
		t.warn(s)
	}
	for i := range run.Experiments {
		if e := &run.Experiments[i]; !run.Interrupted || begun(e) {
			t.experiment(run, e)
		}
	}
	return t.Flush()
}

// A report is a terminal report being written.
type report struct {
	*text.Writer
	verbose bool
}

func (t *report) warn(s string) { t.Paragraph(text.Caution, "! ", s) }

// machine writes what machine and what version of the tool measured.
func (t *report) machine(run *result.Run) {
	for _, facts := range [][]fact{machineFacts(run.Machine), runFacts(run)} {
		var words []string
		for _, f := range facts {
			said := t.Say(f.words())
			if lipgloss.Width(said) < 30 { // short ones stay on one line
				said = strings.ReplaceAll(said, " ", "\u00a0")
			}
			words = append(words, said)
		}
		for _, l := range text.Break(strings.Join(words, ", "), min(t.Width, 100)) {
			t.WriteString(t.Paint(text.Faint, l) + "\n")
		}
	}
}

func (t *report) experiment(run *result.Run, e *result.Experiment) {
	title := clean(e.Title)
	if title == "" {
		title = clean(e.Name)
	} else if n := clean(e.Name); n != "" {
		title = n + ": " + title
	}
	t.WriteString("\n")
	t.Line(text.Bold, title)
	if t.verbose && clean(e.About) != "" {
		t.Line(text.Faint, e.About)
	}
	if s := unfinished(run, e); s != "" {
		t.warn(s)
	}
	t.WriteString("\n")

	if s := clean(e.Advice); s != "" {
		t.Paragraph(text.Bold, "", s)
		t.WriteString("\n")
	}
	t.rows(e)
	t.further(e)
	if line, warning := controls(e); line != "" {
		t.Line(text.Faint, line)
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
		t.WriteString("\n")
		t.Line(text.Bold, "What this means for you")
		for _, s := range f {
			t.Paragraph(text.Plain, "  ", s)
		}
	}
	if n := cleanAll(e.Notes); len(n) > 0 {
		t.WriteString("\n")
		for _, s := range n {
			t.Paragraph(text.Faint, "note: ", s)
		}
	}
	for _, s := range sources(e) {
		t.Paragraph(text.Faint, "published: ", s)
	}
	if t.verbose {
		t.references(e)
	}
}

// references says how the published figures were measured, once each.
func (t *report) references(e *result.Experiment) {
	seen := map[string]bool{}
	for _, r := range rows(e) {
		if r.RefNote == "" {
			continue
		}
		if s := "published " + r.Reference + ": " + r.RefNote; !seen[r.RefNote] {
			seen[r.RefNote] = true
			t.Line(text.Faint, s)
		}
	}
}
