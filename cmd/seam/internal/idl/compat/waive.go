package compat

import (
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// A Waiver is a comment in a Thrift file that says of findings of some rules that they are meant:
// those on its line and on the next one that isn't a comment, or, of a rule with a name behind it,
// those about that definition wherever they are.
//
//	//seam:ignore id-gap the first version was never used
//	//seam:ignore definition-gone:Order nobody has called it since May
type Waiver struct {
	File   string
	Pos    syntax.Pos
	Rules  []string // RULE or RULE:NAME
	Reason string
	Used   bool

	lines [2]int
}

var waiverComment = regexp.MustCompile(`^(.*?)(?://|#)[ \t]?seam:ignore(?:[ \t]+(.*))?$`)

// Waivers are those of a file's text.
func Waivers(file string, text []byte) (list []*Waiver) {
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		m := waiverComment.FindStringSubmatch(strings.TrimRight(line, " \t\r"))
		if m == nil || strings.Count(m[1], `"`)%2 == 1 || strings.Count(m[1], `'`)%2 == 1 { // within a string
			continue
		}
		rules, reason, _ := strings.Cut(strings.TrimSpace(m[2]), " ")
		w := &Waiver{File: file, Pos: syntax.Pos{Line: i + 1, Col: len(m[1]) + 1}, Reason: strings.TrimSpace(reason), lines: [2]int{i + 1, i + 1}}
		if rules != "" {
			w.Rules = strings.Split(rules, ",")
		}
		if strings.TrimSpace(m[1]) == "" { // a line of its own is about the next line
			for next := i + 1; next < len(lines); next++ {
				if t := strings.TrimSpace(lines[next]); t != "" && !strings.HasPrefix(t, "//") && !strings.HasPrefix(t, "#") {
					w.lines[1] = next + 1
					break
				}
			}
		}
		list = append(list, w)
	}
	return list
}

// wrong says why a waiver is not obeyed, or "".
func (w *Waiver) wrong() string {
	if len(w.Rules) == 0 {
		return "it names no rule: write //seam:ignore RULE reason"
	}
	for _, name := range w.Rules {
		rule, _, _ := strings.Cut(name, ":")
		if RuleNamed(rule) == nil {
			return "there is no rule " + rule + ": seam gen lint --list shows them"
		}
	}
	if w.Reason == "" {
		return "it gives no reason: write it behind the rule"
	}
	return ""
}

// RuleNamed is the rule of a name, or nil.
func RuleNamed(name string) *Rule {
	if i := slices.IndexFunc(Rules, func(r *Rule) bool { return r.Name == name }); i >= 0 {
		return Rules[i]
	}
	return nil
}

func (w *Waiver) covers(c Change) bool {
	for _, name := range w.Rules {
		rule, definition, named := strings.Cut(name, ":")
		if rule != c.Rule.Name {
			continue
		}
		if named && (definition == c.Definition || definition == c.Path || strings.HasPrefix(c.Path, definition+" ")) {
			return true
		}
		if !named && w.File == c.New.File && (c.New.Pos.Line == w.lines[0] || c.New.Pos.Line == w.lines[1]) {
			return true
		}
	}
	return false
}

// Waive gives changes the reason of the waiver that covers them. What is wrong with waivers comes
// behind them, and those of the rules asked about that cover nothing.
func Waive(changes []Change, waivers []*Waiver, asked func(*Rule) bool) []Change {
	for i := range changes {
		for _, w := range waivers {
			if w.wrong() == "" && w.covers(changes[i]) {
				w.Used = true
				changes[i].Waived = w.Reason
			}
		}
	}
	for _, w := range waivers {
		at := Place{w.File, w.Pos}
		path := strings.Join(w.Rules, ",")
		if path == "" {
			path = "seam:ignore"
		}
		if why := w.wrong(); why != "" {
			changes = append(changes, Change{Rule: badWaiver, Severity: badWaiver.Severity, Path: path, New: at, Message: "the comment is not obeyed: " + why})
		} else if !w.Used && !slices.ContainsFunc(w.Rules, func(name string) bool {
			rule, _, _ := strings.Cut(name, ":")
			return !asked(RuleNamed(rule))
		}) {
			changes = append(changes, Change{Rule: idleWaiver, Severity: idleWaiver.Severity, Path: path, New: at, Message: "the comment covers nothing: delete it, or it hides the next finding on its line"})
		}
	}
	return changes
}
