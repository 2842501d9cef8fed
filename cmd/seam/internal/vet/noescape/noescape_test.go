package noescape_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/noescape"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, noescape.Rule, "testdata/bad", "testdata/good")
}
