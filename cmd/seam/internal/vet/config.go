package vet

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/nearest"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Off is the severity of a rule that is not to be reported.
const Off rule.Severity = "off"

// Config gives rules another severity.
type Config struct{ rules map[string]rule.Severity }

// ConfigName is the file that is read where none is named.
const ConfigName = ".seam-vet"

// ReadConfig reads a file of lines "RULE SEVERITY"; # begins a comment.
func ReadConfig(name string) (*Config, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	c := &Config{map[string]rule.Severity{}}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if len(f) != 2 {
			return nil, fmt.Errorf("%s:%d: want a rule and a severity, as in: needless-copy off", name, number)
		}
		set := named(f[0])
		if len(set) == 0 {
			return nil, fmt.Errorf("%s:%d: %w", name, number, unknownRule(f[0]))
		}
		switch s := rule.Severity(f[1]); s {
		case rule.Error, rule.Warning, rule.Note, Off:
			for _, r := range set {
				c.rules[r.Name] = s
			}
		default:
			return nil, fmt.Errorf("%s:%d: %q is no severity: want error, warning, note or off", name, number, f[1])
		}
	}
	return c, nil
}

// severity is what the user wants of a finding. A rule's severity is the highest that its
// findings have: what a rule itself holds for less certain stays below.
func (c *Config) severity(f Finding) rule.Severity {
	set, ok := c.rules[f.Rule]
	if !ok {
		return f.Severity
	}
	r := Named(f.Rule)
	if set == Off || f.Severity == r.Severity || rank(set) > rank(f.Severity) {
		return set
	}
	return f.Severity
}

// off reports whether the user wants nothing of a rule. There may be no settings.
func (c *Config) off(name string) bool { return c != nil && c.rules[name] == Off }

// sets reports whether the user has set a rule's severity. There may be no settings.
func (c *Config) sets(name string) bool {
	if c == nil {
		return false
	}
	_, ok := c.rules[name]
	return ok
}

// rank orders severities: the most serious is 0.
func rank(s rule.Severity) int {
	for i, x := range []rule.Severity{rule.Error, rule.Warning, rule.Note} {
		if x == s {
			return i
		}
	}
	return 3
}

// AtLeast reports whether a severity is as serious as another, or more.
func AtLeast(s, least rule.Severity) bool { return rank(s) <= rank(least) }

// Choose returns the rules of some names, or all.
func Choose(names []string) ([]*rule.Rule, error) {
	if len(names) == 0 {
		return Rules, nil
	}
	var chosen []*rule.Rule
	for _, n := range names {
		some := named(n)
		if len(some) == 0 {
			return nil, unknownRule(n)
		}
		for _, r := range some {
			if !slices.Contains(chosen, r) {
				chosen = append(chosen, r)
			}
		}
	}
	return chosen, nil
}

func unknownRule(name string) error {
	if like := nearest.Names(name, knownNames()); len(like) > 0 {
		return fmt.Errorf("there is no rule %s; did you mean %s?", name, strings.Join(like, " or "))
	}
	return fmt.Errorf("there is no rule %s: they are %s", name, strings.Join(names(), ", "))
}
