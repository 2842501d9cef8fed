package rule

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// IgnoreComment is what a comment begins with that ignores a finding, on its line or above
// it, whatever lines the statement there has; the rule's name and a reason follow.
const IgnoreComment = "//seam:ignore"

// Ignore is such a comment.
type Ignore struct {
	File       string
	Line, Last int // of the comment, and the last of the comments that it is one of
	Until      int // the last line of the statement that begins on the next line, or on the comment's
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
			i.Until = i.Last + 1
			if words := strings.Fields(text); len(words) > 0 {
				i.Rules, i.Reason = strings.Split(words[0], ","), strings.Join(words[1:], " ")
			}
			all = append(all, i)
		}
	}
	if len(all) > 0 {
		findStatements(fset, f, all)
	}
	return all
}

// findStatements sets where the statements end that comments stand above or beside: of one with a
// block in it, where the block begins.
func findStatements(fset *token.FileSet, f *ast.File, all []Ignore) {
	ast.Inspect(f, func(n ast.Node) bool {
		var end token.Pos
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.LabeledStmt:
		case *ast.IfStmt:
			end = n.Body.Lbrace
		case *ast.ForStmt:
			end = n.Body.Lbrace
		case *ast.RangeStmt:
			end = n.Body.Lbrace
		case *ast.SwitchStmt:
			end = n.Body.Lbrace
		case *ast.TypeSwitchStmt:
			end = n.Body.Lbrace
		case *ast.SelectStmt:
			end = n.Body.Lbrace
		case ast.Stmt:
			end = n.End()
		case *ast.ValueSpec:
			end = n.End()
		case *ast.KeyValueExpr:
			end = n.End()
		}
		if !end.IsValid() {
			return true
		}
		first, last := fset.Position(n.Pos()).Line, fset.Position(end).Line
		for i := range all {
			if c := &all[i]; first == c.Last+1 || first == c.Line {
				c.Until = max(c.Until, last)
			}
		}
		return true
	})
}

// Covers reports whether the comment ignores findings of a rule at a line. Without a reason it
// isn't obeyed.
func (i *Ignore) Covers(r *Rule, file string, line int) bool {
	return i.Reason != "" && i.File == file && (line == i.Line || i.Last < line && line <= i.Until) && slices.ContainsFunc(i.Rules, r.Is)
}

func (p *Pass) ignored(n ast.Node) bool {
	at := p.Position(n.Pos())
	for _, f := range p.Files {
		if p.Position(f.Package).Filename != at.Filename {
			continue
		}
		for _, i := range Ignores(p.Fset, f) {
			if i.Covers(p.rule, at.Filename, at.Line) {
				return true
			}
		}
	}
	return false
}
