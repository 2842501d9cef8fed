// Package compat compares two versions of Thrift files and reports what breaks:
// for programs that exchange data with the other version, and for code that
// was written against what the old version generates.
package compat

import (
	"fmt"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// Severity is what a change breaks.
type Severity uint8

// The severities, worst last.
const (
	Note   Severity = iota // nothing by itself, but worth knowing
	Source                 // code that uses what is generated
	Wire                   // data or calls between the two versions
)

func (s Severity) String() string {
	return [...]string{"note", "breaks source", "breaks wire"}[s]
}

// A Place is where something is defined. The zero Place means that it isn't
// there.
type Place struct {
	File string
	Pos  syntax.Pos
}

// A Change is one difference between the versions.
type Change struct {
	Rule       *Rule
	Severity   Severity
	Definition string // the definition that has changed, by the name that it had; "" for a namespace
	Path       string // what changed in it, as in Order.items (field 5)
	Old, New   Place
	Message    string // what the change is, what it breaks and what to do
	Waived     string // the reason that a comment gives for it; "": none
}

func (c Change) String() string {
	at := c.New
	if at.File == "" {
		at = c.Old
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s: %s [%s]", at.File, at.Pos.Line, at.Pos.Col, c.Severity, c.Path, c.Message, c.Rule.Name)
}

// Worst is the highest severity of the changes, Note if there are none.
func Worst(changes []Change) Severity {
	worst := Note
	for _, c := range changes {
		worst = max(worst, c.Severity)
	}
	return worst
}

// Options say what the versions are used for. The zero Options assume all that Thrift files are
// used for but names as data.
type Options struct {
	NoJSON bool // nobody speaks the JSON protocol
	Names  bool // names are data: encoding/json, package generic, AppendSimpleJSON
	Kitex  bool // the Go code is Kitex's or in its place, where an optional field with a default is a value
}

// Compare reports the differences between two versions of files and of what
// they include, as [model.Load] gives them. Files are matched by name; if only
// one file was asked for in each version, these two are matched whatever they
// are called. A definition that is missing from its file is looked for in the
// others.
//
// The changes come in the order of the old files and their definitions.
func Compare(old, new []*model.Program, opt Options) []Change {
	c := &comparer{
		opt:    opt,
		newOf:  map[*model.Program]*model.Program{},
		struc:  map[*model.Struct]*model.Struct{},
		enum:   map[*model.Enum]*model.Enum{},
		serv:   map[*model.Service]*model.Service{},
		shaped: map[[2]*model.Struct]difference{},
		valued: map[[2]*model.Value]bool{},
	}
	c.matchPrograms(old, new)
	c.olds, c.news = index(old), index(new)
	c.match(old)
	for _, p := range old {
		c.program(p)
	}
	c.added(new)
	return c.changes
}

// A comparer holds the pairs of what is in both versions.
type comparer struct {
	newOf   map[*model.Program]*model.Program
	struc   map[*model.Struct]*model.Struct
	enum    map[*model.Enum]*model.Enum
	serv    map[*model.Service]*model.Service
	olds    *definitions
	news    *definitions
	shaped  map[[2]*model.Struct]difference // how structs of two names differ on the wire
	valued  map[[2]*model.Value]bool        // whether values of the two versions are the same
	within  string                          // the definition that is being compared
	opt     Options
	changes []Change
}

func (c *comparer) add(r *Rule, path string, old, new Place, format string, args ...any) {
	severity := r.Severity
	if c.opt.Names && slices.Contains(byNames, r) {
		severity = Wire
	}
	c.changes = append(c.changes, Change{r, severity, c.within, path, old, new, fmt.Sprintf(format, args...), ""})
}

func place(p *model.Program, pos syntax.Pos) Place {
	if p == nil {
		return Place{}
	}
	if pos == (syntax.Pos{}) { // what isn't there, as a namespace that is gone
		pos = syntax.Pos{Line: 1, Col: 1}
	}
	return Place{p.Path, pos}
}

// matchPrograms pairs the files.
func (c *comparer) matchPrograms(old, new []*model.Program) {
	taken := map[*model.Program]bool{}
	pair := func(a, b *model.Program) {
		c.newOf[a], taken[b] = b, true
	}
	if a, b := requested(old), requested(new); len(a) == 1 && len(b) == 1 {
		pair(a[0], b[0])
	}
	// Files of the same name in several folders are told apart by their paths.
	for _, same := range []func(a, b *model.Program) bool{
		func(a, b *model.Program) bool { return a.Path == b.Path },
		func(a, b *model.Program) bool { return a.Name == b.Name },
	} {
		for _, a := range old {
			for _, b := range new {
				if c.newOf[a] == nil && !taken[b] && same(a, b) {
					pair(a, b)
				}
			}
		}
	}
}

func requested(list []*model.Program) []*model.Program {
	return slices.DeleteFunc(slices.Clone(list), func(p *model.Program) bool { return !p.Requested })
}
