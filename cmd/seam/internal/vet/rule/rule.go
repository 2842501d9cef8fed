// Package rule is what the analysers of seam vet have in common: what each says about
// itself, and how it reports what it finds.
package rule

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/seamgo/seam/cmd/seam/internal/vet/crossing"
	"github.com/seamgo/seam/cmd/seam/internal/vet/measured"
	"github.com/seamgo/seam/cmd/seam/internal/vet/ownership"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
	"github.com/seamgo/seam/cmd/seam/internal/vet/values"
)

// Severity says how sure a finding is, and how bad.
type Severity string

// The severities, the most serious first.
const (
	Error   Severity = "error"   // wrong, and nothing that seam can't see makes it right
	Warning Severity = "warning" // wrong, unless C that can't be seen does what is uncommon
	Note    Severity = "note"    // costs time, or is a question
)

// A Rule finds one kind of mistake.
type Rule struct {
	Name     string   // as users write it: handle-leak
	Formerly string   // the rule that it was a part of: that name still selects it, with the others
	Title    string   // what it finds, on one line
	Doc      string   // why it is wrong, with the code before and after
	Severity Severity // the highest that it reports
	Since    string   // the version of seam that had it first
	Run      func(*Pass)
}

// Is reports whether a name is the rule's, or the one of the rule that it was a part of.
func (r *Rule) Is(name string) bool { return name == r.Name || name == r.Formerly && name != "" }

// Analyzed is the rule's name as an analyzer, and as a Go package.
func (r *Rule) Analyzed() string { return strings.ReplaceAll(r.Name, "-", "") }

// Inputs are the analyzers whose results every rule needs.
type Inputs struct {
	Source, Values, Ownership, Crossing *analysis.Analyzer

	Measured *measured.Facts // nil where nothing was measured

	Names  []string // of all rules, also those that they had before
	Least  Severity // findings below it are not reported; "" for all
	Ignore bool     // obey comments that ignore findings, which seam vet does by itself to count them
}

// A Pass is one rule at work on one package.
type Pass struct {
	*source.Package
	Values   *values.Package
	Owns     *ownership.Package
	Crosses  *crossing.Package
	Measured *measured.Facts
	Names    []string // of all rules, also those that they had before

	rule   *Rule
	pass   *analysis.Pass
	least  Severity
	ignore bool
}

// Analyzer returns the rule as an analyzer for any driver. A diagnostic's category is its
// severity.
func (r *Rule) Analyzer(in Inputs) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     r.Analyzed(),
		Doc:      r.Title + "\n\n" + r.Doc,
		URL:      "https://github.com/seamgo/seam/blob/main/docs/vet.md#" + r.Name,
		Requires: []*analysis.Analyzer{in.Source, in.Values, in.Ownership, in.Crossing},
		Run: func(pass *analysis.Pass) (any, error) {
			r.Run(&Pass{
				Package: pass.ResultOf[in.Source].(*source.Package), Owns: pass.ResultOf[in.Ownership].(*ownership.Package),
				Values: pass.ResultOf[in.Values].(*values.Package), Crosses: pass.ResultOf[in.Crossing].(*crossing.Package),
				Measured: in.Measured, Names: in.Names, pass: pass, least: in.Least, ignore: in.Ignore, rule: r,
			})
			return nil, nil
		},
	}
}

// A Finding is one mistake.
type Finding struct {
	At       ast.Node
	Severity Severity
	Message  string
	Also     []Also // other places that matter
	Fix      *Fix
}

// Also is a further place that belongs to a finding.
type Also struct {
	At      token.Pos
	Message string
}

// Fix is a change of the source that mends a finding.
type Fix struct {
	Message string
	Edits   []Edit
}

// Edit replaces the text between two places.
type Edit struct {
	Pos, End token.Pos
	New      string
}

// First is the edit that makes statements the first ones of a function's body.
func (p *Pass) First(body *ast.BlockStmt, statements ...string) Edit {
	text := "\n" + strings.Join(statements, "\n")
	if len(body.List) > 0 && p.Position(body.List[0].Pos()).Line == p.Position(body.Lbrace).Line || len(body.List) == 0 {
		text += "\n" // the body is on the brace's line
	}
	return Edit{Pos: body.Lbrace + 1, End: body.Lbrace + 1, New: text}
}

// Report reports a finding.
func (p *Pass) Report(f Finding) {
	if p.least == Warning && f.Severity == Note || p.ignore && p.ignored(f.At) {
		return
	}
	d := analysis.Diagnostic{Pos: f.At.Pos(), End: f.At.End(), Category: string(f.Severity), Message: f.Message}
	for _, a := range f.Also {
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: a.At, Message: a.Message})
	}
	if f.Fix != nil {
		fix := analysis.SuggestedFix{Message: f.Fix.Message}
		for _, e := range f.Fix.Edits {
			fix.TextEdits = append(fix.TextEdits, analysis.TextEdit{Pos: e.Pos, End: e.End, NewText: []byte(e.New)})
		}
		d.SuggestedFixes = append(d.SuggestedFixes, fix)
	}
	p.pass.Report(d)
}

// Reportf reports a finding of a node, without a fix.
func (p *Pass) Reportf(at ast.Node, s Severity, format string, args ...any) {
	p.Report(Finding{At: at, Severity: s, Message: fmt.Sprintf(format, args...)})
}
