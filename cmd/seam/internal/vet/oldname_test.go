package vet_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
	"github.com/seamgo/seam/internal/testenv"
)

const oldName = `package p

// #include <stdlib.h>
// static int length(char *s) { return s[0]; }
import "C"

import "unsafe"

func leaks(s string) int {
	//seam:ignore cstring-leak the comment has the old name
	return int(C.length(C.CString(s)))
}

func freesTwice(s string) {
	cs := C.CString(s)
	C.free(unsafe.Pointer(cs))
	C.free(unsafe.Pointer(cs))
}

func uses(s string) int {
	cs := C.CString(s)
	//seam:ignore cstring-leak the comment has the old name
	C.free(unsafe.Pointer(cs))
	return int(C.length(cs))
}

//seam:ignore cstring-leak nothing is here
var _ = 1
`

// cstring-leak was one rule, and its name still stands for the four that it is now.
func TestOldName(t *testing.T) {
	t.Parallel()
	testenv.Tool(t, "gcc")
	rules, err := vet.Choose([]string{"double-free", "cstring-leak", "bad-ignore"})
	if err != nil {
		t.Fatal(err)
	}
	var chosen []string
	for _, r := range rules {
		chosen = append(chosen, r.Name)
	}
	if want := []string{"double-free", "memory-leak", "use-after-free", "finalizer-free", "bad-ignore"}; !slices.Equal(chosen, want) {
		t.Errorf("the old name chooses %q, want %q", chosen, want)
	}

	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module p\n\ngo 1.25\n", "p.go": oldName, "config": "cstring-leak off\ndouble-free note\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	search := func(rules []*rule.Rule, c *vet.Config) *vet.Report {
		r, err := vet.Run(t.Context(), vet.Options{Go: "go", Dir: dir, Packages: []string{"."}, Rules: rules, Config: c})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	said := func(r *vet.Report) (all []string) {
		for _, f := range r.Findings {
			all = append(all, f.Rule+" "+string(f.Severity))
		}
		return all
	}
	r := search(rules, nil)
	if got, want := said(r), []string{"double-free error", "bad-ignore warning"}; !slices.Equal(got, want) || r.Ignored != 2 {
		t.Errorf("found %q, %d ignored, want %q and 2", got, r.Ignored, want)
	}
	// Whether a comment of the old name ignores anything is known only where all four have searched.
	some := search([]*rule.Rule{vet.Named("double-free"), vet.Named("bad-ignore")}, nil)
	if got, want := said(some), []string{"double-free error"}; !slices.Equal(got, want) {
		t.Errorf("one of the four finds %q, want %q", got, want)
	}
	config, err := vet.ReadConfig(filepath.Join(dir, "config"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := said(search(rules, config)), []string{"double-free note"}; !slices.Equal(got, want) {
		t.Errorf("with the four off, and one on again, found %q, want %q", got, want)
	}

	var written bytes.Buffer
	if err := r.MakeBaseline().Write(&written); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(dir, "baseline")
	if err := os.WriteFile(old, []byte(strings.ReplaceAll(written.String(), "double-free", "cstring-leak")), 0o666); err != nil {
		t.Fatal(err)
	}
	baseline, err := vet.ReadBaseline(old)
	if err != nil {
		t.Fatal(err)
	}
	if r.Without(baseline); len(r.Findings) != 0 || r.Baseline != 2 {
		t.Errorf("a baseline of before leaves %q", said(r))
	}
}

// A code host is told the rule's old name, and knows its alerts again by what they had for a fingerprint.
func TestOldNameInSARIF(t *testing.T) {
	t.Parallel()
	testenv.Tool(t, "gcc")
	var out bytes.Buffer
	if err := vettest.Report(t, []*rule.Rule{vet.Named("memory-leak")}, "testdata/shop").WriteSARIF(&out); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Rules []struct {
						ID            string
						DeprecatedIDs []string
					}
				}
			}
			Results []struct {
				RuleID              string
				PartialFingerprints map[string]string
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	first, found := log.Runs[0].Tool.Driver.Rules[0], log.Runs[0].Results[0]
	if first.ID != "memory-leak" || !slices.Equal(first.DeprecatedIDs, []string{"cstring-leak"}) {
		t.Errorf("the first rule is %+v", first)
	}
	if print := found.PartialFingerprints["seamVet/v1"]; found.RuleID != "memory-leak" || !strings.HasPrefix(print, "cstring-leak|") {
		t.Errorf("the first result is %+v", found)
	}
}

// A rule's folder has its name.
func TestFolders(t *testing.T) {
	t.Parallel()
	for _, r := range vet.Rules {
		if _, err := os.Stat(filepath.Join(r.Analyzed(), r.Analyzed()+".go")); err != nil {
			t.Errorf("rule %s: %v", r.Name, err)
		}
	}
}
