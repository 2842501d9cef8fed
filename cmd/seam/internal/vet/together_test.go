package vet_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

// All rules at once over what each of them is tested on: each finds its mistakes in the
// company of the others. With the race detector it is this test that sees what rules share.
func TestRulesTogether(t *testing.T) {
	t.Parallel()
	dirs, err := filepath.Glob("*/testdata/bad")
	if err != nil || len(dirs) < 20 {
		t.Fatal(dirs, err)
	}
	report := vettest.Report(t, vet.Rules, dirs...)
	if report.Packages < len(dirs) {
		t.Errorf("%d packages were searched, want %d", report.Packages, len(dirs))
	}
	for _, r := range vet.Rules {
		found := slices.ContainsFunc(report.Findings, func(f vet.Finding) bool { return f.Rule == r.Name })
		if !found && r.Name != "fat-error-path" { // it quotes figures, which there are none here
			t.Errorf("%s finds nothing", r.Name)
		}
	}
}
