package finalizerfree_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/finalizerfree"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, finalizerfree.Rule, "testdata/bad", "testdata/good")
}
