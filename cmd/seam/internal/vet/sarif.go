package vet

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/sarif"
	"github.com/seamgo/seam/cmd/seam/internal/textdiff"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// WriteSARIF writes the report in the format that code hosts read, SARIF 2.1.0.
func (r *Report) WriteSARIF(w io.Writer) error {
	run := sarif.Run{ColumnKind: sarif.CodePoints, Results: []sarif.Result{}}
	lines := newSources()
	column := func(file string, line, column int) int { return sarif.Column(lines.line(file, line), column) }
	run.Tool.Driver = sarif.Driver{Name: "seam vet", Version: r.Seam, InformationURI: "https://github.com/seamgo/seam"}
	index := map[string]int{}
	for i, x := range Rules {
		index[x.Name] = i
		s := sarif.Rule{ID: x.Name, Short: sarif.Text{Text: x.Title}, Full: sarif.Text{Text: x.Doc}, HelpURI: "https://github.com/seamgo/seam/blob/main/docs/vet.md#" + x.Name}
		if x.Formerly != "" {
			s.Deprecated = []string{x.Formerly}
		}
		s.Defaults.Level = string(x.Severity) // SARIF's levels have the same names
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, s)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		result := sarif.Result{
			RuleID: f.Rule, RuleIndex: index[f.Rule], Level: string(f.Severity), Message: sarif.Text{Text: f.Message},
			Locations:    []sarif.Location{sarif.At(f.File, sarif.Region{StartLine: f.Line, StartColumn: column(f.File, f.Line, f.Column), EndLine: f.EndLine, EndColumn: column(f.File, f.EndLine, f.EndColumn), Snippet: &sarif.Text{Text: f.Source}})},
			Fingerprints: map[string]string{"seamVet/v1": cmp.Or(Rules[index[f.Rule]].Formerly, f.Rule) + "|" + f.known().File + "|" + f.known().Source},
		}
		for k, a := range f.Also {
			l := sarif.At(a.File, sarif.Region{StartLine: a.Line, StartColumn: column(a.File, a.Line, a.Column)})
			l.ID, l.Message = k+1, &sarif.Text{Text: a.Message}
			result.Related = append(result.Related, l)
		}
		if s := f.Confirmed; s != nil {
			result.Message.Text += " (" + s.words() + ")"
			result.Properties = map[string]any{"seen": s.Seen}
		}
		for _, x := range f.Fixes {
			fix, err := x.sarif()
			if err != nil {
				return err
			}
			result.Fixes = append(result.Fixes, fix)
		}
		run.Results = append(run.Results, result)
	}
	invocation := sarif.Invocation{Successful: !r.Broken}
	for _, p := range r.Problems {
		invocation.Notifications = append(invocation.Notifications, sarif.Notification{Level: string(rule.Warning), Message: sarif.Text{Text: p}})
	}
	run.Invocations = []sarif.Invocation{invocation}
	return sarif.Write(w, run)
}

// sarif is a change as --fix would make it alone: whole lines, formatted.
func (x *Fix) sarif() (fix sarif.Fix, err error) {
	fix.Description.Text = x.Message
	files := map[string][]Edit{}
	for _, e := range x.Edits {
		files[e.File] = append(files[e.File], e)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		old, text, err := edited(name, files[name])
		if err != nil {
			return fix, err
		}
		change := sarif.Change{Artifact: sarif.In(relative(workingDir(""), name))}
		for _, c := range textdiff.Changes(string(old), string(text)) {
			r := sarif.Replacement{Deleted: sarif.Region{StartLine: c.From, StartColumn: 1, EndLine: c.To, EndColumn: 1}}
			if all := strings.Split(string(old), "\n"); c.To > len(all) { // the last line has no end
				last := all[len(all)-1]
				r.Deleted.EndLine, r.Deleted.EndColumn = len(all), sarif.Column(last, len(last)+1)
			}
			if c.Text != "" {
				r.Inserted = &sarif.Text{Text: c.Text}
			}
			change.Replacements = append(change.Replacements, r)
		}
		fix.Changes = append(fix.Changes, change)
	}
	return fix, nil
}
