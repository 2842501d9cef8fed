package vet

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"

	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// The parts of SARIF 2.1.0 that a report needs.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Results     []sarifResult     `json:"results"`
		Invocations []sarifInvocation `json:"invocations"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID       string    `json:"id"`
		Short    sarifText `json:"shortDescription"`
		Full     sarifText `json:"fullDescription"`
		HelpURI  string    `json:"helpUri"`
		Defaults struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
		Properties   map[string]any    `json:"properties,omitempty"`
	}
	sarifLocation struct {
		ID       int        `json:"id,omitempty"`
		Message  *sarifText `json:"message,omitempty"`
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region sarifRegion `json:"region"`
		} `json:"physicalLocation"`
	}
	sarifRegion struct {
		StartLine   int        `json:"startLine"`
		StartColumn int        `json:"startColumn,omitempty"`
		EndLine     int        `json:"endLine,omitempty"`
		EndColumn   int        `json:"endColumn,omitempty"`
		Snippet     *sarifText `json:"snippet,omitempty"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
)

// WriteSARIF writes the report in the format that code hosts read, SARIF 2.1.0.
func (r *Report) WriteSARIF(w io.Writer) error {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "seam vet", Version: r.Seam, InformationURI: "https://github.com/seamgo/seam"}
	index := map[string]int{}
	for i, x := range Rules {
		index[x.Name] = i
		s := sarifRule{ID: x.Name, Short: sarifText{x.Title}, Full: sarifText{x.Doc}, HelpURI: "https://github.com/seamgo/seam/blob/main/docs/vet.md#" + x.Name}
		s.Defaults.Level = string(x.Severity) // SARIF's levels have the same names
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, s)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		result := sarifResult{
			RuleID: f.Rule, RuleIndex: index[f.Rule], Level: string(f.Severity), Message: sarifText{f.Message},
			Locations:    []sarifLocation{location(f.File, sarifRegion{f.Line, f.Column, f.EndLine, f.EndColumn, &sarifText{f.Source}})},
			Fingerprints: map[string]string{"seamVet/v1": f.Rule + "|" + f.known().File + "|" + f.known().Source},
		}
		for k, a := range f.Also {
			l := location(a.File, sarifRegion{StartLine: a.Line, StartColumn: a.Column})
			l.ID, l.Message = k+1, &sarifText{a.Message}
			result.Related = append(result.Related, l)
		}
		if s := f.Confirmed; s != nil {
			result.Message.Text += " (" + s.words() + ")"
			result.Properties = map[string]any{"seen": s.Seen}
		}
		run.Results = append(run.Results, result)
	}
	invocation := sarifInvocation{Successful: !r.Broken}
	for _, p := range r.Problems {
		invocation.Notifications = append(invocation.Notifications, sarifNotification{string(rule.Warning), sarifText{p}})
	}
	run.Invocations = []sarifInvocation{invocation}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func location(file string, region sarifRegion) (l sarifLocation) {
	uri := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		uri.Scheme = "file"
	}
	l.Physical.Artifact.URI = uri.String()
	l.Physical.Region = region
	return l
}
