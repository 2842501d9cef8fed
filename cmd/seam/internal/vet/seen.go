package vet

import (
	"path"
	"path/filepath"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Evidence is what running a program showed of mistakes of one kind.
type Evidence struct {
	Rules []string // whose findings it can show
	Seen  []Sight
	Else  string // what to say of findings that it did not show: how hard it has looked; empty if that can't be told
}

// A Sight is a mistake that was made while a program ran.
type Sight struct {
	What   string  // it did, in words
	Places []Place // where, innermost first; a finding at any of them is confirmed
	Outer  bool    // another sight is of the same mistake, further in
}

// Mistakes is how many were seen.
func (e *Evidence) Mistakes() (n int) {
	for _, s := range e.Seen {
		if !s.Outer {
			n++
		}
	}
	return n
}

// A Place is a line of Go source.
type Place struct {
	File string // absolute, or with the import path instead of the folder
	Line int
}

// Seen reports whether a mistake was made while the tests ran.
type Seen struct {
	Seen bool   `json:"seen"`
	What string `json:"what"` // was seen, or was looked at
}

// Confirm marks the findings by evidence. What was seen is an error, unless the user has
// set another severity for the rule. Findings of rules without evidence stay unmarked. Dir
// is the folder that names of files are relative to.
func (r *Report) Confirm(dir string, all []Evidence, c *Config) {
	r.Evidence = all
	for i := range r.Findings {
		f := &r.Findings[i]
		for _, e := range all {
			if slices.Contains(e.Rules, f.Rule) {
				f.Confirmed = e.of(f, dir)
			}
		}
		if f.Confirmed != nil && f.Confirmed.Seen && !c.sets(f.Rule) {
			f.Severity = rule.Error
		}
	}
}

func (e *Evidence) of(f *Finding, dir string) *Seen {
	for _, s := range e.Seen {
		for _, p := range s.Places {
			if f.at(p, dir) {
				return &Seen{true, s.What}
			}
		}
	}
	if e.Else == "" {
		return nil
	}
	return &Seen{false, e.Else}
}

// at reports whether a finding is at a place.
func (f *Finding) at(p Place, dir string) bool {
	if p.Line < f.Line || p.Line > max(f.Line, f.EndLine) {
		return false
	}
	file := f.File
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	// With -trimpath a program knows its files by their import paths.
	return p.File == file || p.File == path.Join(f.Package, filepath.Base(file))
}

// words is how the mark reads.
func (s *Seen) words() string {
	if s.Seen {
		return "seen: " + s.What
	}
	return "not seen: " + s.What
}
