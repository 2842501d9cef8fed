package vet_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
	"github.com/seamgo/seam/internal/testenv"
)

// The patterns of mistakes that other people made and fixed, each with the rule that must
// find it, and say nothing of the fixed form. docs/design/vetproof.md says where they come from.
func TestCorpus(t *testing.T) {
	t.Parallel()
	testenv.Tool(t, "gcc")
	all := vettest.Report(t, vet.Rules, "testdata/corpus/...")
	ruleOf := map[string]string{
		"name": "memory-leak", "setting": "memory-leak", "regrown": "double-free", "cell": "memory-leak",
		"finalizer": "keepalive", "child": "keepalive",
		"userdata": "pointer-kept", "iovec": "pointer-kept",
		"closenode":   "handle-leak",
		"lasterror":   "errno-thread",
		"threaderror": "errno-thread",
		"closing":     "lock-across-block",
		"columns":     "cgo-loop",
		"perrow":      "cgo-loop",
	}
	if all.Packages != 2*len(ruleOf) {
		t.Errorf("the corpus has %d packages, want a bad and a good one for each of %d patterns", all.Packages, len(ruleOf))
	}
	for dir, name := range ruleOf {
		t.Run(dir, func(t *testing.T) {
			dir := "testdata/corpus/" + dir
			mine := *all
			mine.Findings = nil
			for _, f := range all.Findings {
				if f.Rule == name && strings.HasPrefix(f.File, dir+"/") {
					mine.Findings = append(mine.Findings, f)
				}
			}
			vettest.Check(t, &mine, dir+"/bad", dir+"/good")
		})
	}
}

// What is good for one rule is good for all: none of them has an error or a warning for a form that
// another rule's test holds to be right.
func TestGoodForms(t *testing.T) {
	t.Parallel()
	testenv.Tool(t, "gcc")
	good, err := filepath.Glob("*/testdata/good")
	if err != nil || len(good) < 30 {
		t.Fatalf("%d good forms, %v", len(good), err)
	}
	patterns, err := filepath.Glob("testdata/corpus/*/good")
	if err != nil || len(patterns) < 10 {
		t.Fatalf("%d fixed forms, %v", len(patterns), err)
	}
	report := vettest.Report(t, vet.Rules, append(good, patterns...)...)
	for _, p := range report.Problems {
		t.Errorf("problem: %s", p)
	}
	for _, f := range report.Findings {
		if f.Severity != rule.Note {
			t.Errorf("%s:%d: %s: %s [%s]", f.File, f.Line, f.Severity, f.Message, f.Rule)
		}
	}
}
