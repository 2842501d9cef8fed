package vet

import (
	"fmt"
	"io"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// WriteText writes the findings of a severity or above for people: each with its line of the
// source, and a mark below what is meant.
func (r *Report) WriteText(out io.Writer, least rule.Severity, o text.Options) error {
	w := text.New(out, o)
	hidden := 0
	for i := range r.Findings {
		f := &r.Findings[i]
		if !AtLeast(f.Severity, least) {
			hidden++
			continue
		}
		f.write(w)
	}
	for _, p := range r.Problems {
		w.Paragraph(text.Caution, "", w.Say("not known: "+p))
	}
	w.Line(text.Plain, r.summary(hidden))
	return w.Flush()
}

func (f *Finding) write(w *text.Writer) {
	style := text.Bad
	switch f.Severity {
	case rule.Warning:
		style = text.Caution
	case rule.Note:
		style = text.Mark
	}
	fmt.Fprintf(w, "%s: %s %s\n", w.Paint(text.Bold, fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)),
		w.Paint(style, string(f.Severity)+":"), w.Say(fmt.Sprintf("%s [%s]", f.Message, f.Rule)))
	if line := strings.TrimLeft(f.Source, " \t"); line != "" {
		indent := len(f.Source) - len(line)
		fmt.Fprintf(w, "\t%s\n", text.Printable(line))
		if at := f.Column - 1 - indent; at >= 0 && at <= len(line) {
			length := 1
			if f.EndLine == f.Line {
				length = max(1, f.EndColumn-f.Column)
			}
			length = min(length, max(1, len(line)-at))
			mark := strings.Repeat(" ", len([]rune(text.Printable(line[:at])))) + "^" + strings.Repeat("~", length-1)
			fmt.Fprintf(w, "\t%s\n", w.Paint(text.Good, mark))
		}
	}
	for _, a := range f.Also {
		fmt.Fprintf(w, "\t%s:%d: %s\n", a.File, a.Line, w.Say(a.Message))
	}
	if s := f.Confirmed; s != nil {
		style := text.Plain
		if s.Seen {
			style = text.Bad
		}
		fmt.Fprintf(w, "\t%s\n", w.Paint(style, w.Say(s.words())))
	}
}

func (r *Report) summary(hidden int) string {
	var parts []string
	for _, s := range []rule.Severity{rule.Error, rule.Warning, rule.Note} {
		if n := r.Count(s); n > 0 {
			parts = append(parts, quantity.Plural(n, string(s)))
		}
	}
	text := "nothing found"
	if len(parts) > 0 {
		text = strings.Join(parts, ", ")
	}
	text += " in " + quantity.Plural(r.Packages, "package")
	if hidden > 0 {
		text += fmt.Sprintf(" (%s not shown: --show note)", quantity.Plural(hidden, "finding"))
	}
	if r.Ignored > 0 {
		text += fmt.Sprintf("; %d ignored by comments", r.Ignored)
	}
	if r.Baseline > 0 {
		text += fmt.Sprintf("; %d known to the baseline", r.Baseline)
	}
	return text
}
