package result

import (
	"slices"
	"strings"
)

// A Source is where published figures are from. What is not known is empty.
type Source struct {
	Number  int    `json:"number"` // by which a Reference names it, the same in all runs
	Author  string `json:"author,omitempty"`
	Title   string `json:"title"`
	Year    string `json:"year"` // "2020", "2024 or later"
	URL     string `json:"url,omitempty"`
	Go      string `json:"go,omitempty"`      // version of Go that was measured: "Go 1.14"
	Machine string `json:"machine,omitempty"` // that it was measured on
}

// Setting is when and on what the figures were measured: "2020, Go 1.14, i7".
func (s *Source) Setting() string { return joined(s.Year, s.Go, s.Machine) }

// Cite is the source as a list of sources has it.
func (s *Source) Cite() string {
	text := joined(s.Title, s.Author, s.Year)
	if measured := joined(s.Go, s.Machine); measured != "" {
		text += " (" + measured + ")"
	}
	return joined(text, s.URL)
}

// joined is what is known of some facts.
func joined(facts ...string) string {
	return strings.Join(slices.DeleteFunc(facts, func(s string) bool { return s == "" }), ", ")
}
