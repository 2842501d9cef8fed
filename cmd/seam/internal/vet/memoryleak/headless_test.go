package memoryleak_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/memoryleak"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

// A conversion to a type of a header that is missing is no call of a function.
func TestHeadless(t *testing.T) {
	t.Parallel()
	vettest.RunHeadless(t, memoryleak.Rule, "testdata/headless")
}

// The text of C that doesn't compile shows where it frees.
func TestUncompiled(t *testing.T) {
	t.Parallel()
	vettest.RunHeadless(t, memoryleak.Rule, "testdata/uncompiled")
}
