package lockacrossblock_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/lockacrossblock"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, lockacrossblock.Rule, "testdata/bad", "testdata/good")
}
