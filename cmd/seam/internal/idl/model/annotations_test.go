package model

import (
	"slices"
	"strings"
	"testing"
)

func TestParseGoTags(t *testing.T) {
	for text, want := range map[string][]GoTag{
		"":                             nil,
		"  ":                           nil,
		`json:"a,omitempty"`:           {{"json", "a,omitempty"}},
		`json:"a"  yaml:"b" x-y:"c d"`: {{"json", "a"}, {"yaml", "b"}, {"x-y", "c d"}},
		`validate:"re=\"x\" é"`:        {{"validate", `re="x" é`}},
		`json:"a"yaml:"b"`:             {{"json", "a"}, {"yaml", "b"}}, // as package reflect reads it
	} {
		if got, err := parseGoTags(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"json":                  "no key",
		"json:a":                "not in quotation marks",
		"json:'a'":              "not in quotation marks",
		`json:"a`:               "not in quotation marks",
		`:"a"`:                  "no key",
		`json:"a" json:"b"`:     "there twice",
		`thrift:"x,1"`:          "thrift is taken",
		"json:\"a`b\"":          "backquote",
		"json:\"a\n\"":          "end of a line",
		`json:"\x60"`:           "can't stand in a tag",
		"json:\"\\\"":           "not in quotation marks",
		strings.Repeat("x", 99): "no key",
	} {
		if got, err := parseGoTags(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", text, got, err, want)
		}
	}
}
