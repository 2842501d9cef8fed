package vet

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

func TestConfirm(t *testing.T) {
	at := func(rule string, line int) Finding {
		return Finding{Rule: rule, Package: "example.com/p", File: "a.go", Line: line, Severity: "warning"}
	}
	sight := Sight{What: "it broke", Places: []Place{{"/elsewhere/b.go", 1}, {"/p/a.go", 3}}}
	trimmed := Sight{What: "it broke", Places: []Place{{"example.com/p/a.go", 3}}}
	tests := map[string]struct {
		e    Evidence
		want string // of the finding at line 4
	}{
		"looked":         {Evidence{Rules: []string{"keepalive"}, Seen: []Sight{sight}, Else: "looked"}, "not seen: looked"},
		"stopped there":  {Evidence{Rules: []string{"keepalive"}, Seen: []Sight{sight}}, ""},
		"-trimpath":      {Evidence{Rules: []string{"keepalive"}, Seen: []Sight{trimmed}, Else: "looked"}, "not seen: looked"},
		"nothing to say": {Evidence{Rules: []string{"keepalive"}}, ""},
		"another rule":   {Evidence{Rules: []string{"noescape"}, Seen: []Sight{sight}, Else: "looked"}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := &Report{Findings: []Finding{at("keepalive", 3), at("keepalive", 4)}}
			r.Confirm("/p", []Evidence{test.e}, &Config{})
			seen := r.Findings[0].Confirmed
			if want := test.e.Rules[0] == "keepalive" && len(test.e.Seen) > 0; (seen != nil && seen.Seen) != want {
				t.Errorf("the first is marked %+v", seen)
			} else if want && r.Findings[0].Severity != rule.Error {
				t.Errorf("what was seen is a %s", r.Findings[0].Severity)
			}
			got := ""
			if seen := r.Findings[1].Confirmed; seen != nil {
				got = seen.words()
			}
			if got != test.want || r.Findings[1].Severity != "warning" {
				t.Errorf("the second is %q, %s", got, r.Findings[1].Severity)
			}
		})
	}
}
