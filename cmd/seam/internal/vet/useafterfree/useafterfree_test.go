package useafterfree_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/useafterfree"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, useafterfree.Rule, "testdata/bad", "../memoryleak/testdata/good")
}
