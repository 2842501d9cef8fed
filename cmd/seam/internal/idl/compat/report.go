package compat

import (
	"encoding/json"
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/sarif"
)

// levels are the words of a severity for other programs.
var levels = map[Severity]struct{ word, sarif string }{Note: {"note", "note"}, Source: {"source", "warning"}, Wire: {"wire", "error"}}

type (
	jsonPlace struct {
		File   string `json:"file"`
		Line   int    `json:"line"`
		Column int    `json:"column"`
	}
	jsonChange struct {
		Rule       string     `json:"rule"`
		Severity   string     `json:"severity"` // note, source or wire
		Definition string     `json:"definition,omitempty"`
		Path       string     `json:"path"`
		Message    string     `json:"message"`
		Old        *jsonPlace `json:"old,omitempty"`
		New        *jsonPlace `json:"new,omitempty"`
		Waived     string     `json:"waived,omitempty"` // why
	}
)

func jsonAt(p Place) *jsonPlace {
	if p.File == "" {
		return nil
	}
	return &jsonPlace{p.File, p.Pos.Line, p.Pos.Col}
}

// WriteJSON writes changes for other programs, with those that are waived.
func WriteJSON(w io.Writer, changes []Change) error {
	list := []jsonChange{}
	for _, c := range changes {
		list = append(list, jsonChange{c.Rule.Name, levels[c.Severity].word, c.Definition, c.Path, c.Message, jsonAt(c.Old), jsonAt(c.New), c.Waived})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Changes []jsonChange `json:"changes"`
	}{list})
}

// WriteSARIF writes changes as code hosts read them. Those that are waived are notes.
func WriteSARIF(w io.Writer, changes []Change, tool, version string) error {
	run := sarif.Run{Results: []sarif.Result{}}
	run.Tool.Driver = sarif.Driver{Name: tool, Version: version, InformationURI: "https://github.com/seamgo/seam"}
	index := map[*Rule]int{}
	for i, r := range Rules {
		index[r] = i
		s := sarif.Rule{ID: r.Name, Short: sarif.Text{Text: r.Title}, Full: sarif.Text{Text: r.Title}, HelpURI: "https://github.com/seamgo/seam/blob/main/docs/thrift.md#two-versions"}
		s.Defaults.Level = levels[r.Severity].sarif
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, s)
	}
	for _, c := range changes {
		at := c.New
		if at.File == "" {
			at = c.Old
		}
		level, text := levels[c.Severity].sarif, c.Path+": "+c.Message
		if c.Waived != "" {
			level, text = "note", text+" (ignored: "+c.Waived+")"
		}
		result := sarif.Result{
			RuleID: c.Rule.Name, RuleIndex: index[c.Rule], Level: level, Message: sarif.Text{Text: text},
			Locations:    []sarif.Location{sarif.At(at.File, sarif.Region{StartLine: at.Pos.Line, StartColumn: at.Pos.Col})},
			Fingerprints: map[string]string{"seamThrift/v1": c.Rule.Name + "|" + c.Path},
		}
		run.Results = append(run.Results, result)
	}
	run.Invocations = []sarif.Invocation{{Successful: true}}
	return sarif.Write(w, run)
}
