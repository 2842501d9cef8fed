package lengthcut_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/lengthcut"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, lengthcut.Rule, "testdata/bad", "testdata/good")
}

// Where a header is missing, the types that the source names are known all the same.
func TestHeadless(t *testing.T) {
	t.Parallel()
	vettest.RunHeadless(t, lengthcut.Rule, "testdata/headless")
}
