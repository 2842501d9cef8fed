package cstringleak_test

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/cstringleak"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
	"github.com/seamgo/seam/internal/testenv"
)

// A conversion to a type of a header that is missing is no call of a function.
func TestHeadless(t *testing.T) {
	t.Parallel()
	testenv.Tool(t, "gcc")
	r := vettest.Report(t, []*rule.Rule{cstringleak.Rule}, "testdata/headless")
	if len(r.Problems) != 1 || !strings.Contains(r.Problems[0], "nobody-has-this.h") {
		t.Fatalf("the header is missing, and the problems are %q", r.Problems)
	}
	r.Problems = nil
	vettest.Check(t, r, "testdata/headless")
}
