// Package badignore finds comments that are meant to ignore findings, and don't.
package badignore

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/nearest"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule. That a comment ignores nothing is said by the driver, which knows what the
// others have found.
var Rule = &rule.Rule{
	Name:     "bad-ignore",
	Title:    "a comment that is meant to ignore findings, and isn't obeyed or ignores nothing",
	Severity: rule.Warning,
	Since:    "0.9",
	Doc: `A comment that names no rule, or one that there isn't, ignores nothing; one without a reason isn't
obeyed. One that outlives what it was written for would hide the next mistake on its line.

Before:

	//seam:ignore memory-leek the table lives as long as the program
	table = C.CString(names)

After:

	//seam:ignore memory-leak the table lives as long as the program
	table = C.CString(names)

That a comment ignores nothing is said by seam vet alone, where it has searched with the rules that
the comment names and nothing kept it from seeing the whole package. It isn't said of cgo-loop and
fat-error-path, which find what was measured.`,
	Run: run,
}

func run(p *rule.Pass) {
	for _, f := range p.Files {
		for _, i := range rule.Ignores(p.Fset, f) {
			if what := wrong(i, p.Names); what != "" {
				p.Reportf(i.At, rule.Warning, "%s", what)
			}
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				if looksLike(c, p.Names) {
					p.Reportf(c, rule.Warning, "this comment isn't obeyed: it must begin with %s and a space", rule.IgnoreComment)
				}
			}
		}
	}
}

// wrong is what is wrong with a comment by itself.
func wrong(i rule.Ignore, names []string) string {
	if len(i.Rules) == 0 {
		return rule.IgnoreComment + " names no rule and gives no reason, so it is not obeyed"
	}
	for _, name := range i.Rules {
		if slices.Contains(names, name) {
			continue
		}
		if name == "" {
			return "the names of rules stand beside each other with a comma between, and no space"
		}
		what := fmt.Sprintf("there is no rule %s, so nothing is ignored for it", name)
		if like := nearest.Names(name, names); len(like) > 0 {
			what += "; did you mean " + strings.Join(like, " or ") + "?"
		}
		return what
	}
	if i.Reason == "" {
		return fmt.Sprintf("%s %s gives no reason, so it is not obeyed: write why after the rule's name", rule.IgnoreComment, strings.Join(i.Rules, ","))
	}
	return ""
}

// looksLike reports whether a comment is written as one that ignores findings nearly is: with a space
// too many, or with another sign than a space after it.
func looksLike(c *ast.Comment, names []string) bool {
	text, line := strings.CutPrefix(c.Text, "//")
	text = strings.TrimLeft(text, " \t")
	after, ok := strings.CutPrefix(text, strings.TrimPrefix(rule.IgnoreComment, "//"))
	if !line || !ok {
		return false
	}
	obeyed := strings.HasPrefix(c.Text, rule.IgnoreComment) && (after == "" || after[0] == ' ' || after[0] == '\t')
	word, _, _ := strings.Cut(strings.TrimLeft(after, " \t:=("), " ")
	first, _, _ := strings.Cut(strings.TrimRight(word, "):"), ",")
	return !obeyed && slices.Contains(names, first)
}
