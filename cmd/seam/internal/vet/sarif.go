package vet

import (
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/sarif"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// WriteSARIF writes the report in the format that code hosts read, SARIF 2.1.0.
func (r *Report) WriteSARIF(w io.Writer) error {
	run := sarif.Run{Results: []sarif.Result{}}
	run.Tool.Driver = sarif.Driver{Name: "seam vet", Version: r.Seam, InformationURI: "https://github.com/seamgo/seam"}
	index := map[string]int{}
	for i, x := range Rules {
		index[x.Name] = i
		s := sarif.Rule{ID: x.Name, Short: sarif.Text{Text: x.Title}, Full: sarif.Text{Text: x.Doc}, HelpURI: "https://github.com/seamgo/seam/blob/main/docs/vet.md#" + x.Name}
		s.Defaults.Level = string(x.Severity) // SARIF's levels have the same names
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, s)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		result := sarif.Result{
			RuleID: f.Rule, RuleIndex: index[f.Rule], Level: string(f.Severity), Message: sarif.Text{Text: f.Message},
			Locations:    []sarif.Location{sarif.At(f.File, sarif.Region{StartLine: f.Line, StartColumn: f.Column, EndLine: f.EndLine, EndColumn: f.EndColumn, Snippet: &sarif.Text{Text: f.Source}})},
			Fingerprints: map[string]string{"seamVet/v1": f.Rule + "|" + f.known().File + "|" + f.known().Source},
		}
		for k, a := range f.Also {
			l := sarif.At(a.File, sarif.Region{StartLine: a.Line, StartColumn: a.Column})
			l.ID, l.Message = k+1, &sarif.Text{Text: a.Message}
			result.Related = append(result.Related, l)
		}
		if s := f.Confirmed; s != nil {
			result.Message.Text += " (" + s.words() + ")"
			result.Properties = map[string]any{"seen": s.Seen}
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
