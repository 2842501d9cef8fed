// Package vettest tests rules of seam vet on packages below testdata. What a rule must
// find there stands in a comment at the end of the line:
//
//	C.puts(C.CString(s)) // want error "never freed"
//
// Where no comment can stand, it stands so many lines below: want-1. A line without one must
// stay silent.
package vettest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet"
	"github.com/seamgo/seam/cmd/seam/internal/vet/measured"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/internal/testenv"
)

var want = regexp.MustCompile(`// want(-\d+)? (error|warning|note) "([^"]+)"`)

// Rules are for packages with cgo, also where the tests are built without it.
func init() { os.Setenv("CGO_ENABLED", "1") }

// Run applies a rule to folders of packages, and their dependencies in them.
func Run(t *testing.T, r *rule.Rule, dirs ...string) {
	t.Helper()
	RunMeasured(t, r, nil, dirs...)
}

// RunMeasured is [Run] with figures that the rule may quote.
func RunMeasured(t *testing.T, r *rule.Rule, m *measured.Facts, dirs ...string) {
	t.Helper()
	testenv.Tool(t, "gcc")
	report := search(t, []*rule.Rule{r}, m, dirs)
	Check(t, report, dirs...)
}

// RunHeadless applies a rule to a folder that includes nobody-has-this.h: that it is missing must
// be said, once.
func RunHeadless(t *testing.T, r *rule.Rule, dir string) {
	t.Helper()
	testenv.Tool(t, "gcc")
	report := search(t, []*rule.Rule{r}, nil, []string{dir})
	if len(report.Problems) != 1 || !strings.Contains(report.Problems[0], "nobody-has-this.h") {
		t.Fatalf("the header is missing, and the problems are %q", report.Problems)
	}
	report.Problems = nil
	Check(t, report, dir)
}

// Check compares a report with the comments in folders.
func Check(t *testing.T, report *vet.Report, dirs ...string) {
	t.Helper()
	for _, p := range report.Problems {
		t.Errorf("problem: %s", p)
	}
	wanted := map[string][]string{} // by file:line
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no Go files (%v)", dir, err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			number := 0
			for line := range strings.Lines(string(text)) {
				number++
				for _, m := range want.FindAllStringSubmatch(line, -1) {
					back, _ := strconv.Atoi(m[1]) // none is 0
					at := fmt.Sprintf("%s:%d", name, number+back)
					wanted[at] = append(wanted[at], m[2]+": "+m[3])
				}
			}
		}
	}
	for _, f := range report.Findings {
		at := fmt.Sprintf("%s:%d", f.File, f.Line)
		if !take(wanted, at, f) {
			t.Errorf("%s: unexpected %s: %s", at, f.Severity, f.Message)
		}
	}
	for at, list := range wanted {
		for _, w := range list {
			t.Errorf("%s: not found: %s", at, w)
		}
	}
}

func take(wanted map[string][]string, at string, f vet.Finding) bool {
	for i, w := range wanted[at] {
		severity, text, _ := strings.Cut(w, ": ")
		if severity == string(f.Severity) && strings.Contains(f.Message, text) {
			wanted[at] = append(wanted[at][:i:i], wanted[at][i+1:]...)
			return true
		}
	}
	return false
}

// Report is what rules find in folders.
func Report(t *testing.T, rules []*rule.Rule, dirs ...string) *vet.Report {
	t.Helper()
	return search(t, rules, nil, dirs)
}

func search(t *testing.T, rules []*rule.Rule, m *measured.Facts, dirs []string) *vet.Report {
	t.Helper()
	var patterns []string
	for _, d := range dirs {
		patterns = append(patterns, "./"+filepath.ToSlash(d))
	}
	report, err := vet.Run(t.Context(), vet.Options{Go: "go", Packages: patterns, Rules: rules, Measured: m})
	if err != nil {
		t.Fatal(err)
	}
	return report
}
