package badignore_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet"
	"github.com/seamgo/seam/cmd/seam/internal/vet/badignore"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
	"github.com/seamgo/seam/internal/testenv"
)

func Test(t *testing.T) {
	t.Parallel()
	testenv.Tool(t, "gcc")
	dirs := []string{"testdata/bad", "testdata/good"}
	vettest.Check(t, vettest.Report(t, vet.Rules, dirs...), dirs...)
}

// Alone it can't tell that a comment ignores nothing.
func TestAlone(t *testing.T) {
	t.Parallel()
	testenv.Tool(t, "gcc")
	r := vettest.Report(t, []*rule.Rule{badignore.Rule}, "testdata/bad")
	if len(r.Findings) != 7 {
		t.Errorf("%d findings, want the 7 that are not about what others find: %+v", len(r.Findings), r.Findings)
	}
}
