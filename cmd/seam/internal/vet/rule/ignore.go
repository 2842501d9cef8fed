package rule

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// IgnoreComment is what a comment begins with that ignores a finding, on its line or above
// it; the rule's name and a reason follow.
const IgnoreComment = "//seam:ignore"

// Ignore is such a comment.
type Ignore struct {
	File       string
	Line, Last int // of the comment, and the last of the comments that it is one of
	Column     int
	EndColumn  int
	Rules      []string
	Reason     string

	At *ast.Comment `json:"-"` // nil if it was kept
}

// Ignores are those comments of a file that name a rule.
func Ignores(fset *token.FileSet, f *ast.File) (all []Ignore) {
	for _, group := range f.Comments {
		for _, c := range group.List {
			text, ok := strings.CutPrefix(c.Text, IgnoreComment)
			if !ok || text != "" && text[0] != ' ' && text[0] != '\t' {
				continue
			}
			i := Ignore{At: c}
			at := fset.Position(c.Pos())
			i.File, i.Line, i.Column, i.EndColumn = at.Filename, at.Line, at.Column, fset.Position(c.End()).Column
			i.Last = fset.Position(group.End()).Line
			if words := strings.Fields(text); len(words) > 0 {
				i.Rules, i.Reason = strings.Split(words[0], ","), strings.Join(words[1:], " ")
			}
			all = append(all, i)
		}
	}
	return all
}

// Covers reports whether the comment ignores findings of a rule at a line. Without a reason it
// isn't obeyed.
func (i *Ignore) Covers(rule, file string, line int) bool {
	return i.Reason != "" && i.File == file && (line == i.Line || line == i.Last+1) && slices.Contains(i.Rules, rule)
}

func (p *Pass) ignored(n ast.Node) bool {
	at := p.Position(n.Pos())
	for _, f := range p.Files {
		if p.Position(f.Package).Filename != at.Filename {
			continue
		}
		for _, i := range Ignores(p.Fset, f) {
			if i.Covers(p.rule.Name, at.Filename, at.Line) {
				return true
			}
		}
	}
	return false
}
