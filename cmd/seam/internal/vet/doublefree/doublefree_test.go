package doublefree_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/doublefree"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, doublefree.Rule, "testdata/bad", "../memoryleak/testdata/good")
}
