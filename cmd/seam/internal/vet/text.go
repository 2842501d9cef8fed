package vet

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// TextOptions say what is shown, and how.
type TextOptions struct {
	text.Options
	Least rule.Severity // and above
	All   bool          // each finding, however many there are of a kind
}

// WriteText writes the findings for people: each with its line of the source, and a mark below
// what is meant; of many that differ in names alone only the first.
func (r *Report) WriteText(out io.Writer, o TextOptions) error {
	w := text.New(out, o.Options)
	hidden := 0
	var kinds map[string][]*Finding
	if !o.All {
		kinds = r.kinds(o.Least)
	}
	apart := true
	for _, f := range r.othersLast() {
		if !AtLeast(f.Severity, o.Least) {
			hidden++
			continue
		}
		if f.Other && apart {
			w.Line(text.Plain, "In other modules, which --fix doesn't change:")
			apart = false
		}
		same := kinds[f.kind()]
		if f.Confirmed != nil && f.Confirmed.Seen || len(same) == 0 {
			f.write(w)
		} else if same[0] == f {
			f.write(w)
			fmt.Fprintf(w, "\t%s\n", w.Say(rest(same[1:])))
		}
	}
	for _, p := range r.Problems {
		w.Paragraph(text.Caution, "", w.Say("not known: "+p))
	}
	w.Line(text.Plain, r.summary(hidden))
	if where := r.whereC(); where != "" {
		w.Paragraph(text.Caution, "", w.Say(where))
	}
	return w.Flush()
}

// othersLast are the findings, those in other modules last.
func (r *Report) othersLast() (list []*Finding) {
	var others []*Finding
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Other {
			others = append(others, f)
		} else {
			list = append(list, f)
		}
	}
	return append(list, others...)
}

// whereC says that nothing of C was searched, and where the program's C is.
func (r *Report) whereC() string {
	if !r.NoC || r.Packages == 0 {
		return ""
	}
	what := "none of these packages has"
	if r.Packages == 1 {
		what = "this package doesn't have"
	}
	what += " C (import \"C\") in files that are built here"
	if len(r.Elsewhere) == 0 {
		return what + ", and nothing that is imported does, the standard library left aside"
	}
	shown := r.Elsewhere[:min(len(r.Elsewhere), places)]
	where := strings.Join(shown, ", ")
	if n := len(r.Elsewhere) - len(shown); n > 0 {
		where += fmt.Sprintf(" and %d more", n)
	}
	return what + "; the C is in what is imported, which was not searched: " + where + ". seam vet --deps searches that too"
}

func (f *Finding) write(w *text.Writer) {
	style := text.Bad
	switch f.Severity {
	case rule.Warning:
		style = text.Caution
	case rule.Note:
		style = text.Mark
	}
	fmt.Fprintf(w, "%s: %s %s\n", w.Paint(text.Bold, f.place()),
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

// place is where a finding is. Files made from others may name no column.
func (f *Finding) place() string {
	if f.Column == 0 {
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
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

// many is how many findings of one kind are shown one by one; of more only the first.
const many = 10

// places is how many of the others are named.
const places = 5

// kind is what findings have in common that differ in names and lines alone.
func (f *Finding) kind() string {
	words := strings.Fields(f.Message)
	names := map[string]bool{}
	plain := func(w string) bool {
		return strings.IndexFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) < 0
	}
	for i, w := range words {
		words[i] = strings.Trim(w, ",;:.")
		if plain(words[i]) {
			continue
		}
		for _, name := range strings.FieldsFunc(w, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			names[name] = true
		}
	}
	words = slices.DeleteFunc(words, func(w string) bool { return names[w] || !plain(w) })
	return strings.Join(append([]string{f.Rule, string(f.Severity)}, words...), " ")
}

// kinds are the findings that are shown, by kind, where there are many of it. What a run has shown
// stands for itself.
func (r *Report) kinds(least rule.Severity) map[string][]*Finding {
	all := map[string][]*Finding{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if AtLeast(f.Severity, least) && (f.Confirmed == nil || !f.Confirmed.Seen) {
			all[f.kind()] = append(all[f.kind()], f)
		}
	}
	maps.DeleteFunc(all, func(_ string, list []*Finding) bool { return len(list) <= many })
	return all
}

// rest is the line that stands for the rest of a kind.
func rest(list []*Finding) string {
	var at []string
	file := ""
	for _, f := range list[:places] {
		if f.File == file {
			at = append(at, fmt.Sprint(f.Line))
		} else {
			at = append(at, fmt.Sprintf("%s:%d", f.File, f.Line))
		}
		file = f.File
	}
	return fmt.Sprintf("and %d more of this kind: %s, … (--all shows each)", len(list), strings.Join(at, ", "))
}
