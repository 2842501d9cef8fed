package lockblock_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/lockblock"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, lockblock.Rule, "testdata/bad", "testdata/good")
}
