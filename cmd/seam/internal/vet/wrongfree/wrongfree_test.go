package wrongfree_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
	"github.com/seamgo/seam/cmd/seam/internal/vet/wrongfree"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, wrongfree.Rule, "testdata/bad", "testdata/good")
}
