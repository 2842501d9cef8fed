package wrongfree_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/wrongfree"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, wrongfree.Rule, "testdata/bad", "testdata/good")
}
