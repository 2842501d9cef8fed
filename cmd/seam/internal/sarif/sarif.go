// Package sarif writes findings in the format that code hosts read, SARIF 2.1.0.
package sarif

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"unicode/utf8"
)

// The parts of SARIF 2.1.0 that reports need.
type (
	log struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []Run  `json:"runs"`
	}
	Run struct {
		Tool struct {
			Driver Driver `json:"driver"`
		} `json:"tool"`
		ColumnKind  string       `json:"columnKind,omitempty"` // what columns count: CodePoints
		Results     []Result     `json:"results"`
		Invocations []Invocation `json:"invocations"`
	}
	Driver struct {
		Name           string `json:"name"`
		Version        string `json:"version,omitempty"`
		InformationURI string `json:"informationUri"`
		Rules          []Rule `json:"rules"`
	}
	Rule struct {
		ID         string   `json:"id"`
		Short      Text     `json:"shortDescription"`
		Full       Text     `json:"fullDescription"`
		Deprecated []string `json:"deprecatedIds,omitempty"`
		HelpURI    string   `json:"helpUri"`
		Defaults   struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
	}
	Text struct {
		Text string `json:"text"`
	}
	Result struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      Text              `json:"message"`
		Locations    []Location        `json:"locations"`
		Related      []Location        `json:"relatedLocations,omitempty"`
		Fixes        []Fix             `json:"fixes,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
		Properties   map[string]any    `json:"properties,omitempty"`
	}
	Fix struct {
		Description Text     `json:"description"`
		Changes     []Change `json:"artifactChanges"`
	}
	Change struct {
		Artifact     Artifact      `json:"artifactLocation"`
		Replacements []Replacement `json:"replacements"`
	}
	Replacement struct {
		Deleted  Region `json:"deletedRegion"`
		Inserted *Text  `json:"insertedContent,omitempty"`
	}
	Artifact struct {
		URI string `json:"uri"`
	}
	Location struct {
		ID       int   `json:"id,omitempty"`
		Message  *Text `json:"message,omitempty"`
		Physical struct {
			Artifact Artifact `json:"artifactLocation"`
			Region   Region   `json:"region"`
		} `json:"physicalLocation"`
	}
	Region struct {
		StartLine   int   `json:"startLine"`
		StartColumn int   `json:"startColumn,omitempty"`
		EndLine     int   `json:"endLine,omitempty"`
		EndColumn   int   `json:"endColumn,omitempty"`
		Snippet     *Text `json:"snippet,omitempty"`
	}
	Invocation struct {
		Successful    bool           `json:"executionSuccessful"`
		Notifications []Notification `json:"toolExecutionNotifications,omitempty"`
	}
	Notification struct {
		Level   string `json:"level"`
		Message Text   `json:"message"`
	}
)

// CodePoints is the kind of columns that count characters.
const CodePoints = "unicodeCodePoints"

// Column is the column of a byte of a line, of which the first is 1, in characters.
func Column(line string, column int) int {
	if column < 1 || column-1 > len(line) {
		return column
	}
	return utf8.RuneCountInString(line[:column-1]) + 1
}

// Write writes the run of one tool.
func Write(w io.Writer, run Run) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(log{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []Run{run}})
}

// At is a place in a file.
func At(file string, region Region) (l Location) {
	l.Physical.Artifact = In(file)
	l.Physical.Region = region
	return l
}

// In names a file.
func In(file string) Artifact {
	uri := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		uri.Scheme = "file"
	}
	return Artifact{uri.String()}
}
