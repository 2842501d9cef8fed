package emptyslice_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/emptyslice"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, emptyslice.Rule, "testdata/bad", "testdata/good")
}
